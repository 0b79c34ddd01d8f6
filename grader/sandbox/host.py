"""The grader's side of the sandbox: starts the zygote and hands out workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import NotGraded
from grader.sandbox import boot, host_mode, identity, level
from grader.sandbox.channel import Worker, WorkerFault, open_channel
from grader.sandbox.limits import Limits

START_SECONDS = 60.0
END_SECONDS = 2.0
SPARE_SECONDS = 0.5
Answer = dict[str, Any]
LOST = (OSError, ValueError, KeyError, EOFError)


@dataclass
class Zygote:
    """Workers for one submission. Use as a context manager; leaving it kills everything it started."""

    submission: dict[str, Any]
    cwd: Path
    limits: Limits = field(default_factory=Limits)
    mode: str = field(default_factory=host_mode)
    started: boot.Interpreter | None = None
    readable: Sequence[Path] = ()
    usage: list[Answer] = field(default_factory=list)
    is_unreadable: bool = False  # the sources ended what read them; they are not compiled ahead any more
    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Zygote:
        self._live: dict[int, Worker] = {}
        self._spare: tuple[Worker, Answer] | None = None
        if self.mode == "fork":
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def worker(self) -> Worker:
        """Return a fresh worker, and have the next one forked meanwhile."""
        if self.mode == "once":
            return self._spawned()
        try:
            return self._next()
        except LOST:
            return self._restarted()

    def reader(self) -> Worker:
        """Return a worker that looks at the sources and runs no student code: what it says is not forged."""
        if self.mode == "once":
            return self._spawned("read")
        try:
            return self._apart("read")
        except LOST:
            self._restart()
        try:
            return self._apart("read")
        except LOST as error:
            raise _nothing_starts(error) from error

    def confinement(self) -> Answer:
        """Return the confinement that workers have, said by one that loads no student code."""
        if self.mode == "once":
            worker = self._spawned("idle")
        else:
            try:
                worker = self._apart("idle")
            except LOST:
                self._restart()
                worker = self._apart("idle")
        try:
            return worker.hello(START_SECONDS)
        finally:
            self.end(worker)

    def require(self, wanted: str) -> None:
        """Raise `NotGraded` if workers are confined less than `wanted`; see `level`."""
        try:
            level.require(self.confinement(), wanted)
        except (*LOST, WorkerFault) as error:
            raise NotGraded(f"no worker process starts ({error}); run `python -m grader doctor`") from error

    def clone(self) -> Zygote:
        """Return a second zygote for the same submission, to be used by one other process."""
        twin = Zygote(self.submission, self.cwd, self.limits, self.mode, readable=self.readable)
        twin._live, twin._spare = {}, None
        if self.mode == "fork":
            ours, theirs = socket.socketpair()
            with theirs:
                self._send({"do": "clone"}, [theirs.fileno()])
            twin._listen(ours)
        return twin

    def leave(self) -> None:
        """Close this process's end of a zygote that another process goes on with.

        `close` shuts the connection down, which that process has too.
        """
        self._control.close()

    def load(self, submission: dict[str, Any]) -> None:
        """Have the zygote compile a submission for the workers that follow."""
        self.submission = submission
        if self.mode == "fork":
            with contextlib.suppress(*LOST):
                self._discard_spare()
                self._send({"do": "load", "submission": submission})

    def end(self, worker: Worker) -> Answer:
        """Kill a worker. The kernel's account (status, rss in bytes, cpu in s) is filled in later.

        `account` waits for it; nobody else has to.
        """
        self._live.pop(worker.pid, None)
        has_failed = not worker.is_alive
        worker.close()
        answer: Answer = {}
        if worker.process is not None:
            _kill_group(worker.pid)
            worker.process.wait()
        else:
            with contextlib.suppress(*LOST):
                answer = self._order({"do": "end", "pid": worker.pid})
                if has_failed:  # it may have killed the zygote: the spare worker would die with that
                    self._wait(answer)
        self.usage.append(answer)
        return answer

    def account(self, worker: Worker) -> Answer:
        """Kill a worker and return the kernel's account of it, empty if there is none."""
        answer = self.end(worker)
        with contextlib.suppress(*LOST):
            if worker.process is None:
                self._wait(answer)
        return answer

    def close(self) -> None:
        """Kill the zygote and every worker."""
        with contextlib.suppress(*LOST):
            if self.mode == "fork":  # after Ctrl-C in the middle of an answer, the next may never come
                self._control.settimeout(SPARE_SECONDS)
            self._discard_spare()
        for worker in self._live.values():
            _kill_group(worker.pid)
            worker.close()
        self._live.clear()
        if self.mode == "fork":
            self._end_process()
            self._control.close()

    def _end_process(self) -> None:
        """Let the zygote end what its workers have left behind, then itself; kill it if that takes long."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
            if self._process is not None:
                self._control.settimeout(END_SECONDS)
                while self._control.recv(4096):
                    continue
        if self._process is not None:
            _kill_group(self._process.pid)
            self._process.wait()

    def _start(self) -> None:
        started, self.started = self.started or boot.start("fork"), None
        self._process = started.process
        self._listen(started.control)
        with contextlib.suppress(OSError):  # a dead zygote is reported by the first worker()
            self._send({"settings": self._settings(), "submission": self.submission})

    def _listen(self, control: socket.socket) -> None:
        self._control = control
        self._control.settimeout(START_SECONDS)
        self._buffer = b""
        self._ready: Answer = {}
        self._asked: deque[Answer] = deque([self._ready])  # the first line says that the zygote is ready

    def _settings(self) -> dict[str, Any]:
        readable = [self.submission["root"], str(self.cwd), *map(str, self.readable)]
        return {
            "limits": self.limits.as_dict(),
            "cwd": str(self.cwd),
            "user": identity.OWN,
            "readable": list(dict.fromkeys(readable)),
        }

    def _next(self) -> Worker:
        worker, answer = self._spare or self._fork()
        self._spare = None
        worker.pid = int(self._wait(answer)["pid"])
        self._live[worker.pid] = worker
        self._spare = self._fork()
        return worker

    def _fork(self, work: str = "serve") -> tuple[Worker, Answer]:
        worker, descriptors = open_channel(self.limits.output)
        answer = self._order({"do": "fork", "work": work}, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return worker, answer

    def _apart(self, work: str) -> Worker:
        worker, answer = self._fork(work)
        worker.pid = int(self._wait(answer)["pid"])
        self._live[worker.pid] = worker
        return worker

    def _discard_spare(self) -> None:
        if self._spare is not None:
            (worker, answer), self._spare = self._spare, None
            worker.pid = int(self._wait(answer)["pid"])
            self.end(worker)

    def _spawned(self, work: str = "serve") -> Worker:
        worker, descriptors = open_channel(self.limits.output)
        started = boot.start("once")
        order = {"settings": self._settings(), "submission": self.submission, "work": work}
        _send_order(started.control, order, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        started.control.close()
        worker.process, worker.pid = started.process, started.process.pid
        self._live[worker.pid] = worker
        return worker

    def _restarted(self) -> Worker:
        """Replace a dead zygote, once per question; a second failure is the grader's."""
        self._restart()
        try:
            return self._next()
        except LOST as error:
            raise _nothing_starts(error) from error

    def _restart(self) -> None:
        self.close()
        if not self._ready:  # it died of reading the sources: they are left to the workers
            self.submission, self.is_unreadable = {**self.submission, "compile": []}, True
        self._start()

    def _order(self, order: dict[str, Any], descriptors: list[int] | None = None) -> Answer:
        """Send an order; the dict that is returned is filled when its answer has been read."""
        self._send(order, descriptors)
        answer: Answer = {}
        self._asked.append(answer)
        return answer

    def _send(self, order: dict[str, Any], descriptors: list[int] | None = None) -> None:
        _send_order(self._control, order, descriptors)

    def _wait(self, answer: Answer) -> Answer:
        """Read answers, which come in the order of the orders, until this one is there."""
        while not answer:
            while b"\n" not in self._buffer:
                data = self._control.recv(4096)
                if not data:
                    raise EOFError("the zygote is gone")
                self._buffer += data
            line, _, self._buffer = self._buffer.partition(b"\n")
            self._asked.popleft().update(json.loads(line))
        return answer


def _nothing_starts(error: Exception) -> NotGraded:
    return NotGraded(f"no worker process starts ({type(error).__name__}); run `python -m grader doctor`")


def _send_order(control: socket.socket, order: dict[str, Any], descriptors: list[int] | None = None) -> None:
    data = json.dumps(order).encode()
    frame = f"{len(data):010d}".encode() + data
    sent = socket.send_fds(control, [frame], descriptors) if descriptors else 0
    control.sendall(frame[sent:])


def _kill_group(pid: int) -> None:
    if pid > 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
