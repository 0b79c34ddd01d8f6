"""Comparison: what is wrong first, and by how many tolerances."""

import numpy as np
import pytest

from grader.judge import compare

TRUTH = np.array([[1.0, -2.0], [0.5, 4.0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 2)])
def test_equal_arrays_match(shape: tuple[int, ...], dtype: str) -> None:
    """Both dtypes are accepted; empty and 0-d arrays are arrays too."""
    expected = np.full(shape, 0.5)

    assert compare.mismatch(expected.astype(dtype), expected) is None


def test_most_basic_first() -> None:
    """Shape before dtype before finite before values, when all of them are wrong."""
    wrong = np.array([[np.nan, 5.0, 6.0]], dtype=np.float16)
    stages = [
        ("shape", wrong),
        ("dtype", wrong[:, :2].repeat(2, 0)),
        ("finite", wrong[:, :2].repeat(2, 0).astype(float)),
        ("values", TRUTH + 1),
    ]

    kinds = [mismatch.kind for _, actual in stages if (mismatch := compare.mismatch(actual, TRUTH))]

    assert kinds == [kind for kind, _ in stages]


@pytest.mark.parametrize(
    "dtype", ["float16", "complex64", "complex128", "bool", "int64", "uint8", "object", "str"]
)
def test_other_kinds_of_numbers_are_refused(dtype: str) -> None:
    """Whatever their values."""
    wrong = compare.mismatch(np.ones(2).astype(dtype), np.ones(2))

    assert wrong is not None
    assert wrong.kind == "dtype"


@pytest.mark.parametrize(("value", "name"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_not_finite_is_named(value: float, name: str) -> None:
    """NaN and infinities are wrong where the truth is finite, at the first such place, whatever the scale."""
    actual = TRUTH.copy()
    actual[1, 0] = actual[1, 1] = value

    wrong = compare.mismatch(actual, TRUTH, scale=np.inf)

    assert wrong is not None
    assert (wrong.kind, wrong.index, wrong.text) == ("finite", (1, 0), f"{name} at [1, 0], expected 0.5")


def test_where_the_expected_number_is_not_finite() -> None:
    """NaN is NaN and inf is inf; anything else there is wrong and shown, never an exception."""
    odd = np.array([np.nan, np.inf, -np.inf, 1.0])

    assert compare.mismatch(odd, odd) is None
    for position, value in [(0, 1.0), (0, np.inf), (1, 1.0), (1, np.nan), (1, -np.inf), (2, np.inf)]:
        actual = odd.copy()
        actual[position] = value
        wrong = compare.mismatch(actual, odd)
        assert wrong is not None
        assert wrong.index == (position,)
    assert compare.mismatch(np.zeros(1), np.array([np.nan])) is not None
    assert compare.mismatch(np.array([np.nan]), np.zeros(1)) is not None


def test_negative_zero_is_zero() -> None:
    """The sign of zero says nothing."""
    assert compare.mismatch(np.array([-0.0, 0.0]), np.array([0.0, -0.0])) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_is_in_units_of_the_tolerance(dtype: str) -> None:
    """Half a tolerance passes, three are reported as three, at the worst element."""
    allowed = compare.tolerance(TRUTH.astype(dtype), TRUTH)
    near, far = TRUTH.copy(), TRUTH.copy()
    near[0, 1] += 0.5 * allowed
    far[0, 1] += 3 * allowed
    far[1, 0] += 2 * allowed

    assert compare.mismatch(near.astype(dtype), TRUTH) is None
    wrong = compare.mismatch(far.astype(dtype), TRUTH)
    assert wrong is not None
    assert (wrong.kind, wrong.index) == ("values", (0, 1))
    assert wrong.error == pytest.approx(3, rel=0.05)


def test_tolerance() -> None:
    """float32 is held to float32's roundings; the largest expected number is the scale, never nearly 0."""
    single, double = (compare.tolerance(TRUTH.astype(d), TRUTH) for d in ("float32", "float64"))

    assert single == 4 * compare.ROUNDINGS["float32"] > 1e6 * double
    assert compare.tolerance(TRUTH, TRUTH * 1e-9) == compare.tolerance(TRUTH, np.zeros(2)) > 0
    assert compare.tolerance(TRUTH, TRUTH, scale=1.0, extra=1e-3) == pytest.approx(1e-3)
    assert compare.tolerance(TRUTH, np.array([np.inf, np.nan, 2.0])) == pytest.approx(double / 2)


@pytest.mark.parametrize("factor", [1.001, 1 + 1e-5])
def test_small_factors_are_seen(factor: float) -> None:
    """In float32 too."""
    assert not compare.same((TRUTH * factor).astype(np.float32), TRUTH)


def test_same() -> None:
    """Lists are arrays; shapes must agree."""
    assert compare.same(np.array([1.0, 2.0]), [1, 2])
    assert not compare.same(np.array([1.0]), 1.0)


def test_the_only_element() -> None:
    """A 0-d array has no index to show."""
    wrong = compare.mismatch(np.array(2.0), np.array(1.0))

    assert wrong is not None
    assert wrong.text == "2, expected 1"
