"""For causes that are one function: the line of it in which one small change makes its checks pass."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from grader import places
from grader.blame import nearby
from grader.blame.units import Unit, covers
from grader.classroom import excerpts
from grader.homework.experiments import Experiments
from grader.homework.run import Run
from grader.report.model import FAILED, Cause

SECONDS = 4.0  # for all causes together; as a rule the number of changes is what ends it


def find(run: Run, causes: Sequence[Cause], units: Mapping[str, Unit]) -> None:
    """Have the failure that shows a cause name that line; where there is none, nothing is said."""
    deadline = time.monotonic() + SECONDS
    suspects = [one for cause in causes if (one := _suspect(run, cause, units)) is not None]
    suspects.sort(key=lambda one: run.results[one.check].known_mistake is not None)
    for suspect in suspects:
        left = deadline - time.monotonic()
        line = nearby.line_that_helps(Experiments(run), suspect, left) if left > 0 else None
        if line is not None:
            result = run.results[suspect.check]
            result.location = {**(result.location or {}), "file": suspect.file, "line": line}
            result.measurements["line_that_helps"] = line


def _suspect(run: Run, cause: Cause, units: Mapping[str, Unit]) -> nearby.Suspect | None:
    """Return the check that shows a cause best, if it failed on values and knows no line of its own."""
    unit = units.get(cause.functions[0])
    if unit is None or unit.given or len(cause.functions) > 1:
        return None
    targets = {check.id: check.target for check in run.homework.checks()}
    mine = [run.results[one] for one in cause.explains if covers(unit.path, targets[one])]
    failed = [result for result in mine if result.verdict == FAILED and not result.advice]
    shown = min(failed, key=lambda one: not one.known_mistake, default=None)
    place = run.facts.places.get(targets[shown.id]) if shown is not None else None
    if shown is None or place is None or (shown.location or place)["line"] != place["line"]:
        return None
    target = targets[shown.id]
    others = [one for one in run.results.values() if targets[one.id] == target and not one.advice]
    return nearby.Suspect(
        shown.id,
        tuple(one.id for one in others if one is not shown),
        target,
        place["file"],
        place["line"],
        _handed_out(run, place["file"]),
    )


def _handed_out(run: Run, file: str) -> frozenset[int]:
    """Return the lines of a file that stand in the handout too, outside what is to be written."""
    lines = excerpts.lines(Path(run.zygote.submission["root"]), file)
    given = _given(run.homework.id)
    return frozenset(number for number, line in enumerate(lines, 1) if line.strip() in given)


@cache
def _given(homework: str) -> frozenset[str]:
    from grader.handout import regions  # on the way of failures alone

    found: set[str] = set()
    for file in places.starter(homework).rglob("*.py"):
        found |= {line.strip() for line in regions.outside(file.read_text(encoding="utf-8").splitlines())}
    return frozenset(found)
