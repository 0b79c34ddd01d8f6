"""Both sources draw the same kinds of things; a seeded one always the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.source import HypothesisSource, RandomSource, Source, plain, seeded, shape_of

RANGES = [
    (-2.0, 2.0, 0.25),
    (0.5, 2.0, 0.5),
    (-2.0, 2.0, 0.5),
    (-1.0, 1.0, 0.0),
    (-3.0, 3.0, 0.0),
    (0.0, 0.1, 0.0),
]


def _holds(source: Source, low: float, high: float, gap: float) -> None:
    shape = shape_of(source, 0, 3)
    values = source.values(shape, low, high, gap)
    assert values.shape == shape
    assert values.dtype == np.float64
    assert np.all((low <= values) & (values <= high) & (np.abs(values) >= gap))
    assert 2 <= source.integer(2, 5) <= 5
    assert source.choice("abc") in "abc"
    assert len(shape_of(source, 1, 2, 4)) in (1, 2)


@pytest.mark.parametrize(("low", "high", "gap"), RANGES)
def test_random_source(low: float, high: float, gap: float) -> None:
    """Values lie in the range, none nearer to 0 than the gap, in the shape asked for."""
    for seed in range(30):
        _holds(seeded(seed, "test"), low, high, gap)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from(RANGES))
def test_hypothesis_source(data: st.DataObject, bounds: tuple[float, float, float]) -> None:
    """The same from Hypothesis."""
    _holds(HypothesisSource(data), *bounds)


def test_every_integer_and_option_is_drawn() -> None:
    """Both ends of a range, and each option."""
    source = seeded(0)

    assert {source.integer(-1, 1) for _ in range(60)} == {-1, 0, 1}
    assert {source.choice("ab") for _ in range(60)} == {"a", "b"}


def _numbers(*seed_and_words: int | str | bytes) -> list[float]:
    seed, *words = seed_and_words
    return list(seeded(seed, *words).values((4,), -1.0, 1.0))  # type: ignore[arg-type]


def test_seeded() -> None:
    """Same seed and words, same numbers; other words, other splits of them, other seeds: others."""
    one = _numbers(0, "hw1", "a.b")

    assert one == _numbers(0, "hw1", "a.b")
    others = [
        (0, "hw1", "a.c"),
        (0, "hw2", "a.b"),
        (1, "hw1", "a.b"),
        (0, "hw1a", ".b"),
        (b"0x", "hw1", "a.b"),
    ]
    assert all(one != _numbers(*other) for other in others)


def test_whole_values_zero_is_moved_away() -> None:
    """A drawn 0 becomes the gap."""

    class Zeros:
        def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
            return np.zeros(shape)

    assert RandomSource(Zeros()).values((2,), -1.0, 1.0, 0.25).tolist() == [0.25, 0.25]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "expected"),
    [((1, (2, 3)), [1, [2, 3]]), ([np.int64(1)], [1]), (None, None), (np.float64(0.5), 0.5)],
)
def test_plain(value: object, expected: object) -> None:
    """Tuples become lists, numpy's numbers Python's."""
    assert plain(value) == expected
