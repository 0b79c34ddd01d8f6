"""One worker as the grader sees it: questions go out, replies come back, output is kept.

Questions may be posted ahead of their replies, which then come in the same order; so a worker can be
busy with the next question while the grader judges the last reply.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader import replies, wire

KIB = 1024
MIB = 1024 * KIB
MOST_UNREAD = 64 * MIB


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
class Ticket:
    """A question that was posted: what an honest reply may weigh, and the outcome once it is known."""

    probe: str
    arguments: dict[str, Any]
    sent: int
    nonce: str
    expect: int
    outcome: Reply | Exception | None = None


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
    _buffer: bytearray = field(default_factory=bytearray)
    _posted: deque[Ticket] = field(default_factory=deque)
    _has_output: bool = True

    def allow(self, seconds: float) -> None:
        """Give the questions that follow `seconds` of the grader's clock, all together."""
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = MIB
    ) -> Reply:
        """Run a probe in the worker and return its reply.

        `expect` is the number of payload bytes that an honest reply may have. Raises `Raised` when
        student code raised, `WorkerFault` when the worker died, hung or spoke nonsense.
        """
        return self.collect(self.post(probe, arguments, arrays, expect=expect))

    def post(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = MIB
    ) -> Ticket:
        """Send a question without waiting for its reply."""
        ticket = Ticket(probe, arguments, len(arrays), secrets.token_hex(8), expect)
        message = {"probe": probe, "arguments": arguments, "nonce": ticket.nonce}
        self._posted.append(ticket)
        try:
            self._write(wire.encode(message, arrays))
        except WorkerFault as fault:
            self._fail(fault)
        return ticket

    def collect(self, ticket: Ticket) -> Reply:
        """Return the reply to a posted question; raises as `ask` does."""
        while ticket.outcome is None:
            try:
                if self.confinement is None:
                    self.confinement, _ = wire.decode(self._read, 0)
                first = self._posted[0]
                values, arrays = wire.decode(self._read, 2 * first.expect + 64 * KIB)
                first.outcome = _outcome(values, arrays, first)
                self._posted.popleft()
            except wire.WireError as error:
                self._fail(WorkerFault("error", f"the worker's reply is not valid: {error}"))
            except WorkerFault as fault:
                self._fail(fault)
        if isinstance(ticket.outcome, Reply):
            return ticket.outcome
        raise ticket.outcome

    def hello(self, seconds: float) -> dict[str, Any]:
        """Wait for the first frame, sent before student code is loaded: the confinement in force."""
        self.allow(seconds)
        try:
            self.confinement, _ = wire.decode(self._read, 0)
        except wire.WireError as error:
            raise WorkerFault("error", f"the worker's first frame is not valid: {error}") from error
        return self.confinement

    def settle(self) -> None:
        """Read and forget the replies that are still to come."""
        while self._posted:
            with contextlib.suppress(Raised, WorkerFault):
                self.collect(self._posted[-1])

    def drain(self) -> None:
        """Read what was printed so far."""
        while self._has_output and select.select([self.output_fd], [], [], 0)[0]:
            self._read_output()
            if self.output.dropped > 64 * MIB:
                return

    def close(self) -> None:
        """Close this side's descriptors."""
        if self.output_fd >= 0:
            with contextlib.suppress(OSError):
                self.drain()
            self.connection.close()
            os.close(self.output_fd)
            self.output_fd = -1
            self._has_output = False
        self.is_alive = False

    def _fail(self, fault: WorkerFault) -> None:
        """Give every question that is open the fault as its outcome; the worker is of no more use."""
        self.is_alive = False
        for ticket in self._posted:
            ticket.outcome = fault
        self._posted.clear()

    def _wait(self, *, writing: bool) -> None:
        """Wait until the wire can be read (or written), reading output and replies meanwhile."""
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise WorkerFault("timeout", f"no answer within {self.seconds:.0f} s")
            wire_fd = self.connection.fileno()
            outputs = [self.output_fd] if self._has_output else []
            readable, writable, _ = select.select([wire_fd, *outputs], [wire_fd] if writing else [], [], left)
            if self.output_fd in readable:
                self._read_output()
            if wire_fd in readable:
                self._receive()
            if writable or (wire_fd in readable and not writing):
                return

    def _read_output(self) -> None:
        data = os.read(self.output_fd, 65536)
        self.output.add(data)
        self._has_output = bool(data)

    def _receive(self) -> None:
        try:
            data = self.connection.recv(1 << 18)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            raise WorkerFault("crashed", "the worker process ended before it answered")
        self._buffer += data
        if len(self._buffer) > MOST_UNREAD + 2 * sum(ticket.expect for ticket in self._posted):
            raise WorkerFault("error", "the worker sends far more than was asked for")

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._wait(writing=False)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _write(self, frame: bytes) -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self.connection.send(view) :]
            except (BlockingIOError, InterruptedError):
                self._wait(writing=True)
            except OSError as error:
                raise WorkerFault("crashed", "the worker process ended before it answered") from error


def _outcome(values: dict[str, Any], arrays: list[np.ndarray], ticket: Ticket) -> Reply | Raised:
    if values.pop("nonce", None) != ticket.nonce:
        raise WorkerFault("error", "the worker's reply does not belong to the question")
    raised, result = values.get("raised"), values.get("result")
    try:
        if type(raised) is dict:
            return Raised(replies.raised(raised))
        if type(result) is dict:
            fit = replies.fitted(ticket.probe, ticket.arguments, ticket.sent, result, len(arrays))
            return Reply(fit, arrays)
    except ValueError as error:
        raise WorkerFault("error", f"the worker's reply is not one to the question: {error}") from error
    raise WorkerFault("error", "the worker's reply has no result")


def open_channel(output_limit: int) -> tuple[Worker, list[int]]:
    """Return a worker to be and the two descriptors (wire, output) that its process needs."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    read_end, write_end = os.pipe()
    worker = Worker(ours, read_end, Output(output_limit))
    return worker, [theirs.detach(), write_end]
