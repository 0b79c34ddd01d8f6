"""What a store says, without what may differ from run to run: times, process numbers, the order of gradings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.classroom import store

VARIES = frozenset({"seconds", "confinement"})


def essence(path: Path) -> dict[str, Any]:
    """Everything in a store that two runs on the same class must agree on."""
    with store.open(path) as db:
        return {
            "runs": [(one.homework, one.seed, one.options, one.finished is not None) for one in db.runs()],
            "counting": {run.id: sorted(one.student for one in db.gradings(run)) for run in db.runs()},
            "gradings": sorted(
                (one.student, one.key, one.run, one.score, one.failed, repr(steady(one.data())))
                for one in db.gradings()
            ),
            "problems": sorted(
                (one.run, one.student, one.source, one.kind, one.reason) for one in db.problems()
            ),
            "students": db.students(),
        }


def steady(value: Any) -> Any:
    """A piece of a report without times."""
    if isinstance(value, dict):
        return {name: steady(inner) for name, inner in value.items() if name not in VARIES}
    return [steady(inner) for inner in value] if isinstance(value, list) else value
