"""How the scores are distributed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Count, mean, quartiles, least and most, how many have full marks."""

    count: int
    mean: float
    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    full: int


def spread(scores: Sequence[float], most: float) -> Spread:
    """Return the figures of some scores; quartiles are those of `statistics.quantiles`, inclusive."""
    if not scores:
        return Spread(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0)
    quarters = statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else [scores[0]] * 3
    mean = statistics.fmean(scores)
    quarter, median, three_quarters = (round(one, 2) for one in quarters)
    full = sum(score >= most for score in scores)
    low, high = min(scores), max(scores)
    return Spread(len(scores), round(mean, 2), low, quarter, median, three_quarters, high, full)
