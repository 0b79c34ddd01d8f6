"""What came of the course's tests: one outcome for each `submit_*` function."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

PASSED, FAILED, NOT_RUN = "passed", "failed", "not-run"
DATA_MISSING = "not run: data missing"


@dataclass
class Outcome:
    """One function: its verdict, how many values were right, the first that is not, both texts of it.

    `case` counts from 1, as the calls of `mugrade.submit` do.
    """

    file: str
    function: str
    verdict: str
    values: int = 0
    case: int | None = None
    message: str = ""
    actual: str = ""
    expected: str = ""
    location: dict[str, Any] | None = None
    seconds: float = 0.0


@dataclass
class Results:
    """All outcomes of one submission."""

    homework: str
    submission: str
    tests: str
    outcomes: list[Outcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, verdict: str) -> int:
        """Return how many functions have a verdict."""
        return sum(one.verdict == verdict for one in self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """Return the results as plain data."""
        return {"schema": 1, **asdict(self)}
