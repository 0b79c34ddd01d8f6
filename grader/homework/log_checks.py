"""The ops of hw2, LogSumExp and LogSoftmax: their rows, and the check that they do not overflow."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from grader.homework import layouts
from grader.homework.check import Check
from grader.homework.op import Case, Domain, Layout, Op
from grader.homework.op_checks import forward_checks, gradient_checks
from grader.homework.op_truth import ask_forward, ask_gradient
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import ops as truth

LARGE = 1e4
OVERFLOW = (
    "exp overflows, in float32 from 89 on: subtract the maximum over the same axes first, add it at the end"
)
EMPTY = (
    "every exp of that sum has become 0: subtract the maximum over the same axes (`keepdims=True`), "
    "not that of the whole array"
)
QUOTIENT = (
    "log of a quotient that has become 0: compute `z - log(sum(exp(z)))` with z = x - maximum, and not "
    "`log(exp(z) / sum(exp(z)))`"
)


def _matrix(source: Source) -> Layout:
    return ((source.integer(1, 4), source.integer(1, 4)),), ()


LOGSUMEXP = Op(
    "LogSumExp",
    truth.logsumexp,
    [
        (((2, 3),), ((1,),)),
        (((3, 3),), ((0,),)),
        (((2, 2),), (None,)),
        (((2, 1, 3),), ((2,),)),
        (((1, 3),), ((1,),)),
        (((2, 3, 2),), ((0, 2),)),
        (((3, 3, 3),), ((1,),)),
        (((1, 2, 1),), ((1,),)),
        (((4,),), ((0,),)),
    ],
    layouts.sums,
    domains=(Domain(-3.0, 3.0),),
    advised=[*((((2, 3),), (axes,)) for axes in (1, 0, (-1,), -1)), (((2, 3, 4),), ((2, 0),))],
    advice="fails for axes={axes!r}, though it works for a tuple of axes in order, counted from the left",
)

LOGSOFTMAX = Op(
    "LogSoftmax",
    truth.logsoftmax,
    [(((2, 3),), ()), (((3, 3),), ()), (((1, 4),), ()), (((3, 1),), ()), (((2, 2),), ())],
    _matrix,
    domains=(Domain(-3.0, 3.0),),
    asked=lambda starter: starter != "2022",
)

OPS = [LOGSUMEXP, LOGSOFTMAX]


def logarithms(question: str) -> tuple[Check, ...]:
    """Return the checks of both ops."""
    return tuple(check for op in OPS for check in _checks(op, question))


def _checks(op: Op, question: str) -> list[Check]:
    forward, backward = (
        forward_checks(op, question),
        gradient_checks(op, question, question, graph_weight=1.0),
    )
    renamed = [_gradients_own(check) for check in backward]
    make = partial(Check, question, op.name, asked=op.asked)
    return [
        *forward,
        make(
            "stable",
            f"{op.name} of large numbers is finite",
            partial(_stable, op),
            weight=2.0,
            needs=(f"{question}.{op.name}.forward",),
            target=f"needle.ops.{op.name}.compute",
        ),
        *renamed,
        make(
            "gradient_stable",
            f"{op.name}'s gradient at large numbers is finite",
            partial(_gradient_stable, op),
            needs=(f"{question}.{op.name}.gradient",),
            target=f"needle.ops.{op.name}.gradient",
        ),
    ]


def _gradients_own(check: Check) -> Check:
    """Give the gradient's hygiene an id of its own: compute and gradient stand in one question here."""
    return replace(check, kind="gradient_hygiene") if check.kind == "hygiene" else check


def _large(op: Op) -> list[Case]:
    """Return inputs around 1e4 and -1e4, far apart and close together."""
    values = np.array([[LARGE, LARGE - 1.0, -LARGE], [-LARGE, -LARGE + 0.5, -LARGE]])
    if op is LOGSUMEXP:
        rows = Case((values,), ((1,),), np.array([1.5, -0.5]))
        return [rows, *(Case((sign * values[:1, :2],), (None,), np.array(1.5)) for sign in (1, -1))]
    return [Case((values,), (), np.array([[1.0, -2.0, 0.5], [0.25, 1.0, -1.5]]))]


def _stable(op: Op, trial: Trial) -> None:
    for case in _large(op):
        _demand(op, "compute", case, ask_forward(op, trial, case).arrays, [op.value(case)])


def _gradient_stable(op: Op, trial: Trial) -> None:
    for case in _large(op):
        _demand(op, "gradient", case, ask_gradient(op, trial, case).arrays, [_large_gradient(op, case)])


def _large_gradient(op: Op, case: Case) -> np.ndarray:
    """Return the gradient by its formula: differences of numbers near 1e4 lose too many digits."""
    softmax = np.exp(truth.logsoftmax(case.inputs[0]))
    if op is LOGSUMEXP:
        if case.parameters == (None,):
            return case.cotangent * np.exp(case.inputs[0] - op.value(case))
        return case.cotangent[:, None] * softmax
    return case.cotangent - softmax * np.sum(case.cotangent, axis=1, keepdims=True)


def _help(op: Op, mine: np.ndarray) -> str:
    empty = np.isneginf(mine)
    if op is LOGSOFTMAX and not empty.any() and not np.isnan(mine).any():
        empty = np.isposinf(mine)  # minus the logarithm of 0
    if not empty.any():
        return OVERFLOW
    single = op is LOGSOFTMAX and mine.ndim == 2 and not empty.all(axis=1).any()
    return QUOTIENT if single else EMPTY


def _demand(op: Op, method: str, case: Case, mine: list[np.ndarray], right: list[np.ndarray]) -> None:
    wrong = compare.mismatch(mine[0], right[0], scale=LARGE) if mine else None
    if wrong is None:
        return
    name = f"{op.name}.{method}"
    text = f"is not stable: {wrong.text}" if wrong.kind == "finite" else f"at large numbers is {wrong.text}"
    raise Failure(
        f"{name} {text}",
        help=_help(op, mine[0]),
        counterexample=op.shown(case, with_cotangent=method == "gradient"),
        expected=words.excerpt(right[0]),
        actual=words.excerpt(mine[0]),
        group=wrong.kind,
    )
