"""Runs one check on a submission and keeps what it asked: the questions of the smallest failing input."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from grader import places
from grader.classroom import intake
from grader.errors import UsageError
from grader.homework import survey, table
from grader.homework.check import Check, Homework
from grader.homework.selection import unknown
from grader.homework.submission import Submission
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import RandomSource, Source, seeded
from grader.oracle.finite import Undecidable
from grader.sandbox import identity
from grader.sandbox.channel import Raised, Reply, Worker, WorkerFault
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits

T = TypeVar("T")
CHECK_SECONDS, SHRINK_SECONDS = 20.0, 6.0


@dataclass
class Ask:
    """A question to the submission, and what came of it: a reply, or the failure that it stands for."""

    probe: str
    arguments: dict[str, Any]
    arrays: list[np.ndarray]
    expect: int = 1 << 20
    reply: Reply | None = None
    failure: Failure | None = None
    fault: WorkerFault | None = None


@dataclass
class Recording:
    """What one check asked of a submission; `failure` is None when it passed.

    `broken` says why the submission does not import; then nothing was asked.
    """

    check: Check
    homework: str
    asks: list[Ask] = field(default_factory=list)
    failure: Failure | None = None
    fault: WorkerFault | None = None
    broken: str = ""
    folders: list[str] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    measurements: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Tell whether the check found nothing wrong."""
        return not (self.failure or self.fault or self.broken)

    @property
    def budget(self) -> int | None:
        """Return the nodes that the check allows, None if it counts none."""
        found = self.failure.measurements.get("budget") if self.failure else None
        return found if isinstance(found, int) else self.measurements.get("budget")

    @property
    def message(self) -> str:
        """Return the one sentence that says what is wrong."""
        return self.broken or str(self.failure or self.fault or "")


@dataclass
class Recorder(Trial):
    """A trial that keeps what it asks; after a search only what the smallest failing input needs."""

    asks: list[Ask] = field(default_factory=list)
    is_open: bool = True

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = 1 << 20
    ) -> Reply:
        """Ask, and keep question and answer."""
        made = Ask(probe, arguments, [array.copy() for array in arrays], expect)
        if self.is_open:
            self.asks.append(made)
        try:
            made.reply = super().ask(probe, arguments, arrays, expect=expect)
        except Failure as failure:
            made.failure = failure
            raise
        except WorkerFault as fault:
            made.fault = fault
            raise
        return made.reply

    def search(
        self,
        inputs: Iterable[T],
        examine: Callable[[T], None],
        draw: Callable[[Source], T] | None,
        size: Callable[[T], tuple[int, ...]],
    ) -> tuple[T, Failure] | None:
        """Search as ever, then ask once more about the input that was found."""
        found = super().search(inputs, examine, draw, size)
        if found is not None and self.is_open:
            whole = list(self.asks)
            self.asks.clear()
            try:
                examine(found[0])
            except Failure as failure:
                found, self.is_open = (found[0], failure), False
            if not self.asks:  # answered from what an earlier question brought
                self.asks += whole
        return found


def find(homework: str, name: str) -> tuple[Homework, Check]:
    """Return a check by its id; raises `UsageError` with the nearest names."""
    chosen = table.find(homework)
    checks = {check.id: check for check in chosen.checks()}
    if name not in checks:
        inside = [one for one in checks if f".{name}." in f".{one}."]
        if not inside:
            raise UsageError(unknown(name, checks))
        more = f" and {len(inside) - 8} more" if len(inside) > 8 else ""
        if len(inside) > 1:
            raise UsageError(f"{name}: which check of it? {', '.join(inside[:8])}{more}")
        name = inside[0]
    return chosen, checks[name]


@contextmanager
def opened(path: Path, homework: Homework, limits: Limits) -> Iterator[tuple[Submission, Zygote]]:
    """Take a submission in and start a zygote for it."""
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        root = Path(folder).resolve() / "submission"
        taken = intake.take(path, homework.id, root)
        identity.share(root.parent)
        with Zygote(survey.description(taken, homework), root, limits) as zygote:
            yield taken, zygote


def record(path: Path, homework: str, name: str, *, seed: int | str = 0) -> Recording:
    """Run one check, whatever it needs first, and return what it asked; see `Recording`."""
    chosen, check = find(homework, name)
    if chosen.extension is not None and check.target.startswith(f"{chosen.extension.module}."):
        raise UsageError(f"{check.id} is about C++; scripts and --debug are for Python, use gdb or prints")
    limits = Limits()
    with opened(path, chosen, limits) as (taken, zygote):
        facts = survey.survey(zygote, taken, chosen)
        recording = Recording(check, homework, broken=facts.blocked(check.target), notes=taken.notes)
        recording.folders = [
            str(Path(folder).relative_to(taken.root)) for folder in survey.search_paths(taken.root, chosen)
        ]
        if not check.asked(facts.starter):
            raise UsageError(f"{check.id}: not in your starter ({facts.starter})")
        if not recording.broken:
            _run(zygote, recording, Trialled(homework, seed, facts.starter))
    return recording


@dataclass(frozen=True)
class Trialled:
    """What a trial needs to know besides its check."""

    homework: str
    seed: int | str
    starter: str

    def source(self, check: Check) -> RandomSource:
        """Return the source of the inputs that a grading run gives the check."""
        seed = self.seed if isinstance(self.seed, int) else self.seed.encode()
        return seeded(seed, self.homework, check.id)


def _run(zygote: Zygote, recording: Recording, of: Trialled) -> None:
    """Run the check of a recording in a worker of its own."""
    check, workers = recording.check, [zygote.worker()]
    workers[0].allow(CHECK_SECONDS)

    def living() -> Worker:
        if not workers[-1].is_alive:
            workers.append(zygote.worker())
            workers[-1].allow(CHECK_SECONDS)
        return workers[-1]

    trial = Recorder(check, living, of.source(check), Budget(SHRINK_SECONDS, SHRINK_SECONDS), of.starter)
    trial.asks, trial.measurements = recording.asks, recording.measurements
    try:
        check.run(trial)
    except Failure as failure:
        recording.failure = failure
    except WorkerFault as fault:
        recording.fault = fault
    except Undecidable:
        pass
    finally:
        for worker in workers:
            zygote.end(worker)


def answers(asks: list[Ask], homework: Homework) -> list[Reply | None]:
    """Return what the reference answers to the same questions; None where it cannot, or is not there."""
    if not places.REFERENCE.is_dir():
        return [None] * len(asks)
    with opened(places.REFERENCE, homework, Limits()) as (_, zygote):
        worker = zygote.worker()
        worker.allow(2 * CHECK_SECONDS)
        found: list[Reply | None] = []
        for one in asks:
            try:
                found.append(worker.ask(one.probe, one.arguments, one.arrays, expect=one.expect))
            except (Raised, WorkerFault):
                found.append(None)
                break
        zygote.end(worker)
        return found + [None] * (len(asks) - len(found))
