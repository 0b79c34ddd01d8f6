"""Where a generated input takes its choices from: a seeded generator, or Hypothesis when shrinking.

A generator is written once against `Source`. The green path draws from numpy; after a failure the same
generator draws from Hypothesis, which then finds the smallest input that still fails.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

T = TypeVar("T")
GRID = (2.0, 3.0, 1.0, -1.0, 0.5, -2.0, 1.5, 0.25, -0.5, 0.75, 1.25, -1.5, 1.75, -3.0)
WHOLE = 4  # the grid begins with so many whole numbers
PATTERNS = ((1, 0), (0, 0), (1, 3), (2, 1), (3, 5))  # (stride, offset) through the grid


class Source(Protocol):
    """What generators may draw."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included; smaller is simpler."""

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options; earlier ones are simpler."""

    def values(self, shape: tuple[int, ...], low: float, high: float, gap: float = 0.0) -> np.ndarray:
        """Return float64 values in [low, high], none nearer to 0 than `gap`."""


class RandomSource:
    """Draws from a numpy generator."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def integer(self, low: int, high: int) -> int:
        """Return a uniform integer."""
        return int(self.generator.integers(low, high + 1))

    def choice(self, options: Sequence[T]) -> T:
        """Return a uniform choice."""
        return options[int(self.generator.integers(len(options)))]

    def values(self, shape: tuple[int, ...], low: float, high: float, gap: float = 0.0) -> np.ndarray:
        """Return uniform values."""
        drawn = self.generator.uniform(low, high, shape)
        if gap:
            away = np.sign(drawn) * (gap + np.abs(drawn) * (1 - gap / max(abs(low), abs(high))))
            drawn = np.where(drawn == 0, gap, away)
        return np.asarray(drawn)


class HypothesisSource:
    """Draws from a Hypothesis data object; values come from a small grid of readable numbers."""

    def __init__(self, data: DataObject) -> None:
        self.data = data
        self.arrays = 0

    def integer(self, low: int, high: int) -> int:
        """Return a drawn integer."""
        from hypothesis import strategies

        return self.data.draw(strategies.integers(low, high))

    def choice(self, options: Sequence[T]) -> T:
        """Return a drawn option."""
        return options[self.integer(0, len(options) - 1)]

    def values(self, shape: tuple[int, ...], low: float, high: float, gap: float = 0.0) -> np.ndarray:
        """Return readable numbers in one of a few patterns, the simplest first.

        Each array begins one number further on: where all hold the same, nobody sees which went where.
        One draw per array, not one per element: a search then tries hundreds of inputs in a second.
        """
        grid = [value for value in GRID if low <= value <= high and abs(value) >= gap] or [(low + high) / 2]
        stride, offset = self.choice(PATTERNS)
        offset, self.arrays = offset + self.arrays % WHOLE, self.arrays + 1
        indices = (offset + stride * np.arange(int(np.prod(shape)))) % len(grid)
        return np.array(grid)[indices].reshape(shape)


def seeded(seed: int | bytes, *words: str) -> RandomSource:
    """Return a source for one check: HMAC of (homework, check) under the seed, so that none repeats."""
    key = seed if isinstance(seed, bytes) else str(seed).encode()
    digest = hmac.new(key, "\0".join(words).encode(), hashlib.sha256).digest()
    return RandomSource(np.random.default_rng(list(digest)))


def shape_of(source: Source, fewest: int, most: int, side: int = 3) -> tuple[int, ...]:
    """Return a shape of `fewest` to `most` axes with sides from 1 to `side`."""
    return tuple(source.integer(1, side) for _ in range(source.integer(fewest, most)))


def plain(value: Any) -> Any:
    """Return parameters as JSON has them: tuples become lists."""
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value
