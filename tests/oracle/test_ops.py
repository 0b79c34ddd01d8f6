"""The truth of every op against scipy or plain Python arithmetic on small cases."""

import cmath
import itertools
import math

import numpy as np
import pytest
from scipy import linalg, special

from grader.oracle import ops

A = [[0.5, -1.5], [2.0, 1.25]]
B = [[1.5, 2.0], [-0.5, 3.0]]
POSITIVE = [[0.5, 1.5], [2.0, 1.25]]


def _each(function, *tables):  # type: ignore[no-untyped-def]
    return [[function(*values) for values in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


BINARY = {
    "add": (A, B, lambda a, b: a + b),
    "multiply": (A, B, lambda a, b: a * b),
    "ewise_div": (A, B, lambda a, b: a / b),
    "ewise_pow": (POSITIVE, B, lambda a, b: math.exp(b * math.log(a))),
}
UNARY = {
    "negate": (A, lambda a: 0 - a),
    "log": (POSITIVE, lambda a: cmath.log(a).real),
    "exp": (A, lambda a: math.e**a),
    "relu": (A, lambda a: (a + abs(a)) / 2),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    """Element by element, as Python computes it."""
    a, b, plain = BINARY[name]

    actual = getattr(ops, name)(np.array(a), np.array(b))

    np.testing.assert_allclose(actual, _each(plain, a, b), rtol=1e-14)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    """Element by element, as Python computes it."""
    a, plain = UNARY[name]

    np.testing.assert_allclose(getattr(ops, name)(np.array(a)), _each(plain, a), rtol=1e-14)


@pytest.mark.parametrize("n", [3, -1, 0, 1, 2, -2])
def test_whole_powers(n: int) -> None:
    """Products, and one over products; negative bases too."""
    expected = _each(lambda a: math.prod([a if n > 0 else 1 / a] * abs(n)), A)

    np.testing.assert_allclose(ops.power_scalar(np.array(A), n), expected, rtol=1e-14)


def test_roots() -> None:
    """The power 0.5 is Python's square root."""
    np.testing.assert_allclose(ops.power_scalar(np.array(POSITIVE), 0.5), _each(math.sqrt, POSITIVE))


def test_div_scalar() -> None:
    """Division by a number, an int included."""
    np.testing.assert_array_equal(ops.div_scalar(np.array(A), -4), _each(lambda a: a / -4, A))


def test_matmul_is_a_sum_of_products() -> None:
    """Rows times columns for each batch; the batch axes broadcast from the right."""
    a, b = np.arange(24.0).reshape(2, 1, 3, 4), np.arange(40.0).reshape(5, 4, 2)
    expected = np.zeros((2, 5, 3, 2))
    for i, j, r, c in np.ndindex(*expected.shape):
        expected[i, j, r, c] = sum(a[i, 0, r, k] * b[j, k, c] for k in range(4))

    np.testing.assert_array_equal(ops.matmul(a, b), expected)


def test_matmul_is_blas() -> None:
    """Two matrices, by scipy's BLAS."""
    np.testing.assert_allclose(ops.matmul(np.array(A), np.array(B)), linalg.blas.dgemm(1.0, A, B), rtol=1e-15)


@pytest.mark.parametrize("axes", [None, 0, -1, (1,), (0, 2), (0, 1, 2)])
def test_summation(axes: int | tuple[int, ...] | None) -> None:
    """Elements are added up where the kept indices agree."""
    a = np.arange(24.0).reshape(2, 3, 4) ** 2
    summed = range(3) if axes is None else [axis % 3 for axis in np.atleast_1d(axes)]
    kept = [axis for axis in range(3) if axis not in summed]
    expected = np.zeros([a.shape[axis] for axis in kept])
    for index in np.ndindex(*a.shape):
        expected[tuple(index[axis] for axis in kept)] += a[index]

    np.testing.assert_array_equal(ops.summation(a, axes), expected)


@pytest.mark.parametrize(
    ("shape", "target"), [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (2, 3))]
)
def test_broadcast_to(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Indices are dropped on the left and stay 0 along axes of size 1."""
    a = np.arange(1.0, 1 + math.prod(shape)).reshape(shape)

    actual = ops.broadcast_to(a, target)

    assert actual.shape == target
    for index in np.ndindex(*target):
        own = index[len(target) - len(shape) :]
        assert actual[index] == a[tuple(0 if n == 1 else i for i, n in zip(own, shape, strict=True))]


def test_reshape_is_row_major() -> None:
    """The elements come in the order of nested loops."""
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

    assert ops.reshape(np.array(rows), (3, 2)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert list(itertools.chain(*rows)) == ops.reshape(np.array(rows), (6,)).tolist()


@pytest.mark.parametrize("axes", [None, (0, 1), (2, 0)])
def test_transpose_swaps_a_pair(axes: tuple[int, int] | None) -> None:
    """Two indices change places, the last two for None."""
    a = np.arange(24.0).reshape(2, 3, 4)
    first, second = axes or (1, 2)

    actual = ops.transpose(a, axes)

    for index in np.ndindex(*a.shape):
        swapped = list(index)
        swapped[first], swapped[second] = index[second], index[first]
        assert actual[tuple(swapped)] == a[index]


def test_losses_are_scipys() -> None:
    """LogSoftmax and the softmax loss; stable at 1e4."""
    z, y = np.array([[1.0, -2.0, 0.5], [1e4, 9998.0, -1e4]]), np.eye(3)[[2, 1]]

    np.testing.assert_allclose(ops.logsoftmax(z), special.log_softmax(z, axis=1), atol=1e-11)
    np.testing.assert_allclose(
        ops.softmax_loss(z, y), -np.mean(special.log_softmax(z, axis=1)[[0, 1], [2, 1]])
    )
