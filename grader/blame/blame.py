"""Finds the functions that explain failed checks, by experiment.

An experiment runs one failed check again in a fresh worker in which some units of the submission have
been replaced by the reference's. A set of units that makes the check pass, and of which none can be
left out, is a cause.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from grader.blame.search import smallest
from grader.blame.units import Unit
from grader.report import model
from grader.report.model import Cause, CheckResult

Experiment = Callable[[str, Sequence[Unit]], bool]
OUTSIDE = (
    "no function of the reference mends this: the fault lies outside the solution functions; "
    "was the scaffold edited?"
)


class OutOfTime(Exception):
    """Raised when the time for experiments is used up."""


@dataclass
class Blame:
    """The search for causes in one report.

    `passes(check id, units)` makes an experiment. `isolated` are checks whose failure names their
    function by itself, as `function_of` says; they cost nothing.
    """

    units: Sequence[Unit]
    passes: Experiment
    function_of: Callable[[str], str]
    isolated: Callable[[str], bool]
    seconds: float = 5.0
    experiments: int = 0
    explained: dict[str, list[str]] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    cut_short: list[str] = field(default_factory=list)

    def find(self, checks: Iterable[CheckResult]) -> None:
        """Explain every failed check of a run, as far as the time allows."""
        self._deadline = time.monotonic() + self.seconds
        failed = [check for check in checks if is_open(check)]
        for check in failed:
            if self.isolated(check.id):
                self.explained[check.id] = [self.function_of(check.id)]
        for check in failed:
            if check.id not in self.explained:
                try:
                    self._explain(check.id)
                except OutOfTime:
                    self.cut_short.append(check.id)

    def _explain(self, check: str) -> None:
        by_name = {unit.name: unit for unit in self.units}
        known = [by_name[name] for names in self.explained.values() for name in names if name in by_name]
        own = [unit for unit in self.units if covers(unit.name, self.function_of(check))]
        for candidates in (list(dict.fromkeys(known)), own, list(self.units)):
            if candidates and self._helps(check, candidates):
                found = smallest(candidates, lambda units: self._helps(check, units))
                self.explained[check] = [unit.name for unit in found]
                return
        self.outside.append(check)

    def _helps(self, check: str, units: Sequence[Unit]) -> bool:
        if time.monotonic() > self._deadline:
            raise OutOfTime
        self.experiments += 1
        return self.passes(check, units)


def covers(unit: str, function: str) -> bool:
    """Tell whether a unit is a function, or the class that it is a method of."""
    return function == unit or function.startswith(f"{unit}.")


def is_open(check: CheckResult) -> bool:
    """Tell whether a check failed of a fault (not blocked, not unfilled, not left out)."""
    verdicts = (model.FAILED, model.ERROR, model.TIMEOUT, model.CRASHED)
    return check.verdict in verdicts and not check.unfilled and not check.measurements.get("grader_fault")


def causes(blame: Blame, checks: Sequence[CheckResult]) -> list[Cause]:
    """Return one cause per set of functions, with every check it explains, blocked ones included.

    The cause that explains the most points comes first.
    """
    by_id = {check.id: check for check in checks}
    alone = {names[0] for names in blame.explained.values() if len(names) == 1}
    explains: dict[tuple[str, ...], list[str]] = {}
    for check in checks:
        root = check
        while root.blocked_by in by_id:
            root = by_id[root.blocked_by]
        functions = tuple(blame.explained.get(root.id, ()))
        for one in _apart(functions, alone):
            explains.setdefault(one, []).append(check.id)
    found = [_cause(functions, [by_id[one] for one in ids]) for functions, ids in explains.items()]
    lost = {id(cause): sum(by_id[one].max_points for one in cause.explains) for cause in found}
    return sorted(found, key=lambda cause: -lost[id(cause)])


def _apart(functions: tuple[str, ...], alone: set[str]) -> list[tuple[str, ...]]:
    """Return a set of functions as single causes when each of them is a cause by itself elsewhere."""
    if len(functions) > 1 and alone.issuperset(functions):
        return [(name,) for name in functions]
    return [functions] if functions else []


def _cause(functions: tuple[str, ...], checks: list[CheckResult]) -> Cause:
    named = [
        check.location for check in checks if check.location and check.location.get("function") in functions
    ]
    place = named[0] if named else None
    return Cause(
        list(functions),
        str(place["file"]) if place else "",
        int(place["line"]) if place else 0,
        [check.id for check in checks],
    )
