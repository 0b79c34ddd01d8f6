"""What a call has to grade: all that is new or changed since the store last saw it."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grader.classroom import parcel
from grader.classroom.exports import plain
from grader.classroom.roster import Entry, Refusal, Roster
from grader.classroom.store import Run, Writer
from grader.errors import UsageError

FORMAT = 1  # of keys: another one makes every submission a new one


@dataclass(frozen=True)
class Terms:
    """All that a grade depends on beside the submission."""

    homework: str
    seed: int | str
    environment: dict[str, str]
    options: dict[str, Any]

    @property
    def seed_name(self) -> str:
        """The seed as it may be known: a number, or a digest that only the secret's owner can make."""
        if isinstance(self.seed, int):
            return str(self.seed)
        digest = hmac.new(self.seed.encode(), b"the name of this seed", hashlib.sha256)
        return f"secret:{digest.hexdigest()[:16]}"

    def key(self, content: str) -> str:
        """Return the hash of a submission's content and all else that its grade depends on."""
        parts = [FORMAT, content, self.homework, self.seed_name, self.environment, self.options]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass
class Plan:
    """The submissions to grade, those whose grading is in the store already, and those that cannot be.

    `members` are the students of the run that this call goes on with, `run` that run (None for a new one).
    """

    to_grade: list[Entry] = field(default_factory=list)
    known: list[tuple[Entry, int]] = field(default_factory=list)
    refusals: list[tuple[Refusal, str]] = field(default_factory=list)
    run: Run | None = None

    @property
    def total(self) -> int:
        """The number of submissions and of what should have been one."""
        return len(self.to_grade) + len(self.known) + len(self.refusals)


def make(
    store: Writer, found: Roster, terms: Terms, *, force: bool, progress: Callable[[int, int], None]
) -> Plan:
    """Return the plan of a call; reads every submission once, to hash it, and keeps none."""
    keys: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    plan = Plan(refusals=[(refusal, "") for refusal in found.refusals])
    for number, entry in enumerate(found.entries, 1):
        progress(number, len(found.entries))
        try:
            keys[entry.student] = terms.key(parcel.content_hash(entry.read(), terms.homework, entry.source))
            entries[entry.student] = entry
        except UsageError as error:
            plan.refusals.append((refused(entry, error), ""))
    plan.run = continued(store, keys, terms, force=force)
    _sort(plan, store, entries, keys, terms.homework, force=force)
    return plan


def refused(entry: Entry, error: UsageError) -> Refusal:
    """Return the refusal of a submission that cannot be read."""
    return Refusal(entry.student, entry.source, "unreadable", plain(str(error)))


def _sort(
    plan: Plan, store: Writer, entries: dict[str, Entry], keys: dict[str, str], homework: str, *, force: bool
) -> None:
    """Tell what is known from what is to be graded; a forced run knows only what it has graded itself."""
    if force:
        mine = store.members(plan.run) if plan.run else {}
        known = {(student, key): number for student, (key, number) in mine.items()}
        aside: dict[str, str] = {}
    else:
        known = store.known(homework)
        aside = {one.key: one.reason for one in store.problems() if one.kind == "set-aside"}
    for student, entry in entries.items():
        key = keys[student]
        if (student, key) in known:
            plan.known.append((entry, known[student, key]))
        elif key in aside:
            plan.refusals.append((Refusal(student, entry.source, "set-aside", aside[key]), key))
        else:
            plan.to_grade.append(entry)


def continued(store: Writer, keys: dict[str, str], terms: Terms, *, force: bool) -> Run | None:
    """Return the run that was stopped before its end and that this call goes on with, None for a new one.

    It is the last one if all that a grade depends on is as it was, the submissions graded so far too.
    """
    last = store.latest(terms.homework)
    if last is None or last.finished is not None:
        return None
    now = (terms.seed_name, terms.environment, terms.options, force)
    if (last.seed, last.environment, last.options, last.forced) != now:
        return None
    changed = any(keys.get(student, key) != key for student, (key, _) in store.members(last).items())
    return None if changed else last


def is_nothing_new(store: Writer, plan: Plan, homework: str) -> bool:
    """Tell whether the last run says all that this call would: the same gradings, the same problems."""
    last = store.latest(homework)
    if plan.to_grade or last is None or last.finished is None:
        return False
    gradings = {entry.student: number for entry, number in plan.known}
    problems = {(one.student, one.source, one.kind, one.reason) for one in store.problems(last)}
    now = {(one.student, one.source, one.kind, one.reason) for one, _ in plan.refusals}
    return gradings == {student: number for student, (_, number) in store.members(last).items()} and (
        problems == now
    )
