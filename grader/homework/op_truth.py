"""Holds what a worker sent back for an op against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from grader.homework.examine import demand, demand_kind
from grader.homework.op import Case, Op
from grader.homework.trial import Request, Trial
from grader.judge import compare
from grader.judge.failure import Failure
from grader.oracle import finite
from grader.sandbox.channel import Reply


def forward_request(op: Op, case: Case) -> Request:
    """Return the question for the op's output."""
    return Request("op.forward", op.arguments(case), list(case.inputs), max(op.value(case).nbytes, 1024))


def gradient_request(op: Op, case: Case) -> Request:
    """Return the question for the op's gradients, with the nodes that the call makes."""
    arrays = [*case.inputs, case.cotangent]
    return Request("op.gradient", op.arguments(case), arrays, sum(array.nbytes for array in arrays))


def ask_forward(op: Op, trial: Trial, case: Case) -> Reply:
    """Ask the worker for the op's output."""
    return _remembered(trial, "forward", case, forward_request(op, case))


def ask_gradient(op: Op, trial: Trial, case: Case) -> Reply:
    """Ask the worker for the op's gradients of a case."""
    return _remembered(trial, "gradient", case, gradient_request(op, case))


def _remembered(trial: Trial, kind: str, case: Case, request: Request) -> Reply:
    reply = trial.ask(request.probe, request.arguments, request.arrays, expect=request.expect)
    trial.remember(kind, (case, reply))
    return reply


def demand_gradient(op: Op, case: Case, gradients: Sequence[np.ndarray]) -> None:
    """Compare each gradient along a random direction; pay for all elements only when that fails."""
    if len(gradients) != len(case.inputs):
        text = f"returns {len(gradients)} gradients for {len(case.inputs)} inputs"
        raise Failure(f"{op.name}.gradient {text}", group="count")
    for i, mine in enumerate(gradients):
        name = f"{op.name}.gradient" + (f" for input {i}" if len(gradients) > 1 else "")
        right_of = partial(finite.gradient, op.function(case), case.inputs, i, case.cotangent)
        demand_kind(mine, case.inputs[i].shape, right_of, name)
        if not projects(op, case, i, mine):
            right = finite.arbitrated(op.function(case), case.inputs, i, case.cotangent, mine)
            demand([mine], [right], [name], extra=compare.DIFFERENCE)


def projects(op: Op, case: Case, position: int, mine: np.ndarray) -> bool:
    """Tell whether a gradient has the right slope along a random direction."""
    direction = np.random.default_rng(mine.size + position).uniform(0.5, 1.5, mine.shape)
    direction *= np.where(np.arange(mine.size).reshape(mine.shape) % 2, -1.0, 1.0)
    slope = finite.projection(op.function(case), case.inputs, position, direction, case.cotangent)
    told = float(np.sum(mine * direction))
    scale = float(np.sum(np.abs(mine * direction))) + abs(slope)
    allowed = compare.tolerance(mine, np.asarray(slope), extra=compare.DIFFERENCE, scale=scale)
    return abs(told - slope) <= allowed
