"""Finds the functions that explain failed checks, by experiment.

An experiment runs one failed check again in a fresh worker in which some units of the submission have
been replaced by the reference's. A set of units that makes the check pass, and of which none can be
left out, is a cause.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grader.blame.search import smallest
from grader.blame.units import Unit, covers, function_name, helpers_of
from grader.report import model
from grader.report.model import CheckResult

Experiment = Callable[[str, Sequence[Unit], float], bool]
Names = tuple[str, ...]
# More functions than these fail by themselves: it is likely that they have one cause.
MANY = 3
SHORTEST = 0.5  # seconds that every experiment may take
SECOND_LOOKS = 8
# Where more of what was given differs than this, it is another starter rather than an edit.
FEW_EDITS = 12


class OutOfTime(Exception):
    """Raised when the time for experiments is used up."""


@dataclass
class Blame:
    """The search for causes in one report.

    `passes(check id, units, seconds)` makes an experiment. `target_of` gives a check's function (a
    dotted path); an `isolated` check fails by its target alone, as long as what computes is right.
    `edited` is asked for the given units that the submission has changed: a few are tried first, many
    once nothing else helps.
    All experiments together may take `seconds`, one of them `longest`.
    """

    units: Sequence[Unit]
    passes: Experiment
    target_of: Callable[[str], str]
    isolated: Callable[[str], bool]
    edited: Callable[[], Sequence[Unit]] = tuple
    seconds: float = 5.0
    longest: float = 3.0
    experiments: int = 0
    explained: dict[str, Names] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    cut_short: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known: dict[str, Unit] = {}
        self._outcomes: dict[tuple[str, frozenset[str]], bool] = {}
        self._limits: dict[str, float] = {}
        self._given: Sequence[Unit] | None = None

    def find(self, checks: Iterable[CheckResult]) -> None:
        """Explain every failed check of a run, as far as the time allows."""
        self._deadline = time.monotonic() + self.seconds
        failed = [check.id for check in checks if is_open(check)]
        alone = [check for check in failed if self.isolated(check)]
        others = [check for check in failed if not self.isolated(check)]
        suspicious = len({self.target_of(check) for check in alone}) > MANY
        self._try("", self._suspect_edits, [*others[:1], *alone[:1]])
        # what computes first: a gradient is made of it
        alone.sort(key=lambda check: self.target_of(check).endswith(".gradient"))
        for check in alone:
            self._try(check, self._named, suspicious)
        for check in others:
            self._try(check, self._explain)
        self._try("", self._look_again, others)
        self._try("", self._doubt, alone)

    def tries(self, check: str, units: Sequence[Unit]) -> bool:
        """Tell whether a check passes with some units replaced; no when there is no time left to try."""
        try:
            return self.helps(check, units)
        except OutOfTime:
            return False

    def changed(self) -> Sequence[Unit]:
        """Return the given units that the submission has changed, () when nobody had to ask."""
        return self._given or ()

    def helps(self, check: str, units: Sequence[Unit]) -> bool:
        """Tell whether a check passes with some units replaced; each experiment is made once."""
        key = check, frozenset(unit.path for unit in units)
        if key not in self._outcomes:
            if time.monotonic() > self._deadline:
                raise OutOfTime
            started = time.monotonic()
            self.experiments += 1
            self._outcomes[key] = self.passes(check, units, self._limits.get(check, self.longest))
            if self._outcomes[key]:  # what takes much longer than this will not pass
                took = time.monotonic() - started
                self._limits[check] = min(self.longest, max(SHORTEST, 5 * took))
        return self._outcomes[key]

    def _try(self, check: str, explain: Callable[..., None], *arguments: object) -> None:
        try:
            explain(check, *arguments) if check else explain(*arguments)
        except OutOfTime:
            if check:
                self.cut_short.append(check)

    def _own(self, check: str) -> list[Unit]:
        """Return the units that a check is about, what they lean on first."""
        target = self.target_of(check)
        own = [unit for unit in self.units if covers(unit.path, target)]
        return [one for unit in own for one in (*helpers_of(unit, self.units), unit)]

    def _suspect_edits(self, checks: Sequence[str]) -> None:
        """Try a few edits of what was given, on one check of each kind, before a student's own functions."""
        given = self._edited() if checks else ()
        for check in checks if 0 < len(given) <= FEW_EDITS else ():
            if self.helps(check, given):
                self._note(check, self._smallest(check, given))
                return

    def _named(self, check: str, suspicious: bool) -> None:
        """Explain a check that names its function by itself, with experiments only where there is doubt."""
        own = self._own(check)
        doubtful = suspicious or len(own) != 1
        leaning = self.target_of(check).endswith(".gradient") or self._scaffold()
        if leaning and self._explain_by_known(check):
            return
        for unit in own if doubtful else []:
            if self.helps(check, [unit]):
                self._note(check, [unit])
                return
        if suspicious and own:
            self._explain(check)
        else:
            names = own[-1:]
            self._note(check, names)
            self.explained.setdefault(check, (function_name(self.target_of(check)),))

    def _explain_by_known(self, check: str) -> bool:
        known = list(self._known.values())
        if not known or not self.helps(check, known):
            return False
        self._note(check, self._smallest(check, known))
        return True

    def _explain(self, check: str) -> None:
        if self._explain_by_known(check):
            return
        for unit in self._own(check):
            if self.helps(check, [unit]):
                self._note(check, [unit])
                return
        for candidates in self._wider(check):
            if candidates and self.helps(check, candidates):
                self._note(check, self._smallest(check, candidates))
                return
        self.outside.append(check)

    def _wider(self, check: str) -> Iterator[list[Unit]]:
        """Yield sets of units to search in, the likelier first."""
        known, own = list(self._known.values()), self._own(check)
        if known and own:
            yield _unique([*known, *own])
        yield _unique([*known, *own, *self.units])
        given = self._edited()
        if given:
            yield list(given)
            yield _unique([*known, *self.units, *given])

    def _edited(self) -> Sequence[Unit]:
        if self._given is None:
            self._given = self.edited()
        return self._given

    def _scaffold(self) -> list[Unit]:
        """Return the given units that are known to be at fault."""
        return [unit for unit in self._known.values() if unit.given]

    def _smallest(self, check: str, candidates: Sequence[Unit]) -> list[Unit]:
        return smallest(candidates, lambda units: self.helps(check, units))

    def _note(self, check: str, units: Sequence[Unit]) -> None:
        if units:
            self.explained[check] = tuple(unit.name for unit in units)
            self._known.update({unit.path: unit for unit in units})

    def _look_again(self, checks: Sequence[str]) -> None:
        """Try the causes that explain most on what has another cause: it may only have avoided the fault."""
        by_name = {unit.name: unit for unit in self._known.values()}
        counts: dict[Names, int] = {}
        for names in self.explained.values():
            counts[names] = counts.get(names, 0) + 1
        tried = 0
        for names in sorted(counts, key=lambda names: counts[names]):
            mine = [check for check in checks if self.explained.get(check) == names]
            rivals = [one for one in counts if counts[one] > counts[names] and len(one) == 1]
            for rival in sorted(rivals, key=lambda one: -counts[one]):
                tried += 1
                units = [by_name[name] for name in rival if name in by_name]
                if mine and units and tried <= SECOND_LOOKS and all(self.helps(c, units) for c in mine):
                    self.explained.update(dict.fromkeys(mine, rival))
                    break

    def _doubt(self, alone: Sequence[str]) -> None:
        """Take back what a check said of its own function if the scaffold turned out to be at fault."""
        scaffold = self._scaffold()
        for check in alone if scaffold else []:
            if self.helps(check, scaffold):
                self._note(check, self._smallest(check, scaffold))


def _unique(units: Iterable[Unit]) -> list[Unit]:
    return list({unit.path: unit for unit in units}.values())


def is_open(check: CheckResult) -> bool:
    """Tell whether a check failed of a fault (not blocked, not unfilled, not left out)."""
    verdicts = (model.FAILED, model.ERROR, model.TIMEOUT, model.CRASHED)
    return check.verdict in verdicts and not check.unfilled and not check.measurements.get("grader_fault")
