"""The levels of confinement at which attacks are run, and who the grader is."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from grader.sandbox import identity, kernel, landlock

ROOT, ORDINARY = "root", "tester"


@dataclass(frozen=True)
class Level:
    """What is left out of the confinement, the level that the report must name, the areas not held."""

    id: str
    without: tuple[str, ...]
    named: str
    lost: frozenset[str]


FULL = Level("full", (), "full", frozenset())
LEVELS = [
    FULL,
    Level("no-landlock", ("landlock",), "partial", frozenset({"files"})),
    Level("no-seccomp", ("seccomp",), "partial", frozenset({"network", "processes", "signals"})),
    Level(
        "process-only",
        ("landlock", "seccomp"),
        "process-only",
        frozenset({"files", "network", "processes", "signals"}),
    ),
]
# a worker that stays root; as an ordinary user there is nothing to drop
AS_ROOT = Level("stays-root", ("identity",), "partial", frozenset({"processes"}))

OFFERED = sys.platform.startswith("linux") and bool(kernel.machine()) and landlock.ruleset() is not None
IS_ROOT = identity.is_root()
EVERYTHING = os.environ.get("GRADER_HOSTILE") == "all"
