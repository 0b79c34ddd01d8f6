"""The class's mistakes: faults of the same function and symptoms are one, most common first.

Some submissions have two faults in one function, and so both their symptoms at once. Such a set is taken
apart into the sets that others have by themselves, when those are at least as common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.classroom.compare.faults import Fault, Symptom
from grader.classroom.compare.rows import Row

Key = tuple[tuple[str, ...], frozenset[Symptom]]


@dataclass(frozen=True)
class Mistake:
    """A fault that `members` (indices of rows) share; each is counted once.

    `faults` are one of each member, in the order of `members`. `checks` are those that fail through it in
    any member, with how often. `lost` is the mean cost in points.
    """

    functions: tuple[str, ...]
    symptoms: frozenset[Symptom]
    members: tuple[int, ...]
    faults: tuple[Fault, ...]
    checks: dict[str, int]
    lost: float
    advice: bool

    @property
    def count(self) -> int:
        """Return how many submissions have it."""
        return len(self.members)


def mistakes(rows: Sequence[Row]) -> list[Mistake]:
    """Return all mistakes, what costs points before mere advice, then by count, then by cost."""
    whole = Counter(_key(fault) for one in rows for fault in {_key(f): f for f in one.faults}.values())
    members: dict[Key, dict[int, Fault]] = {}
    for index, one in enumerate(rows):
        for fault in one.faults:
            for key in _parts(_key(fault), whole):
                members.setdefault(key, {}).setdefault(index, _narrowed(fault, key, whole))
    found = [_mistake(key, faults) for key, faults in members.items()]
    return sorted(found, key=lambda one: (one.advice, -one.count, -one.lost, one.functions))


def _key(fault: Fault) -> Key:
    return fault.functions, fault.symptoms


def _narrowed(fault: Fault, key: Key, whole: Counter[Key]) -> Fault:
    """Return a fault as a member of one of the parts of its symptoms."""
    return fault if _key(fault) == key else replace(fault, symptoms=key[1])


def _parts(key: Key, whole: Counter[Key]) -> list[Key]:
    """Return the more common sets that a set of symptoms consists of, with what is left over."""
    functions, symptoms = key
    inside = [
        other
        for other, count in whole.items()
        if other[0] == functions and other[1] < symptoms and count >= whole[key]
    ]
    left, parts = set(symptoms), []
    for other in sorted(inside, key=lambda one: (-len(one[1]), -whole[one], sorted(one[1]))):
        if other[1] <= left:
            parts.append(other)
            left -= other[1]
    return [*parts, (functions, frozenset(left))] if left else parts


def _mistake(key: Key, faults: dict[int, Fault]) -> Mistake:
    checks = Counter(check for fault in faults.values() for check in fault.checks)
    whole = [fault for fault in faults.values() if _key(fault) == key] or list(faults.values())
    return Mistake(
        key[0],
        key[1],
        tuple(faults),
        tuple(faults.values()),
        dict(checks.most_common()),
        sum(fault.lost for fault in whole) / len(whole),
        all(fault.advice for fault in faults.values()),
    )


def members_of(found: Iterable[Mistake], size: int) -> list[list[int]]:
    """Return for each row the places of its mistakes in the ranking."""
    places: list[list[int]] = [[] for _ in range(size)]
    for place, mistake in enumerate(found):
        for member in mistake.members:
            places[member].append(place)
    return places
