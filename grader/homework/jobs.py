"""Runs the checks of one submission in several processes of the grader.

Subjects that need each other stay together. Every process takes the next portion when it is done with
one; what it finds travels back through a pipe, one line per check.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grader.errors import UsageError
from grader.homework.check import Check
from grader.report.model import CheckResult

Portion = list[list[Check]]
MOST_USUAL = 4


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require(asked: int | None) -> None:
    """Raise `UsageError` for a number of processes that cannot be."""
    if asked is not None and asked < 1:
        raise UsageError(f"--jobs {asked}: at least 1 process is needed")


def usual(asked: int | None) -> int:
    """Return in how many processes one submission is graded: as asked, else a few, as there is work for."""
    require(asked)
    return min(MOST_USUAL, processors()) if asked is None else asked


def portions(groups: Sequence[list[Check]]) -> list[Portion]:
    """Return groups of checks (one subject each) joined where a check needs one of another group.

    Those with many checks come first: what is begun last should be short.
    """
    home = {check.id: i for i, group in enumerate(groups) for check in group}
    joined = list(range(len(groups)))

    def root(i: int) -> int:
        while joined[i] != i:
            i = joined[i]
        return i

    for i, group in enumerate(groups):
        for check in group:
            for need in check.needs:
                if need in home:
                    joined[max(root(i), root(home[need]))] = min(root(i), root(home[need]))
    found: dict[int, Portion] = {}
    for i, group in enumerate(groups):
        found.setdefault(root(i), []).append(group)
    return sorted(found.values(), key=lambda portion: -sum(map(len, portion)))


@dataclass
class Helper:
    """A forked process of the grader that works on portions too, and the pipe it reports through."""

    pid: int
    pipe: int
    buffer: bytes = b""
    is_open: bool = True

    def lines(self) -> list[dict[str, Any]]:
        """Return the reports that can be read now without waiting."""
        while self.is_open and select.select([self.pipe], [], [], 0)[0]:
            self._read()
        *whole, self.buffer = self.buffer.split(b"\n")
        return [json.loads(line) for line in whole]

    def wait(self) -> None:
        """Wait until there is more to read."""
        if self.is_open:
            self._read()

    def _read(self) -> None:
        data = os.read(self.pipe, 1 << 20)
        self.buffer += data
        self.is_open = bool(data)

    def close(self) -> None:
        """Kill the process and reap it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        os.close(self.pipe)


class Queue:
    """Numbers of portions that several processes take from, each number once."""

    def __init__(self, count: int) -> None:
        self._read_end, write_end = os.pipe()
        os.write(write_end, bytes(range(count)))  # at most 255 portions: one byte each
        os.close(write_end)

    def take(self) -> int | None:
        """Return the next number, None when there is none left."""
        data = os.read(self._read_end, 1)
        return data[0] if data else None

    def close(self) -> None:
        """Close this process's end."""
        os.close(self._read_end)


def helper(work: Callable[[Callable[[CheckResult], None]], dict[str, Any]]) -> Helper:
    """Fork a process that runs `work(report)` and sends each reported result, then what work returns."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return Helper(pid, read_end)
    try:
        os.close(read_end)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

        def report(result: CheckResult) -> None:
            os.write(write_end, json.dumps({"result": asdict(result)}).encode() + b"\n")

        os.write(write_end, json.dumps({"done": work(report)}).encode() + b"\n")
    finally:
        os._exit(0)
