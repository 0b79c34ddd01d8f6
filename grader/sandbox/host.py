"""The grader's side of the sandbox: starts the zygote, hands out workers, asks them questions."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grader import wire
from grader.errors import NotGraded
from grader.sandbox import boot, host_mode
from grader.sandbox.limits import Limits

START_SECONDS = 60.0
KIB = 1024
Answer = dict[str, Any]
LOST = (OSError, ValueError, KeyError, EOFError)


class WorkerFault(Exception):
    """A worker failed the question it was on; `verdict` is "timeout", "crashed" or "error"."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict


class Raised(Exception):
    """Student code raised inside a probe; `what` holds type, text, frames as plain data."""

    def __init__(self, what: dict[str, Any]) -> None:
        super().__init__(f"{what.get('type', 'Exception')}: {what.get('text', '')}")
        self.what = what


@dataclass(frozen=True)
class Reply:
    """What a probe sent back: plain builtins and arrays; believed in nothing but their bytes."""

    values: dict[str, Any]
    arrays: list[np.ndarray]


@dataclass
class Output:
    """The head and the tail of what a worker printed, and how many bytes fell out between."""

    limit: int
    head: bytes = b""
    tail: bytes = b""
    dropped: int = 0

    def add(self, data: bytes) -> None:
        """Keep what fits: the first half of the limit, then a moving last half."""
        half = self.limit // 2
        room = half - len(self.head)
        self.head, data = self.head + data[:room], data[max(room, 0) :]
        self.tail += data
        if len(self.tail) > half:
            self.dropped += len(self.tail) - half
            self.tail = self.tail[-half:]

    def take(self) -> str:
        """Return the text so far and forget it."""
        gap = f"\n... {self.dropped} bytes left out ...\n".encode() if self.dropped else b""
        text = (self.head + gap + self.tail).decode("utf-8", "replace")
        self.head, self.tail, self.dropped = b"", b"", 0
        return text


