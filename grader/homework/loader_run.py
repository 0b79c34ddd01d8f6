"""A loader over numbered rows, and the passes over it: what the checks of DataLoader try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.judge.source import Source

FIRST = 10  # the first sample: none looks like a size or a position
MANY = 40  # rows: two random orders of so many are never equal


@dataclass(frozen=True)
class Loader:
    """A loader over `count` rows, and after how many batches each pass is left (None: at its end)."""

    count: int
    batch_size: int
    shuffle: bool = False
    passes: tuple[int | None, ...] = (None, None)
    seed: int = 0
    nested: bool = False
    parts: int = 2

    def arrays(self) -> list[np.ndarray]:
        """Return rows that tell their number: X `(count, 2)` float32, all others `(count,)` uint8."""
        numbers = FIRST + np.arange(self.count)
        images = np.stack([numbers, numbers + 0.5], axis=1).astype(np.float32)
        return [images, *[numbers.astype(np.uint8)] * (self.parts - 1)]

    def arguments(self) -> dict[str, Any]:
        """Return what the probe is told."""
        return {
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "seed": self.seed,
            "passes": list(self.passes),
            "nested": self.nested,
        }

    def shown(self) -> dict[str, Any]:
        """Return the loader as the report shows it."""
        left = [stop for stop in self.passes if stop]
        shown: dict[str, Any] = {
            "samples": f"{self.count}: {FIRST} to {FIRST + self.count - 1}",
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
        }
        if self.parts != 2:
            shown["number of arrays"] = self.parts
        return shown | ({"first pass left after batch": left[0]} if left else {})


def draw_loader(source: Source, *, even: bool) -> Loader:
    """Return a loader of one to four batches of one to four rows; `even`: no short batch."""
    size = source.integer(1 if even else 2, 4)
    count = size * source.integer(1, 4) + (0 if even else source.integer(1, size - 1))
    return Loader(count, size)
