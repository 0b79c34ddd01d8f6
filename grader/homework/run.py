"""Runs the checks of a homework on one submission, each subject in a worker of its own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from grader import interrupt
from grader.errors import NotGraded, UsageError
from grader.homework import survey, worker_faults
from grader.homework.check import Check, Homework
from grader.homework.extension import Built
from grader.homework.jobs import Helper, Portion, Queue, helper, portions
from grader.homework.selection import is_selected, unknown
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import RandomSource, seeded
from grader.oracle.finite import Undecidable
from grader.report import model
from grader.report.model import CheckResult
from grader.sandbox import level
from grader.sandbox.channel import Worker, WorkerFault
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits

Progress = Callable[[CheckResult], None]
KEPT_OUTPUT = 2000


class FirstFailed(Exception):
    """Ends a run that stops at the first failure."""


@dataclass
class Run:
    """One grading run: the homework, the options, and what is known so far."""

    homework: Homework
    zygote: Zygote
    seed: int | str
    only: str | None = None
    limits: Limits = field(default_factory=Limits)
    progress: Progress = lambda result: None
    budget: Budget = field(default_factory=Budget)
    results: dict[str, CheckResult] = field(default_factory=dict)
    facts: survey.Facts = field(default_factory=survey.Facts)
    started: float = field(default_factory=time.monotonic)
    confinement: dict[str, Any] = field(default_factory=dict)
    worker: Worker | None = None
    memory: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    extras: Collection[str] = ()
    built: Built | None = None
    first: bool = False

    def grade(self, jobs: int = 1) -> bool:
        """Run every selected check, in `jobs` processes; return whether all of them were reached."""
        selected = [check for check in self.homework.checks() if self._is_selected(check)]
        if not selected:
            raise UsageError(unknown(self.only or "", [check.id for check in self.homework.checks()]))
        later = {question.id for question in self.homework.questions if question.on_failure and not self.only}
        try:
            self._work([check for check in selected if check.question not in later], jobs)
            if any(not result.passed and not result.unfilled for result in self.results.values()):
                self._work([check for check in selected if check.question in later], jobs)
                self._take_back([check for check in selected if check.question not in later])
        except KeyboardInterrupt:
            interrupt.heard()
            return False
        except FirstFailed:
            return True
        finally:
            self._drop_worker()
        return True

    def _take_back(self, checks: list[Check]) -> None:
        """Block what passed before a check of a later question that it needs failed."""
        for check in checks:
            result = self.results.get(check.id)
            needed = [self.results[need] for need in check.needs if need in self.results]
            failed = next((one.id for one in needed if not one.passed and one.verdict != model.NOT_RUN), None)
            if failed is not None and result is not None and result.passed:
                result.verdict, result.blocked_by = model.BLOCKED, failed
                result.message = f"does not count: {failed} comes first"

    def _work(self, checks: list[Check], jobs: int) -> None:
        places: dict[str, list[Check]] = {}
        for check in checks:
            places.setdefault(check.place or f"{check.question}.{check.subject}", []).append(check)
        groups = list(places.values())
        if jobs > 1 and len(groups) > 1 and not self.first and self.zygote.mode == "fork":
            order = [*self.results, *(check.id for group in groups for check in group)]
            self._share(portions(groups), jobs)
            self.results = {one: self.results[one] for one in order if one in self.results}
        else:
            for group in groups:
                self._subject(group)

    def _share(self, work: list[Portion], jobs: int) -> None:
        """Work on portions here and in helpers; what has to be built is waited for here alone."""
        built = self.built.extension.module + "." if self.built is not None else "\0"
        mine = [one for one in work if any(c.target.startswith(built) for group in one for c in group)]
        shared = [one for one in work if one not in mine]
        queue = Queue(len(shared))
        twins = [self.zygote.clone() for _ in range(min(jobs, len(shared)) - 1)]
        helpers = [helper(partial(self._help, shared, queue, twin)) for twin in twins]
        for twin in twins:
            twin.leave()
        try:
            self._portions(shared, queue, helpers)
            for group in itertools.chain.from_iterable(mine):
                self._subject(group)
            while any(one.is_open for one in helpers):
                next(one for one in helpers if one.is_open).wait()
                self._hear(helpers)
            for group in itertools.chain.from_iterable(shared):  # what a helper has taken along, if one died
                if left := [check for check in group if check.id not in self.results]:
                    self._subject(left)
        finally:
            queue.close()
            for one in helpers:
                one.close()

    def _portions(self, shared: list[Portion], queue: Queue, helpers: list[Helper]) -> None:
        while (number := queue.take()) is not None:
            for group in shared[number]:
                self._subject(group)
                self._hear(helpers)

    def _help(self, shared: list[Portion], queue: Queue, twin: Zygote, report: Progress) -> dict[str, Any]:
        """Work on portions in a helper process, with a zygote of its own."""
        self.zygote, self.worker, self.progress = twin, None, report
        try:
            self._portions(shared, queue, [])
        finally:
            self._drop_worker()
            twin.close()
        return self.confinement

    def _hear(self, helpers: list[Helper]) -> None:
        for line in itertools.chain.from_iterable(one.lines() for one in helpers):
            if "result" in line:
                result = CheckResult(**line["result"])
                self.results[result.id] = result
                self.progress(result)
            else:
                self.confinement = level.weaker(self.confinement, line["done"])

    def _is_selected(self, check: Check) -> bool:
        return is_selected(check, self.only, self.extras)

    def _subject(self, checks: list[Check]) -> None:
        """Run the checks of one op, module or function in one worker, a fresh one when it dies."""
        self._drop_worker()
        self.memory = {}
        for check in checks:
            result = self._result(check)
            self.results[check.id] = result
            self.progress(result)
            if self.first and result.counts and not result.passed:
                raise FirstFailed

    def _result(self, check: Check) -> CheckResult:
        result = CheckResult(
            check.id, check.kind, model.PASSED, 0.0, 0.0, advice=check.weight == 0, title=check.title
        )
        reason = self._reason_not_to_run(check)
        if reason is not None:
            result.verdict, result.message, result.blocked_by = reason
            return result
        if self.built is not None and check.target.startswith(self.built.extension.module + "."):
            self.built.wait()  # outside the clock of the check
        started = time.monotonic()
        trial = Trial(check, self._living_worker, self.source(check), self.budget, self.facts.starter)
        trial.built = self.built
        trial.subject = self.memory.setdefault(f"{check.place}.{check.subject}", {})
        try:
            self._allow()
            check.run(trial)
        except Failure as failure:
            failure.location = failure.location or self.facts.places.get(failure.target)
            _fill(result, failure, check)
        except WorkerFault as fault:
            result.verdict, result.message = fault.verdict, f"{check.function}: {fault}"
            result.help = worker_faults.HELP.get(fault.verdict, "")
        except Undecidable:
            result.verdict, result.message = (
                model.NOT_RUN,
                "not decidable: two step sizes of the derivative disagree",
            )
        except (NotGraded, UsageError):
            raise
        except Exception as error:  # ours: never a pass, never the end of the run
            self._grader_fault(result, error)
        result.measurements |= trial.measurements
        result.seconds = round(time.monotonic() - started, 4)
        self._finish(result, check)
        return result

    def _finish(self, result: CheckResult, check: Check) -> None:
        if self.worker is None:
            return
        self.confinement = level.weaker(self.confinement, self.worker.confinement)
        self.worker.drain()
        output = self.worker.output.take()
        if result.verdict != model.PASSED:
            result.output = output[-KEPT_OUTPUT:]
            if result.location is None and check.target:
                result.location = self.facts.places.get(check.target)
        if not self.worker.is_alive:
            account = self.zygote.account(self.worker)
            if result.verdict == model.CRASHED:
                result.message += worker_faults.death(account)
            self.worker = None

    def _reason_not_to_run(self, check: Check) -> tuple[str, str, str | None] | None:
        if not check.asked(self.facts.starter):
            return model.NOT_RUN, f"not in your starter ({self.facts.starter})", None
        blocked = self.facts.blocked(check.target)
        if blocked:
            return model.BLOCKED, blocked, None
        failed = next(
            (need for need in check.needs if need in self.results and not self.results[need].passed), None
        )
        if failed is not None and self.results[failed].verdict == model.NOT_RUN:
            return model.NOT_RUN, self.results[failed].message, None
        if failed is not None:
            return model.BLOCKED, f"not run: {failed} comes first", failed
        if time.monotonic() - self.started > self.limits.run_seconds:
            text = f"not run: the whole run took more than {self.limits.run_seconds:.0f} s"
            return model.TIMEOUT, text, None
        return None

    def source(self, check: Check) -> RandomSource:
        """Return what a check's inputs are drawn from."""
        return seeded(
            self.seed if isinstance(self.seed, int) else self.seed.encode(), self.homework.id, check.id
        )

    def _allow(self) -> None:
        self._deadline = time.monotonic() + self.limits.check_seconds
        if self.worker is not None:
            self.worker.allow(self.limits.check_seconds)

    def _living_worker(self) -> Worker:
        interrupt.check()
        if self.worker is None or not self.worker.is_alive:
            self._drop_worker()
            self.worker = self.zygote.worker()
            self.worker.allow(max(0.01, self._deadline - time.monotonic()))
        return self.worker

    def _drop_worker(self) -> None:
        if self.worker is not None:
            self.zygote.end(self.worker)
            self.worker = None

    @staticmethod
    def _grader_fault(result: CheckResult, error: Exception) -> None:
        result.verdict = model.ERROR
        result.message = f"the grader itself failed on this check ({type(error).__name__}: {error})"
        result.help = "this is not your fault; please report it with the submission"
        result.measurements["grader_fault"] = True


EVIDENCE = (
    "message",
    "help",
    "symptom",
    "known_mistake",
    "counterexample",
    "expected",
    "actual",
    "location",
)


def _fill(result: CheckResult, failure: Failure, check: Check) -> None:
    result.verdict = failure.verdict
    for name in EVIDENCE:
        setattr(result, name, getattr(failure, name))
    result.measurements |= failure.measurements
    result.unfilled = failure.group == "unfilled"
    if not result.unfilled:
        result.blame = [check.function]
