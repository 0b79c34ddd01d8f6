"""A process that grades one submission after the other, and dies with whoever started it.

The first submission pays for starting Python and loading numpy, the others do not. It is a plain subprocess,
since those of multiprocessing may not be started from a Dask worker, and one by one rather than a pool, so
that the submission that ended a process is known.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import BinaryIO

from grader.classroom.task import Outcome, Task, receive, send

TRIES = 2
LONGEST = 1200.0  # seconds for one submission; a grading run limits itself to 300, and its search for causes
MOST = 200  # submissions before a fresh process takes over, whatever may have been left in this one
ROOT = str(Path(__file__).resolve().parents[2])


class Gone(Exception):
    """Raised when the process ended in the middle of a submission."""


class Child:
    """One such process, seen from the one that started it."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="grader-class-")
        os.chmod(self.folder, 0o711)  # workers are another user, and reach what is theirs in it
        self.done = 0
        paths = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH", "")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.classroom.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if "GRADER_TRACEBACK" in os.environ else subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self.folder, "PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for the one who started it
        )
        _living.add(self)

    def grade(self, task: Task) -> Outcome:
        """Return the outcome of one submission. Raises `Gone` when the process ends meanwhile."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        clock = threading.Timer(LONGEST, self.process.kill)
        clock.daemon = True
        clock.start()
        try:
            send(self.process.stdin, task)  # type: ignore[arg-type]
            outcome = receive(self.process.stdout, Outcome)  # type: ignore[arg-type]
        except (OSError, EOFError, ValueError) as error:
            raise Gone(_death(self.process.wait())) from error
        finally:
            clock.cancel()
        self.done += 1
        return outcome

    def close(self) -> None:
        """End the process and remove what it may have left."""
        _living.discard(self)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        shutil.rmtree(self.folder, ignore_errors=True)


_living: set[Child] = set()
_mine = threading.local()
_ended = threading.Event()


def grade(task: Task) -> Outcome:
    """Grade a submission in this thread's process, in a fresh one if it dies, at most twice."""
    reason = ""
    for _ in range(TRIES):
        if _ended.is_set():
            return Outcome(kind="stopped")
        child = _own()
        try:
            return child.grade(task)
        except Gone as gone:
            reason = str(gone)
            child.close()
            _mine.child = None
    return Outcome(kind="set-aside", reason=f"ended the process that graded it {TRIES} times ({reason})")


def _own() -> Child:
    child: Child | None = getattr(_mine, "child", None)
    if child is not None and (child.done >= MOST or child.process.poll() is not None):
        child.close()
        child = None
    if child is None:
        child = _mine.child = Child()
    return child


def end_all() -> None:
    """End the processes of all threads at once; what they were grading comes back as "stopped"."""
    _ended.set()
    for child in list(_living):
        child.close()


def begin() -> None:
    """Allow processes to be started (again)."""
    _ended.clear()


def _death(status: int) -> str:
    if status == -9:
        return "killed: out of memory, or longer than 20 minutes?"
    return f"signal {-status}" if status < 0 else f"exit code {status}"


def main() -> None:
    """Grade what comes in on standard input until it ends."""
    from grader.classroom import task as work
    from grader.sandbox import identity

    identity.hide()  # a secret seed passes through here
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed gets between the frames
    tasks: queue.Queue[Task] = queue.Queue()
    threading.Thread(target=_listen, args=(source, tasks), daemon=True).start()
    import grader.classroom.grade  # noqa: F401  loaded while the first submission is on its way

    while True:
        send(target, work.grade(tasks.get()))


def _listen(source: BinaryIO, tasks: queue.Queue[Task]) -> None:
    """Hand on what comes in; end this process, whatever it is doing, with the one that started it."""
    try:
        while True:
            tasks.put(receive(source, Task))
    except (EOFError, OSError):
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
        os._exit(0)


if __name__ == "__main__":
    main()
