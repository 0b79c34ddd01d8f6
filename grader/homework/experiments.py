"""Experiments beside a grading run: a check once more, in a fresh worker in which something was changed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.homework.run import Run
from grader.homework.trial import Trial
from grader.judge.search import Budget
from grader.replies import READING
from grader.sandbox.channel import Raised, Worker, WorkerFault

SECONDS = 3.0


@dataclass(frozen=True)
class Experiments:
    """What is tried on the submission of a run; nothing of it is a result of the run."""

    run: Run

    @contextlib.contextmanager
    def worker(self, seconds: float = SECONDS) -> Iterator[Worker]:
        """Have a fresh worker inside the block, with so much time for what it is asked."""
        worker = self.run.zygote.worker()
        worker.allow(min(self.run.limits.check_seconds, seconds))
        try:
            yield worker
        finally:
            self.run.zygote.end(worker)

    def passes_in(self, worker: Worker, check_id: str) -> bool:
        """Run a check again in a worker as it is now; return whether it passes."""
        run = self.run
        check = next(check for check in run.homework.checks() if check.id == check_id)
        trial = Trial(check, lambda: worker, run.source(check), Budget(total=0.0), run.facts.starter)
        trial.built = run.built
        try:
            check.run(trial)
        except Exception:  # whatever it is: the check does not pass
            return False
        return True

    def passes_with(self, check_id: str, units: Sequence[dict[str, Any]], seconds: float = SECONDS) -> bool:
        """Run a check again in a fresh worker with units replaced; return whether it passes then."""
        with self.worker(seconds) as worker:
            try:
                worker.ask("blame.substitute", {}, [_sent(units)])
            except (WorkerFault, Raised):
                return False
            return self.passes_in(worker, check_id)

    def ask(self, probe: str, arguments: dict[str, Any], content: Any = None) -> dict[str, Any]:
        """Ask a fresh worker something that no check asks; return {} if it cannot say."""
        zygote = self.run.zygote
        worker = zygote.reader() if probe in READING else zygote.worker()
        worker.allow(SECONDS)
        try:
            return worker.ask(probe, arguments, [_sent(content)]).values
        except (WorkerFault, Raised):
            return {}
        finally:
            zygote.end(worker)


def _sent(content: Any) -> np.ndarray:
    """Return content as a worker takes it: JSON in an array of bytes."""
    return np.frombuffer(json.dumps(content).encode(), np.uint8)
