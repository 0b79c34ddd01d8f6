"""One call on a class, from the paths to the figures at its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from grader.classroom import batch, hidden, names, plan, roster, store
from grader.classroom.executors import Executor, Local
from grader.classroom.plan import Plan, Terms
from grader.classroom.roster import Roster
from grader.classroom.store import Run, Writer
from grader.classroom.summary import Summary
from grader.homework import jobs
from grader.report import stored


@dataclass(frozen=True)
class Request:
    """What was asked for; see `python -m grader class --help`. `seed` is a text if it is secret."""

    homework: str
    paths: Sequence[Path]
    store: Path
    export: str = "auto"
    branches: str | None = None
    names: Path | None = None
    force: bool = False
    jobs: int | None = None
    scheduler: str | None = None
    seed: int | str = 0
    hidden: bool = False
    blame: bool = True
    following: bool = False
    sandbox: str = "process-only"

    def task(self) -> dict[str, Any]:
        """Return the options of each submission's grading."""
        blame = self.blame and not self.hidden
        return {"blame": blame, "following": self.following, "sandbox": self.sandbox}

    def terms(self, executor: Executor) -> Terms:
        """Return what grades depend on."""
        chosen = {**self.task(), "hidden": self.hidden}
        del chosen["sandbox"]  # it decides whether there is a grade, not which
        return Terms(self.homework, self.seed, executor.environment(), chosen)


class Watcher(batch.Watcher, Protocol):
    """Is told how the call is getting on."""

    def reading(self, number: int, total: int) -> None:
        """A submission is read, to see whether it is new."""

    def begin(self, total: int) -> None:
        """So many are going to be graded, or refused."""

    def end(self) -> None:
        """Nothing more is graded."""


def run(request: Request, watcher: Watcher) -> Summary:
    """Grade all that is new or changed. Raises `UsageError` and `NotGraded`; what was graded stays stored."""
    jobs.require(request.jobs)
    started = time.monotonic()
    found, missing = _roster(request)
    with store.locked(request.store), store.create(request.store) as writer:
        executor = _executor(request)
        try:
            terms = request.terms(executor)
            planned = plan.make(writer, found, terms, force=request.force, progress=watcher.reading)
            summary = _graded(request, writer, executor, terms, planned, watcher)
        finally:
            watcher.end()
            executor.close()
        summary.seconds = time.monotonic() - started
        summary.missing = missing
        return summary


def _roster(request: Request) -> tuple[Roster, list[str]]:
    """Return the submissions, and who on the list of names has none."""
    found = roster.collect(request.paths, request.export, request.branches)
    if request.names is None:
        return roster.settle(found), []
    known = names.read(request.names)
    settled = roster.settle(names.apply(known, found))
    return settled, names.missing(known, settled)


def _executor(request: Request) -> Executor:
    if request.scheduler is None:
        return Local(request.jobs or jobs.processors())
    from grader.classroom.cluster import Cluster

    return Cluster(request.scheduler)


def _graded(
    request: Request, writer: Writer, executor: Executor, terms: Terms, planned: Plan, watcher: Watcher
) -> Summary:
    last = writer.latest(request.homework)
    if last is not None and plan.is_nothing_new(writer, planned, request.homework):
        return _summary(request, writer, last, [one for one, _ in planned.refusals])
    current = planned.run or writer.start(
        terms.homework, terms.seed_name, terms.environment, terms.options, request.force
    )
    watcher.begin(len(planned.to_grade) + len(planned.refusals))
    shown = _hidden if request.hidden else batch.unchanged
    work = batch.Batch(writer, executor, terms, current, watcher, request.task(), shown)
    finished = work.grade(planned)
    summary = _summary(request, writer, current, work.refusals)
    summary.now, summary.finished = work.graded, finished
    return summary


def _hidden(report: dict[str, Any]) -> dict[str, Any]:
    return hidden.hide(stored.load(report)).as_dict()


def _summary(request: Request, writer: Writer, current: Run, refusals: list[roster.Refusal]) -> Summary:
    scores = list(writer.scores(current).values())
    return Summary(request.homework, str(request.store), current.id, current.seed, scores, refusals)
