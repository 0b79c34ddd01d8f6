"""Causes of a run's failures, and the points that are kept because a fault lies elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader import places
from grader.blame import ranking
from grader.blame.blame import FEW_EDITS, Blame, is_open
from grader.blame.units import HOMES, Unit, covers, given, joined, states, units
from grader.classroom import lines
from grader.homework.experiments import Experiments
from grader.homework.run import Run
from grader.report.model import BLOCKED, Cause

# Points depend on the outcome with `--follow-through`: a slow machine must not change them.
SECONDS, THOROUGH_SECONDS = 5.0, 60.0
LONGEST = 3.0
SHOWN = 6
WITHOUT = (
    "causes were not looked for by experiment: reference/ is not here, and the functions named are those "
    "of the failed checks"
)
OUTSIDE = "the fault lies outside the solution functions: was the scaffold edited?"


@dataclass
class Findings:
    """What a search has found: the causes, and for each of their functions its unit."""

    causes: list[Cause] = field(default_factory=list)
    units: dict[str, Unit] = field(default_factory=dict)
    search: Blame | None = None


def find_causes(run: Run, *, thorough: bool = False) -> Findings:
    """Explain the failed checks by experiments with the reference's functions; note what stays open."""
    checks = list(run.results.values())
    if run.homework.id not in HOMES or not any(is_open(check) for check in checks):
        return Findings()
    search = _search(run, THOROUGH_SECONDS if thorough else SECONDS)
    search.find(checks)
    for check in checks:
        check.blame = list(search.explained.get(check.id, ()))
    by_name = {unit.name: unit for unit in [*search.units, *search.changed()]}
    _note(run, search, by_name)
    named = {name for names in search.explained.values() for name in names}
    known = {name: by_name[name].path for name in sorted(named & by_name.keys())}
    asked = {"paths": list(known.values())}
    found = Experiments(run).ask("blame.places", asked).get("places", []) if known else []
    written = dict(zip(known, found, strict=False))
    strange = {name for name in known if by_name[name].given}
    causes = ranking.causes(search.explained, checks, written, strange)
    lines.find(run, causes, by_name)
    return Findings(causes, by_name, search)


def _search(run: Run, seconds: float) -> Blame:
    by_id = {check.id: check for check in run.homework.checks()}
    beside = Experiments(run)
    tried = units(run.homework.id, places.REFERENCE)
    if any(is_open(check) and not by_id[check.id].isolated for check in run.results.values()):
        shared = beside.ask("blame.sharing", {}, states(tried)).get("sharing", []) if tried else []
        tried = tuple(joined(tried, set(shared), given(run.homework.id, places.REFERENCE)))
    return Blame(
        tried,
        lambda check, those, limit: beside.passes_with(check, [unit.as_dict() for unit in those], limit),
        lambda check: by_id[check].target,
        lambda check: by_id[check].isolated,
        lambda: _edited(run),
        seconds,
        run.limits.check_seconds if seconds > SECONDS else LONGEST,
    )


def _edited(run: Run) -> list[Unit]:
    """Return the units of the scaffold that are not as they were given, in more than wording."""
    scaffold = given(run.homework.id, places.REFERENCE)
    asked = [[unit.name, unit.dedented] for unit in scaffold]
    names = set(Experiments(run).ask("blame.edited", {}, asked).get("edited", [])) if scaffold else set()
    return [unit for unit in scaffold if unit.name in names]


def _note(run: Run, search: Blame, by_name: dict[str, Unit]) -> None:
    """Say what the search could not do, and what lies outside the functions a student writes."""
    few = len(search.changed()) <= FEW_EDITS
    for check, names in search.explained.items():
        strange = [name for name in names if name in by_name and by_name[name].given]
        if strange:  # what helps with the check's own function leads astray here
            result = run.results[check]
            if few and result.verdict != BLOCKED:
                result.message = f"{_some(strange)} was edited outside the solution marks: {result.message}"
            result.help = "put back what was given" if few else f"{_some(strange)}: {OUTSIDE}"
    if not search.units:
        _say(run, "no-reference", WITHOUT)
    elif search.outside:
        changed = [unit.name for unit in search.changed()]
        text = f"{_some(search.outside)}: no function of the reference mends this: {OUTSIDE}"
        _say(run, "outside", text + (f" not as given: {_some(changed)}" if changed else ""))
    if search.cut_short:
        text = f"the search for causes was cut short after {search.seconds:.0f} s; open: "
        _say(run, "cut-short", text + _some(search.cut_short))


def _say(run: Run, kind: str, text: str) -> None:
    run.facts.notes.append({"id": kind, "message": text})


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def follow_through(run: Run, found: Findings) -> set[str]:
    """Return the checks that pass once the functions at fault, which are not their own, are replaced.

    A mistake is paid for once: by the checks of the function that has it.
    """
    targets = {check.id: check.target for check in run.homework.checks()}
    faults: dict[str, set[str]] = {}
    for cause in found.causes:
        for check in cause.explains:
            faults.setdefault(check, set()).update(cause.functions)
    kept = set()
    for check, names in faults.items():
        at_fault = [found.units[name] for name in sorted(names) if name in found.units]
        own = any(covers(unit.path, targets[check]) for unit in at_fault)
        if len(at_fault) == len(names) and not own and _passes(found, check, at_fault):
            kept.add(check)
    return kept


def _passes(found: Findings, check: str, at_fault: list[Unit]) -> bool:
    return found.search is not None and found.search.tries(check, at_fault)
