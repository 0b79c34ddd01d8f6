"""Where submissions are graded: on this machine's processors, or on a cluster (`cluster`).

Both take a `Task` and give a future of its `Outcome`, as `concurrent.futures` has them, and both have the
grading done by `child.grade`: in a thread here, or in a thread of a Dask worker.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from grader.classroom import child, task
from grader.classroom.task import Outcome, Task


class Executor(Protocol):
    """Grades submissions elsewhere."""

    def slots(self) -> int:
        """Return how many submissions it grades at the same time."""

    def environment(self) -> dict[str, str]:
        """Return the versions it grades with: grader, python, numpy."""

    def submit(self, work: Task) -> Future[Outcome]:
        """Have a submission graded."""

    def drop(self, waiting: Iterable[Future[Outcome]]) -> None:
        """Cancel those of the futures that nobody works on yet, as far as that is known."""

    def close(self, *, now: bool = False) -> None:
        """End what was started here; `now` does not wait for what is being graded."""


class Local:
    """Processes on this machine, one for each job."""

    def __init__(self, jobs: int) -> None:
        child.begin()
        self.jobs = jobs
        self.threads = ThreadPoolExecutor(jobs, "grading")

    def slots(self) -> int:
        """Return the number of processes."""
        return self.jobs

    def environment(self) -> dict[str, str]:
        """Return this machine's versions."""
        return task.environment()

    def submit(self, work: Task) -> Future[Outcome]:
        """Have a submission graded by the next process that is free."""
        return self.threads.submit(child.grade, work)

    def drop(self, waiting: Iterable[Future[Outcome]]) -> None:
        """Cancel what no process has begun."""
        for future in waiting:
            future.cancel()

    def close(self, *, now: bool = False) -> None:
        """End the processes."""
        if now:
            child.end_all()
        self.threads.shutdown(wait=True, cancel_futures=True)
        child.end_all()
