"""The process that workers are forked from: trusted, with numpy loaded and no student code in it.

It is started once per submission by exec, so that nothing of the grader (expected values, tokens)
is in its memory. It takes orders on a Unix socket: each order is JSON behind its length, with
descriptors attached where the order needs them. Student code runs in its children only.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import socket
import sys
from collections.abc import Callable, Container
from typing import Any

from grader import wire
from grader.sandbox import confine, family, identity, resources

ORDER_HEAD = 10  # an order is its length as ten digits, then JSON
# What reading and compiling a submission may take; a right one takes a hundredth of it.
READING_MEMORY, READING_SECONDS = 256 << 20, 20
Serve = Callable[[socket.socket, Any], None]
Prepare = Callable[[dict[str, Any]], Any]


def load_numpy() -> None:
    """Import numpy and the parts of it that it would otherwise import when first used."""
    import numpy
    import numpy.linalg
    import numpy.random

    numpy.ones((2, 2)) @ numpy.ones((2, 2))


def _numpy_home() -> str:
    """Return the folder that numpy's folder lies in."""
    return os.path.dirname(os.path.dirname(str(sys.modules["numpy"].__file__)))


def main(mode: str, descriptor: int, serve: Serve, read: Serve, prepare: Prepare) -> None:
    """Serve orders until the grader closes its end; `mode` is "fork" or "once".

    A worker does what its order says: "serve" runs student code, "read" looks at the sources alone, "idle"
    says its confinement and ends.
    """
    work = {"serve": serve, "read": read, "idle": _idle}
    grader = os.getppid()
    family.die_with_parent(grader)
    identity.die_first()
    identity.hide()
    control = socket.socket(fileno=descriptor)
    first, descriptors = _receive(control)
    plan = confine.prepare(first["settings"], _numpy_home())
    prepared = _prepared(prepare, first["submission"])
    if mode == "once":
        _become_worker(control, descriptors, plan, work[first["work"]], prepared, grader)
    family.adopt_orphans()
    try:
        _send(control, {"ready": os.getpid()})
        _orders(control, plan, work, prepare, prepared)
    except (OSError, EOFError):  # the grader is gone, or has closed its end with answers unread
        _sweep()


def _prepared(prepare: Prepare, submission: dict[str, Any]) -> Any:
    with resources.bounded(READING_MEMORY, READING_SECONDS):
        prepared = prepare(submission)
    gc.freeze()
    return prepared


def _orders(
    control: socket.socket, plan: confine.Plan, work: dict[str, Serve], prepare: Prepare, prepared: Any
) -> None:
    kept: set[int] = set()  # workers in use, and clones
    while True:
        family.outlive_parent()  # the end of the socket tells, and leaves time to sweep
        order, descriptors = _receive(control)
        family.die_with_parent()
        if order["do"] == "fork":
            pid = _fork(control, descriptors, plan, work[order["work"]], prepared)
            kept.add(pid)
            _send(control, {"pid": pid})
        elif order["do"] == "end":
            kept.discard(order["pid"])
            _send(control, _end(order["pid"]))
            _sweep(kept)
        elif order["do"] == "load":
            prepared = _prepared(prepare, order["submission"])
        elif order["do"] == "clone":
            control, pid = _clone(control, descriptors[0])
            kept = kept | {pid} if pid else set()


def _clone(control: socket.socket, descriptor: int) -> tuple[socket.socket, int]:
    """Fork a second zygote that takes its orders on another socket.

    Return the socket to go on with, and the clone's pid, 0 in the clone.
    """
    other = socket.socket(fileno=descriptor)
    pid = os.fork()
    if pid == 0:
        family.adopt_orphans()
        control.close()
        _send(other, {"ready": os.getpid()})
        return other, 0
    other.close()
    return control, pid


def _idle(connection: socket.socket, prepared: Any) -> None:
    """Serve nothing: this worker was started to say what confinement is in force."""


def _fork(
    control: socket.socket, descriptors: list[int], plan: confine.Plan, serve: Serve, prepared: Any
) -> int:
    zygote = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become_worker(control, descriptors, plan, serve, prepared, zygote)
    for descriptor in descriptors:
        os.close(descriptor)
    return pid


def _become_worker(
    control: socket.socket,
    descriptors: list[int],
    plan: confine.Plan,
    serve: Serve,
    prepared: Any,
    parent: int,
) -> None:
    """Confine this process, say what is in force, then serve requests. Never returns."""
    status = 1
    try:
        control.detach()
        wire_end, output = descriptors
        report = confine.enter(wire_end, output, plan, parent)
        connection = socket.socket(fileno=confine.WIRE)
        connection.sendall(wire.encode(report))
        random.seed(0)
        sys.modules["numpy"].random.seed(0)
        serve(connection, prepared)
        status = 0
    finally:
        os._exit(status)


def _end(pid: int) -> dict[str, Any]:
    """Kill the worker's process group, reap it, and return the kernel's account of it."""
    for target in (os.killpg, os.kill):
        try:
            target(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    try:
        _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return {"status": None}
    unit = 1 if sys.platform == "darwin" else 1024
    return {"status": status, "rss": usage.ru_maxrss * unit, "cpu": usage.ru_utime + usage.ru_stime}


def _sweep(kept: Container[int] = ()) -> None:
    """Kill this process's children but those `kept`: orphans of a worker that left its session.

    The children of a killed orphan become ours in their turn, so this goes on until there are none.
    """
    while orphans := [pid for pid in family.children() if pid not in kept]:
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            os.waitpid(pid, 0)


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the next order and its descriptors; raises EOFError when the grader is gone.

    Bytes are read one order at a time: the descriptors that come with an order belong to it.
    """
    head, descriptors, _, _ = socket.recv_fds(control, ORDER_HEAD, 4)
    length = int(head + _exactly(control, ORDER_HEAD - len(head)))
    return json.loads(_exactly(control, length)), list(descriptors)


def _exactly(control: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = control.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")
