"""Causes of a run's failures, and the points that are kept because a fault lies elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from grader import places
from grader.blame.blame import OUTSIDE, Blame, causes, covers, is_open
from grader.blame.units import units
from grader.homework.run import Run
from grader.report.model import Cause


def find_causes(run: Run) -> list[Cause]:
    """Explain the failed checks by experiments with the reference's functions; note what stays open."""
    checks = list(run.results.values())
    if not any(is_open(check) for check in checks):
        return []
    by_id = {check.id: check for check in run.homework.checks()}
    search = Blame(
        units(run.homework.id, places.REFERENCE),
        lambda check, tried: run.passes_with(check, [unit.as_dict() for unit in tried]),
        lambda check: by_id[check].function,
        lambda check: by_id[check].isolated,
    )
    search.find(checks)
    for check in checks:
        check.blame = search.explained.get(check.id, [])
    if search.outside:
        run.facts.notes.append({"id": "outside", "message": f"{', '.join(search.outside)}: {OUTSIDE}"})
    if search.cut_short:
        text = (
            f"the search for causes was cut short after {search.seconds:.0f} s: {', '.join(search.cut_short)}"
        )
        run.facts.notes.append({"id": "cut-short", "message": text})
    return causes(search, checks)


def follow_through(run: Run, found: Sequence[Cause]) -> set[str]:
    """Return the checks that pass once the functions at fault, which are not their own, are replaced.

    A mistake is paid for once: by the checks of the function that has it.
    """
    by_name = {unit.name: unit for unit in units(run.homework.id, places.REFERENCE)}
    functions = {check.id: check.function for check in run.homework.checks()}
    faults: dict[str, set[str]] = {}
    for cause in found:
        for check in cause.explains:
            faults.setdefault(check, set()).update(cause.functions)
    return {
        check
        for check, names in faults.items()
        if not any(covers(name, functions[check]) for name in names)
        and names <= by_name.keys()
        and run.passes_with(check, [by_name[name].as_dict() for name in sorted(names)])
    }
