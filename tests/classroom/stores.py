"""What a store says, without what may differ from run to run.

That are times, and what a limit on time decides: how small a counterexample became, how far the search for
causes got. Verdicts and points depend on neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.classroom import store

VARIES = frozenset({"seconds", "confinement", "peak_rss_mb"})


def essence(path: Path) -> dict[str, Any]:
    """Everything in a store that two runs on the same class must agree on."""
    with store.open(path) as db:
        return {
            "runs": [(one.homework, one.seed, one.options, one.finished is not None) for one in db.runs()],
            "counting": {run.id: sorted(one.student for one in db.gradings(run)) for run in db.runs()},
            "gradings": sorted(
                (one.student, one.key, one.run, one.score, one.failed, _verdicts(one))
                for one in db.gradings()
            ),
            "problems": sorted(
                (one.run, one.student, one.source, one.kind, one.reason) for one in db.problems()
            ),
            "students": db.students(),
        }


def _verdicts(grading: store.Grading) -> list[tuple[str, str, float]]:
    return [(check.id, check.verdict, check.points) for check in grading.report().checks()]


def equal_reports(one: Path, other: Path) -> tuple[int, int]:
    """How many reports of two stores are the same in all but times and memory, and how many there are."""
    with store.open(one) as first, store.open(other) as second:
        reports = {grading.key: repr(steady(grading.data())) for grading in first.gradings()}
        return sum(reports.get(one.key) == repr(steady(one.data())) for one in second.gradings()), len(
            reports
        )


def steady(value: Any) -> Any:
    """A piece of a report without times."""
    if isinstance(value, dict):
        return {name: steady(inner) for name, inner in value.items() if name not in VARIES}
    return [steady(inner) for inner in value] if isinstance(value, list) else value
