"""The report: one schema, from which every rendering is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = 1
PASSED, FAILED, ERROR, TIMEOUT = "passed", "failed", "error", "timeout"
CRASHED, BLOCKED, NOT_RUN = "crashed", "blocked", "not-run"


@dataclass
class CheckResult:
    """One check: what was found, the evidence, and what to do next.

    `advice` checks are shown and never scored. `symptom` is what was seen where `message` tells what
    mistake explains it. `unfilled` marks a body that only raises
    NotImplementedError, `blocked_by` names the check that has to pass first. `location` has `file`, `line`,
    `function` and, where the source is at hand, `excerpt`. `seconds` is the grader's own clock.
    """

    id: str
    kind: str
    verdict: str
    points: float
    max_points: float
    advice: bool = False
    title: str = ""
    message: str = ""
    help: str = ""
    symptom: str = ""
    known_mistake: str | None = None
    counterexample: dict[str, Any] | None = None
    expected: Any = None
    actual: Any = None
    location: dict[str, Any] | None = None
    measurements: dict[str, Any] = field(default_factory=dict)
    blame: list[str] = field(default_factory=list)
    unfilled: bool = False
    blocked_by: str | None = None
    followed_through: bool = False
    seconds: float = 0.0
    output: str = ""

    @property
    def passed(self) -> bool:
        """Tell whether the check passed."""
        return self.verdict == PASSED

    @property
    def counts(self) -> bool:
        """Tell whether the check is part of the score."""
        return not self.advice and self.verdict != NOT_RUN


@dataclass
class QuestionResult:
    """One question of the homework with its checks; points are in the course's own scale."""

    id: str
    title: str
    points: float
    max_points: float
    checks: list[CheckResult] = field(default_factory=list)


@dataclass
class Cause:
    """A function whose fault explains failed checks; `excerpt` has the lines of source around it."""

    functions: list[str]
    file: str
    line: int
    explains: list[str]
    excerpt: dict[str, Any] | None = None


@dataclass
class Report:
    """One graded submission; `notes` are remarks on the submission as a whole, never scored.

    `picture` is the data of the graph's picture, only there when it was asked for.
    """

    homework: str
    submission: str
    starter: str
    seed: int | str
    environment: dict[str, str] = field(default_factory=dict)
    confinement: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    score: float = 0.0
    max_score: float = 100.0
    score_without_follow_through: float | None = None
    complete: bool = True
    notes: list[dict[str, Any]] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    questions: list[QuestionResult] = field(default_factory=list)
    schema: int = SCHEMA
    picture: dict[str, Any] | None = None

    def checks(self) -> Iterator[CheckResult]:
        """Yield every check in order."""
        for question in self.questions:
            yield from question.checks

    def waits_for_unfilled(self, check: CheckResult) -> bool:
        """Tell whether a check is unfilled, or blocked in the end by one that is."""
        by_id = {one.id: one for one in self.checks()}
        while check.blocked_by in by_id:
            check = by_id[check.blocked_by]
        return check.unfilled

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data, in the field order of the published schema."""
        data = asdict(self)
        if self.picture is None:
            del data["picture"]
        order = ("schema", "homework", "submission", "starter", "seed", "score", "max_score", "complete")
        return {name: data.pop(name) for name in order} | data

    @property
    def scored_passed(self) -> int:
        """Return how many checks that are part of the score passed."""
        return sum(check.counts and check.passed for check in self.checks())

    @property
    def full_marks(self) -> bool:
        """Tell whether no point was lost."""
        return self.complete and self.score >= self.max_score
