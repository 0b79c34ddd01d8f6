"""Finds the line of a function in which one small change makes a failed check pass, by experiment.

The changes are made in a worker (`worker.mutants`): other operators, parentheses, constants, variables, an
order of statements. One that seems to help is tried again, alone, in a fresh worker. What it is stays
untold: the line is a place to look at, and the change that helps there may be another one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from grader.sandbox.channel import Raised, Worker, WorkerFault

MOST = 400  # changes of one function: on a busy machine as many as on a quiet one
LONGEST = 0.5  # seconds for one change: an endless loop is no cure
VERIFIED = 3.0  # for all checks of the function, with a change that seems to help


class Laboratory(Protocol):
    """Where experiments are made."""

    def worker(self, seconds: float) -> AbstractContextManager[Worker]:
        """Have a fresh worker inside the block, with so much time."""

    def passes_in(self, worker: Worker, check_id: str) -> bool:
        """Tell whether a check passes in a worker as it is now."""


@dataclass(frozen=True)
class Suspect:
    """A failed check and the function that is searched: its path, its file, the line it begins in.

    A change has to make the `others` pass too, which are about the same function. Lines that are `given`
    with the handout are not at fault.
    """

    check: str
    others: tuple[str, ...]
    path: str
    file: str
    line: int
    given: frozenset[int] = frozenset()


def line_that_helps(laboratory: Laboratory, suspect: Suspect, seconds: float) -> int | None:
    """Return the line of the first change that makes the check pass, None if none is found in time."""
    checks = (suspect.check, *suspect.others)
    for number, line in _helpful(laboratory, suspect, time.monotonic() + seconds):
        with laboratory.worker(VERIFIED) as worker:
            is_made = _changed(worker, suspect, number)["line"] > 0
            if is_made and all(laboratory.passes_in(worker, one) for one in checks):
                return line
    return None


def _helpful(laboratory: Laboratory, suspect: Suspect, deadline: float) -> Iterator[tuple[int, int]]:
    """Yield number and line of the changes that seem to help; one worker tries them all while it lives."""
    number, count = 0, 1
    while number < min(count, MOST) and time.monotonic() < deadline:
        with laboratory.worker(LONGEST) as worker:
            while number < min(count, MOST) and worker.is_alive and time.monotonic() < deadline:
                worker.allow(LONGEST)
                answer = _changed(worker, suspect, number)
                count, number = answer["count"], number + 1
                is_own = answer["line"] > 0 and answer["line"] not in suspect.given
                if is_own and laboratory.passes_in(worker, suspect.check):
                    yield number - 1, answer["line"]


def _changed(worker: Worker, suspect: Suspect, number: int) -> dict[str, Any]:
    """Make a change in a worker; return its line, 0 if it cannot be made, and how many there are."""
    where = {"path": suspect.path, "file": suspect.file, "line": suspect.line}
    try:
        return worker.ask("blame.mutate", {**where, "number": number, "most": MOST}, []).values
    except (WorkerFault, Raised):
        return {"count": number + 2, "line": 0}  # it may have been this one alone
