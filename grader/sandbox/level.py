"""How well a worker is confined, in one word: "full", "partial" or "process-only"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.errors import NotGraded

PROCESS_ONLY, PARTIAL, FULL = "process-only", "partial", "full"
LEVELS = (PROCESS_ONLY, PARTIAL, FULL)

KERNEL = ("files", "network", "processes", "signals")
AREAS = (*KERNEL, "memory")


def level(held: Mapping[str, bool]) -> str:
    """Return the level for what the self-test found held in each of `AREAS`."""
    if all(held[area] for area in AREAS):
        return FULL
    return PARTIAL if any(held[area] for area in KERNEL) else PROCESS_ONLY


def is_met(confinement: Mapping[str, Any], required: str) -> bool:
    """Tell whether a worker's confinement is at least what is required."""
    found = confinement.get("level", PROCESS_ONLY)
    return found in LEVELS and LEVELS.index(found) >= LEVELS.index(required)


def weaker(one: dict[str, Any], other: dict[str, Any] | None) -> dict[str, Any]:
    """Return the weaker of two workers' confinements, for the report; an empty one says nothing."""
    if not one or not other:
        return dict(one or other or {})
    return dict(other if not is_met(other, one.get("level", PROCESS_ONLY)) else one)


def require(confinement: Mapping[str, Any], wanted: str) -> None:
    """Raise `NotGraded` if the confinement is less than what is wanted."""
    if not is_met(confinement, wanted):
        found = confinement.get("level", PROCESS_ONLY)
        raise NotGraded(
            f"the sandbox here is {found}, not {wanted}: nothing holds {missing(confinement)}; "
            "SECURITY.md says what each level needs"
        )


def missing(confinement: Mapping[str, Any]) -> str:
    """Return the areas that nothing holds, as "files, network"."""
    return ", ".join(area for area in AREAS if not confinement.get(area))
