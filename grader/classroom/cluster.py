"""Grades on an existing Dask cluster, whose workers need this project and its dependencies, and no files.

A worker that is lost is Dask's to replace: the scheduler gives its submissions to others. A submission that
ends the process it is graded in does not end the worker, since that grades in a process of its own.
"""

from __future__ import annotations

import importlib
import logging
import re
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from grader.classroom import child, task
from grader.classroom.task import Outcome, Task
from grader.errors import NotGraded, UsageError

CONNECT, WAIT = 15, 60  # seconds for the scheduler to answer, for a first worker to come
ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+:\d+")
ASKED_EVERY = 5.0


class Cluster:
    """The workers of a scheduler at `tcp://HOST:PORT`."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise UsageError("--scheduler needs a library: pip install 'needle-grader[cluster]'") from None
        if not ADDRESS.fullmatch(address):
            raise UsageError(f"--scheduler {address}: an address looks like tcp://HOST:PORT")
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said here
        try:
            self.client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
            self.client.wait_for_workers(1, timeout=WAIT)
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise UsageError(f"{address}: no cluster with a worker answers there ({reason})") from error
        self.address = address
        self.executor = self.client.get_executor(pure=False)
        self._asked, self._slots = 0.0, 1

    def slots(self) -> int:
        """Return the number of threads of all workers, asked again now and then as workers come and go."""
        if time.monotonic() - self._asked > ASKED_EVERY:
            self._slots = max(1, sum(self.client.nthreads().values()))
            self._asked = time.monotonic()
        return self._slots

    def environment(self) -> dict[str, str]:
        """Return the workers' versions. Raises `UsageError` where they differ: grades would too."""
        try:
            found: dict[str, dict[str, str]] = self.client.run(task.environment)
        except Exception as error:  # whatever a worker raises
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise UsageError(
                f"{self.address}: a worker cannot grade ({reason}); install this project on all of them"
            ) from error
        first, *others = found.items()
        for worker, versions in others:
            if versions != first[1]:
                raise UsageError(
                    f"{self.address}: its workers differ ({first[0]}: {_shown(first[1])}; "
                    f"{worker}: {_shown(versions)}); install the same on all"
                )
        return first[1]

    def submit(self, work: Task) -> Future[Outcome]:
        """Have a submission graded by some worker."""
        future: Future[Outcome] = self.executor.submit(child.grade, work)
        return future

    def drop(self, waiting: Iterable[Future[Outcome]]) -> None:
        """Do nothing: which of them a worker has begun is not known here."""

    def close(self, *, now: bool = False) -> None:
        """Leave the cluster; it goes on without us."""
        self.executor.shutdown(wait=not now)
        self.client.close()


def problem(error: BaseException) -> Outcome:
    """Return what became of a submission whose future failed. Raises `NotGraded` if the cluster is gone."""
    name = type(error).__name__
    if name == "KilledWorker":
        return Outcome(
            kind="set-aside", reason="every worker that had it was lost: does it use up their memory?"
        )
    if name in ("CancelledError", "FutureCancelledError", "CommClosedError"):
        raise NotGraded(
            "the cluster is gone; what was graded is stored: the same command goes on from there"
        ) from error
    return Outcome(kind="crash", reason=f"the worker failed on it ({name}: {error})".partition("\n")[0][:300])


def _shown(versions: dict[str, str]) -> str:
    return " ".join(f"{name} {value}" for name, value in versions.items())
