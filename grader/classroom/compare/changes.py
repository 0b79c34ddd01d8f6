"""What changed between two gradings: check by check up, down or same, and what can have caused it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.compare.rows import Row

UP, DOWN = "up", "down"
CODE, GRADER, ENVIRONMENT, SEED = "code", "grader", "environment", "seed"
UNKNOWN, NOTHING = "perhaps the code (a report does not hold it)", "nothing that was recorded"
FINE = "p"


@dataclass(frozen=True)
class Step:
    """A check whose verdict is another than before, as letters; `way` is "up", "down" or "other"."""

    check: str
    before: str
    after: str
    way: str


@dataclass(frozen=True)
class Change:
    """One submission before and after: places of the rows, the checks that differ, what can be the cause."""

    old: int
    new: int
    before: float
    after: float
    steps: tuple[Step, ...]
    same: int
    causes: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Tell whether a result is another than before."""
        return bool(self.steps) or self.before != self.after


def changes(old: Sequence[Row], new: Sequence[Row]) -> list[Change]:
    """Return a change for each student in both runs, in the order of `new`."""
    places = {one.student: place for place, one in enumerate(old)}
    pairs = [(places[one.student], place) for place, one in enumerate(new) if one.student in places]
    return [_change(before, after, old[before], new[after]) for before, after in pairs]


def compared(old: Row, new: Row) -> Change:
    """Return the change from one row to another, whoever's they are."""
    return _change(0, 0, old, new)


def _change(place: int, new_place: int, old: Row, new: Row) -> Change:
    checks = [check for check in new.verdicts if check in old.verdicts]
    steps = [_step(check, old.verdicts[check], new.verdicts[check]) for check in checks]
    differ = tuple(step for step in steps if step.before != step.after)
    same = len(steps) - len(differ)
    return Change(place, new_place, old.score, new.score, differ, same, tuple(causes(old, new)))


def _step(check: str, before: str, after: str) -> Step:
    if FINE in (before, after) and before != after:
        return Step(check, before, after, UP if after == FINE else DOWN)
    return Step(check, before, after, "other")


def causes(old: Row, new: Row) -> Iterable[str]:
    """Yield all that differs between two gradings and could have changed a verdict.

    Where nothing that was recorded differs, the reason lies in time or in chance.
    """
    found = []
    if old.content and new.content:
        found += [CODE] if old.content != new.content else []
    else:
        found.append(UNKNOWN)
    found += [
        f"{kind} ({name} {old.conditions.get(key, '?')} -> {new.conditions.get(key, '?')})"
        for kind, name, key in CONDITIONS
        if old.conditions.get(key) != new.conditions.get(key)
    ]
    return found or [NOTHING]


CONDITIONS = (
    (GRADER, "version", "grader"),
    (ENVIRONMENT, "python", "python"),
    (ENVIRONMENT, "numpy", "numpy"),
    (ENVIRONMENT, "platform", "platform"),
    (SEED, "seed", "seed"),
)
