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


ALL = frozenset({"files", "network", "processes", "signals"})
FULL = Level("full", (), "full", frozenset())
NO_LANDLOCK = Level("no-landlock", ("landlock",), "partial", frozenset({"files"}))
PROCESS_ONLY = Level("process-only", ("landlock", "seccomp"), "process-only", ALL)
LEVELS_OF_ROOT = [
    FULL,
    NO_LANDLOCK,
    Level("no-seccomp", ("seccomp",), "partial", ALL - {"files"}),
    PROCESS_ONLY,
]
# an ordinary user's worker owns the user's files: without seccomp it changes their modes
LEVELS_OF_OTHERS = [FULL, NO_LANDLOCK, Level("no-seccomp", ("seccomp",), "process-only", ALL), PROCESS_ONLY]
# a worker that stays root; as an ordinary user there is nothing to drop
AS_ROOT = Level("stays-root", ("identity",), "partial", frozenset({"processes"}))

OFFERED = sys.platform.startswith("linux") and bool(kernel.machine()) and landlock.ruleset() is not None
IS_ROOT = identity.is_root()
LEVELS = LEVELS_OF_ROOT if IS_ROOT else LEVELS_OF_OTHERS
EVERYTHING = os.environ.get("GRADER_HOSTILE") == "all"