@dataclass
class Zygote:
    """Workers for one submission. Use as a context manager; leaving it kills everything it started."""

    submission: dict[str, Any]
    cwd: Path
    limits: Limits = field(default_factory=Limits)
    mode: str = field(default_factory=host_mode)
    started: boot.Interpreter | None = None
    usage: list[Answer] = field(default_factory=list)

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
        worker.close()
        answer: Answer = {}
        if worker.process is not None:
            _kill_group(worker.pid)
            worker.process.wait()
        else:
            with contextlib.suppress(*LOST):
                answer = self._order({"do": "end", "pid": worker.pid})
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
            self._discard_spare()
        for worker in self._live.values():
            _kill_group(worker.pid)
            worker.close()
        self._live.clear()
        if self.mode == "fork":
            _kill_group(self._process.pid)
            self._process.wait()
            self._control.close()

    def _start(self) -> None:
        started, self.started = self.started or boot.start("fork"), None
        self._process, self._control = started.process, started.control
        self._control.settimeout(START_SECONDS)
        self._buffer = b""
        self._asked: deque[Answer] = deque([{}])  # the first line says that the zygote is ready
        with contextlib.suppress(OSError):  # a dead zygote is reported by the first worker()
            self._send({"settings": self._settings(), "submission": self.submission})

    def _settings(self) -> dict[str, Any]:
        return {"limits": self.limits.as_dict(), "cwd": str(self.cwd)}

    def _next(self) -> Worker:
        worker, answer = self._spare or self._fork()
        self._spare = None
        worker.pid = int(self._wait(answer)["pid"])
        self._live[worker.pid] = worker
        self._spare = self._fork()
        return worker

    def _fork(self) -> tuple[Worker, Answer]:
        worker, descriptors = _channel(self.limits)
        answer = self._order({"do": "fork"}, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return worker, answer

    def _discard_spare(self) -> None:
        if self._spare is not None:
            (worker, answer), self._spare = self._spare, None
            worker.pid = int(self._wait(answer)["pid"])
            self.end(worker)

    def _spawned(self) -> Worker:
        worker, descriptors = _channel(self.limits)
        started = boot.start("once")
        order = {"settings": self._settings(), "submission": self.submission}
        _send_order(started.control, order, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        started.control.close()
        worker.process, worker.pid = started.process, started.process.pid
        self._live[worker.pid] = worker
        return worker

    def _restarted(self) -> Worker:
        """Replace a dead zygote, once per question; a second failure is the grader's."""
        self.close()
        self._start()
        try:
            return self._next()
        except LOST as error:
            raise NotGraded(
                f"no worker process starts ({type(error).__name__}); run `python -m grader doctor`"
            ) from error

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


@dataclass
class Worker:
    """One process with student code in it, and the questions to it."""

    connection: socket.socket
    output_fd: int
    output: Output
    pid: int = 0
    process: subprocess.Popen[bytes] | None = None
    confinement: dict[str, Any] | None = None
    deadline: float = 0.0
    seconds: float = 0.0
    is_alive: bool = True
    buffer: bytearray = field(default_factory=bytearray)

    def allow(self, seconds: float) -> None:
        """Give the questions that follow `seconds` of the grader's clock, all together."""
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = 1 << 20
    ) -> Reply:
        """Run a probe in the worker and return its reply.

        `expect` is the number of payload bytes that an honest reply may have. Raises `Raised` when
        student code raised, `WorkerFault` when the worker died, hung or spoke nonsense.
        """
        nonce = secrets.token_hex(8)
        try:
            if self.confinement is None:
                self.confinement, _ = wire.decode(self._read, 0)
            frame = wire.encode({"probe": probe, "arguments": arguments, "nonce": nonce}, arrays)
            self._write(frame)
            values, replied = wire.decode(self._read, 2 * expect + 64 * KIB)
        except wire.WireError as error:
            self.is_alive = False
            raise WorkerFault("error", f"the worker's reply is not valid: {error}") from error
        except WorkerFault:
            self.is_alive = False
            raise
        return _checked(values, replied, nonce, self)

    def drain(self) -> None:
        """Read what was printed so far."""
        while select.select([self.output_fd], [], [], 0)[0]:
            data = os.read(self.output_fd, 65536)
            if not data:
                return
            self.output.add(data)
            if self.output.dropped > 64 * KIB * KIB:
                return

    def close(self) -> None:
        """Close this side's descriptors."""
        if self.output_fd >= 0:
            with contextlib.suppress(OSError):
                self.drain()
            self.connection.close()
            os.close(self.output_fd)
            self.output_fd = -1
        self.is_alive = False

    def _wait(self, *, writing: bool) -> None:
        """Wait until the wire is ready, reading the output meanwhile, until the deadline."""
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise WorkerFault("timeout", f"no answer within {self.seconds:.0f} s")
            wire_fd = [self.connection.fileno()]
            watched = [] if writing else wire_fd
            readable, writable, _ = select.select(
                [*watched, self.output_fd], wire_fd if writing else [], [], left
            )
            if self.output_fd in readable:
                data = os.read(self.output_fd, 65536)
                self.output.add(data)
                if not data and not writable and wire_fd[0] not in readable:
                    readable = self._only_wire(writing, left)
                    writable = readable
            if writable or wire_fd[0] in readable:
                return

    def _only_wire(self, writing: bool, left: float) -> list[int]:
        """Wait for the wire alone: the worker has closed its standard streams."""
        wire_fd = [self.connection.fileno()]
        readable, writable, _ = select.select(
            [] if writing else wire_fd, wire_fd if writing else [], [], left
        )
        return [*readable, *writable]

    def _read(self, count: int) -> bytes:
        while len(self.buffer) < count:
            self._wait(writing=False)
            try:
                data = self.connection.recv(1 << 18)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                data = b""
            if not data:
                raise WorkerFault("crashed", "the worker process ended before it answered")
            self.buffer += data
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data

    def _write(self, frame: bytes) -> None:
        view = memoryview(frame)
        while view:
            self._wait(writing=True)
            try:
                view = view[self.connection.send(view) :]
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise WorkerFault("crashed", "the worker process ended before it answered") from error


def _checked(values: dict[str, Any], arrays: list[np.ndarray], nonce: str, worker: Worker) -> Reply:
    if values.pop("nonce", None) != nonce:
        worker.is_alive = False
        raise WorkerFault("error", "the worker's reply does not belong to the question")
    raised = values.get("raised")
    if type(raised) is dict:
        raise Raised(raised)
    result = values.get("result")
    if type(result) is not dict:
        worker.is_alive = False
        raise WorkerFault("error", "the worker's reply has no result")
    return Reply(result, arrays)


def _send_order(control: socket.socket, order: dict[str, Any], descriptors: list[int] | None = None) -> None:
    data = json.dumps(order).encode()
    frame = f"{len(data):010d}".encode() + data
    sent = socket.send_fds(control, [frame], descriptors) if descriptors else 0
    control.sendall(frame[sent:])


def _channel(limits: Limits) -> tuple[Worker, list[int]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    read_end, write_end = os.pipe()
    worker = Worker(ours, read_end, Output(limits.output))
    return worker, [theirs.detach(), write_end]


def _kill_group(pid: int) -> None:
    if pid > 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
