"""From explained checks to causes in their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from grader.blame.units import covers
from grader.report.model import Cause, CheckResult

Names = tuple[str, ...]
Places = Mapping[str, Mapping[str, Any] | None]


def causes(
    explained: Mapping[str, Names],
    checks: Sequence[CheckResult],
    places: Places,
    edited: Collection[str] = (),
) -> list[Cause]:
    """Return one cause per set of functions, with every check it explains, blocked ones included.

    An `edited` function of the scaffold comes first: nothing can be relied on before it is put back. Then
    comes the cause that explains the most points, and the one that explains more checks. `places` say
    where the functions are written.
    """
    by_id = {check.id: check for check in checks}
    alone = {names[0] for names in explained.values() if len(names) == 1}.union(edited)
    explains: dict[Names, list[CheckResult]] = {}
    for check in checks:
        for one in _apart(explained.get(_root(check, by_id).id, ()), alone):
            explains.setdefault(one, []).append(check)
    found = [_cause(functions, through, places) for functions, through in explains.items()]

    def weight(cause: Cause) -> tuple[bool, float, int]:
        return any(name in edited for name in cause.functions), *_weight(
            [by_id[one] for one in cause.explains]
        )

    return sorted(found, key=weight, reverse=True)


def _root(check: CheckResult, by_id: Mapping[str, CheckResult]) -> CheckResult:
    """Return the failed check that a blocked one waits for in the end."""
    while check.blocked_by is not None and check.blocked_by in by_id:
        check = by_id[check.blocked_by]
    return check


def _weight(checks: Sequence[CheckResult]) -> tuple[float, int]:
    return sum(check.max_points - check.points for check in checks), len(checks)


def _apart(functions: Names, alone: set[str]) -> list[Names]:
    """Return a set of functions as single causes when each of them is a cause by itself elsewhere."""
    if len(functions) > 1 and alone.issuperset(functions):
        return [(name,) for name in functions]
    return [functions] if functions else []


def _cause(functions: Names, checks: Sequence[CheckResult], places: Places) -> Cause:
    """Return a cause with the line that a failure of its own points at, or where the function starts."""
    pointed = [
        check.location
        for check in checks
        if check.location and any(covers(name, str(check.location.get("function"))) for name in functions)
    ]
    place = next(iter([*pointed, *(places.get(name) for name in functions)]), None) or {}
    return Cause(
        list(functions),
        str(place.get("file", "")),
        int(place.get("line", 0)),
        [check.id for check in checks],
    )
