"""The worker's loop: reads a question, runs a probe on the submission, sends back what came out."""

from __future__ import annotations

import contextlib
import io
import socket
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from grader import wire
from grader.worker import (
    apps,
    autograd,
    data,
    describe,
    hw0,
    init,
    learning,
    load,
    mlp,
    mlp_training,
    mutate,
    nn,
    official,
    ops,
    optim,
    picture,
    scaffold,
    substitute,
    survey,
)

Probe = Callable[[load.Submission, dict[str, Any], list[np.ndarray]], tuple[dict[str, Any], list[np.ndarray]]]

MAX_QUESTION = 1 << 30
PROBES: dict[str, Probe] = {
    **survey.PROBES,
    **scaffold.PROBES,
    **ops.PROBES,
    **autograd.PROBES,
    **apps.PROBES,
    **init.PROBES,
    **nn.PROBES,
    **optim.PROBES,
    **learning.PROBES,
    **picture.PROBES,
    **data.PROBES,
    **mlp.PROBES,
    **mlp_training.PROBES,
    **hw0.PROBES,
    **substitute.PROBES,
    **mutate.PROBES,
    **official.PROBES,
}


def prepare(description: dict[str, Any]) -> load.Submission:
    """Read and compile the submission's files; runs in the zygote and executes none of them."""
    return load.Submission(description)


def serve(connection: socket.socket, submission: load.Submission) -> None:
    """Answer questions until the grader closes the connection or kills this process."""
    sys.breakpointhook = _nothing  # a breakpoint() left in stops nobody; it works under --debug
    submission.enter()
    while True:
        message, arrays = wire.decode(lambda count: _exactly(connection, count), MAX_QUESTION)
        frame = _answer(submission, message, arrays)
        _flush()
        connection.sendall(frame)


def read(connection: socket.socket, submission: load.Submission) -> None:
    """Answer questions about the sources; nothing of the submission is imported or run in this process."""
    while True:
        message, arrays = wire.decode(lambda count: _exactly(connection, count), MAX_QUESTION)
        connection.sendall(_answer(submission, message, arrays))


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing."""


def _answer(submission: load.Submission, message: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    nonce = {"nonce": message["nonce"]}
    try:
        probe = PROBES[message["probe"]]
        result, replied = probe(submission, message["arguments"], [array.copy() for array in arrays])
        return wire.encode({"result": result, **nonce}, replied)
    except BaseException as error:  # student code may raise anything, SystemExit included
        return wire.encode({"raised": describe.exception(submission, error), **nonce})


def _exactly(connection: socket.socket, count: int) -> bytes:
    buffer = io.BytesIO()
    while buffer.tell() < count:
        data = connection.recv(min(count - buffer.tell(), 1 << 20))
        if not data:
            raise EOFError
        buffer.write(data)
    return buffer.getvalue()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
