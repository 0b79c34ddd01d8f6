"""Grades a class: what is planned goes to an executor, a few at a time; what comes back is stored at once.

Only this process writes the store, one transaction for each submission. Memory does not grow with the class:
a submission is read when its turn comes, and its report is let go when it is stored.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from grader import places
from grader.classroom import cluster, files, parcel, plan
from grader.classroom.executors import Executor
from grader.classroom.plan import Plan, Terms
from grader.classroom.roster import Entry, Refusal
from grader.classroom.store import Run, Writer
from grader.classroom.store.writing import Graded
from grader.classroom.task import Outcome, Task
from grader.errors import NotGraded, UsageError

AHEAD = 2  # submissions that are ready while others are graded
TICK = 0.2  # seconds
IN_VAIN = 3  # that many without a worker and no report yet: is it the machine, or those submissions?


class Watcher(Protocol):
    """Is told what becomes of the submissions."""

    def graded(self, report: dict[str, Any]) -> None:
        """A report was stored."""

    def failed(self, refusal: Refusal) -> None:
        """A problem was stored."""

    def tick(self) -> None:
        """Some time has passed."""

    def stopping(self, running: int) -> None:
        """Ctrl-C was pressed; what is running is waited for."""


@dataclass(frozen=True)
class Job:
    """A submission on its way."""

    entry: Entry
    parcel: parcel.Parcel
    key: str


def unchanged(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report as it is."""
    return report


@dataclass
class Batch:
    """One call's work on a class: call `grade`; `graded` and `refusals` tell what came of it.

    `task` are the options of each `Task`, `shown` makes of a report what is stored of it.
    """

    store: Writer
    executor: Executor
    terms: Terms
    run: Run
    watcher: Watcher
    task: dict[str, Any]
    shown: Callable[[dict[str, Any]], dict[str, Any]] = unchanged
    pending: dict[Future[Outcome], Job] = field(default_factory=dict)
    graded: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    in_vain: int = 0
    interrupts: int = 0

    def grade(self, planned: Plan) -> bool:
        """Grade all that is planned; return False if it was stopped. Raises `NotGraded` if nothing can be."""
        jobs = self._jobs(planned)
        with self._interrupts():
            self._note(planned)
            while True:
                if not self.interrupts:
                    self._fill(jobs)
                if not self.pending or self.interrupts > 1:
                    break
                done, _ = wait(self.pending, TICK, FIRST_COMPLETED)
                outcomes = [(self.pending.pop(future), _outcome(future)) for future in done]
                for job, outcome in sorted(outcomes, key=lambda one: one[1].kind if one[1] else ""):
                    self._settle(job, outcome)  # reports first: a problem may end the run
                self.watcher.tick()
        if self.interrupts:
            return False
        self.store.finish(self.run)
        return True

    def _note(self, planned: Plan) -> None:
        self.store.reuse(self.run, [(one.student, one.facts, number) for one, number in planned.known])
        for refusal, key in planned.refusals:
            self._refuse(refusal, key)

    def _jobs(self, planned: Plan) -> Iterator[Job]:
        for entry in planned.to_grade:
            try:
                packed = parcel.pack(entry.read(), self.terms.homework, entry.source)
            except UsageError as error:  # it was readable when it was planned
                self._refuse(plan.refused(entry, error))
                continue
            yield Job(entry, packed, self.terms.key(packed.content))

    def _fill(self, jobs: Iterator[Job]) -> None:
        while len(self.pending) < self.executor.slots() + AHEAD:
            job = next(jobs, None)
            if job is None:
                return
            work = Task(
                job.parcel.archive, job.parcel.data, self.terms.homework, self.terms.seed, **self.task
            )
            self.pending[self.executor.submit(work)] = job

    def _settle(self, job: Job, outcome: Outcome | None) -> None:
        if outcome is None or outcome.kind == "stopped":
            return
        if not outcome.kind:
            outcome = self._keep(job, outcome) or outcome
        if outcome.kind == "full":
            raise NotGraded(f"{outcome.reason}; what was graded is stored: make room, give the command again")
        if outcome.kind:
            self._refuse(Refusal(job.entry.student, job.entry.source, outcome.kind, outcome.reason), job.key)
            self.in_vain += outcome.kind == "not-graded"
            if self.in_vain == IN_VAIN and not self.graded:
                self._try_the_handout()

    def _try_the_handout(self) -> None:
        """Raise `NotGraded` if not even the handout can be graded here."""
        ours = places.starter(self.terms.homework)
        packed = parcel.pack(files.listing(ours), self.terms.homework, str(ours))
        work = Task(packed.archive, packed.data, self.terms.homework, self.terms.seed, **self.task)
        outcome = _outcome(self.executor.submit(work))
        if outcome is not None and outcome.kind == "not-graded":
            raise NotGraded(outcome.reason)

    def _keep(self, job: Job, outcome: Outcome) -> Outcome | None:
        """Store a report; return what is wrong with it, if anything."""
        report = outcome.data()
        used = {name: report["environment"].get(name) for name in self.terms.environment}
        if used != self.terms.environment:
            return Outcome(kind="not-graded", reason=f"a worker of another version graded it ({used})")
        report["submission"] = job.entry.source
        report["notes"] = [*job.parcel.notes, *report["notes"]]
        report = self.shown(report)
        entry, packed = job.entry, job.parcel
        whose = (
            entry.student,
            entry.facts,
            job.key,
            packed.content,
            packed.root,
            packed.archive,
            entry.source,
        )
        self.store.add(self.run, Graded(*whose, report))
        self.graded += 1
        self.watcher.graded(report)
        return None

    def _refuse(self, refusal: Refusal, key: str = "") -> None:
        self.store.fail(self.run, refusal.student, refusal.source, refusal.kind, refusal.reason, key)
        self.refusals.append(refusal)
        self.watcher.failed(refusal)

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Count Ctrl-C: the first one lets the running ones finish, the second ends them."""

        def pressed(number: int, frame: object) -> None:
            self.interrupts += 1
            if self.interrupts == 1:
                self.executor.drop(self.pending)
                self.watcher.stopping(sum(not future.cancelled() for future in self.pending))

        before = signal.signal(signal.SIGINT, pressed)
        try:
            yield
        except BaseException:
            self.interrupts = max(self.interrupts, 2)  # nothing is waited for
            raise
        finally:
            signal.signal(signal.SIGINT, before)
            self.executor.close(now=self.interrupts > 1)


def _outcome(future: Future[Outcome]) -> Outcome | None:
    """Return what a future brings, None if it was dropped."""
    if future.cancelled():
        return None
    error = future.exception()
    return future.result() if error is None else cluster.problem(error)
