"""What a store holds, as plain records."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from grader.report import stored
from grader.report.model import Report


@dataclass(frozen=True)
class Run:
    """One call of `grader class`, or several if it was stopped and continued.

    `seed` is the number in decimal, or "secret:" and a keyed digest. `finished` is None for a run that was
    stopped. `options` are those that change results. Times are in UTC.
    """

    id: int
    homework: str
    started: datetime
    finished: datetime | None
    seed: str
    environment: dict[str, str]
    options: dict[str, Any]
    forced: bool

    @property
    def is_secret(self) -> bool:
        """Tell whether its inputs were secret: nothing of them may be shown to students."""
        return self.seed.startswith("secret:")


@dataclass(frozen=True)
class Grading:
    """One submission graded once.

    `student` is the name it goes by, `source` where it came from (a path, `repository@branch`), `content` the
    hash of what was graded, `key` the hash of all that the result depends on: the content, homework, grader,
    seed, Python, numpy and options. `failed` counts the scored checks that did not pass; `causes` are the
    functions whose fault explains some of those (the report has those behind advice too). `run` is the run
    that made it; a later run that had nothing new to grade refers to it.
    """

    id: int
    run: int
    student: str
    homework: str
    key: str
    content: str
    source: str
    at: datetime
    seconds: float
    score: float
    max_score: float
    complete: bool
    failed: int
    causes: tuple[str, ...]
    seed: str
    environment: dict[str, str]
    packed: bytes = field(repr=False)

    @property
    def is_secret(self) -> bool:
        """Tell whether its inputs were secret: `grader.classroom.hidden.hide` makes it fit for a student."""
        return self.seed.startswith("secret:")

    def data(self) -> dict[str, Any]:
        """Return the whole report as the plain data of its JSON."""
        found: dict[str, Any] = json.loads(zlib.decompress(self.packed))
        return found

    def report(self) -> Report:
        """Return the whole report."""
        return stored.load(self.data())


@dataclass(frozen=True)
class Problem:
    """A submission that a run could not grade.

    `kind` is "unreadable" (no submission in it, a broken archive), "same-name" (two submissions of one name),
    "not-graded" (no worker could be had), "crash" (the grader failed on it) or "set-aside" (it ended the
    process that graded it, twice). `student` is "" where no name is known, `key` where there is no content.
    """

    run: int
    student: str
    source: str
    kind: str
    reason: str
    key: str
    at: datetime
