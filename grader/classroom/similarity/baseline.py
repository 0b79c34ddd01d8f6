"""How much two right solutions share that were written without each other, as measured on `tests/bank`.

`benchmarks/similarity.py` measures it and writes `baseline.json`; `tests/similarity` says when it is stale.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("baseline.json")


@dataclass(frozen=True)
class Baseline:
    """Shares (0 to 1) of pairs of independent right solutions: the median one, and the most of all."""

    solutions: int
    pairs: int
    median: float
    most: float

    @property
    def text(self) -> str:
        """Return the baseline in a sentence."""
        return (
            f"Right solutions that were written independently share something too: up to "
            f"{percent(self.most)} %, {percent(self.median)} % in the middle ({self.pairs} pairs of "
            f"{self.solutions} solutions, each in a style of its own)."
        )


@functools.cache
def baseline(homework: str) -> Baseline:
    """Return the baseline of a homework."""
    return Baseline(**json.loads(FILE.read_text(encoding="utf-8"))["homework"][homework])


def percent(share: float) -> float:
    """Return a share in percent with one decimal."""
    return round(100 * share, 1)
