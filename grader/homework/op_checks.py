"""The checks of one op, made from its row in a homework's table.

Kinds: forward (equals numpy), gradient (equals finite differences), and those of `op_quality`: hygiene
(inputs unchanged, dtype kept), second_order (the gradient is a graph of tensor operations), graph (nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from grader.homework import op_details, op_formula, op_quality
from grader.homework.check import Check
from grader.homework.examine import Examination
from grader.homework.op import Case, Op
from grader.homework.op_truth import (
    ask_forward,
    ask_gradient,
    demand_gradient,
    forward_request,
    gradient_request,
)
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.oracle import mistakes_forward, mistakes_ops


def forward_checks(op: Op, question: str) -> list[Check]:
    """Return the checks of `compute`."""
    target = f"needle.ops.{op.name}.compute"
    make = partial(Check, question, op.name, target=target, asked=op.asked, isolated=True, place=op.name)
    first = f"{question}.{op.name}.forward"
    checks = [
        make("forward", f"{op.name} computes what numpy computes", partial(_forward, op), weight=3.0),
        make(
            "hygiene",
            f"{op.name} keeps its inputs and their dtype",
            partial(op_quality.forward_hygiene, op),
            needs=(first,),
        ),
    ]
    if op.forms:
        title = f"{op.name} takes one axis as an int"
        checks.append(make("int_axis", title, partial(op_quality.forms, op), needs=(first,)))
    if op.advised:
        title, run = (
            f"{op.name} takes an int, negative axes, axes in any order",
            partial(op_quality.tolerant, op),
        )
        checks.append(make("forward_axes", title, run, needs=(first,), weight=0.0))
    return checks


def gradient_checks(op: Op, question: str, forward: str, *, graph_weight: float = 0.0) -> list[Check]:
    """Return the checks of `gradient`; `forward` is the question that grades `compute`.

    Where that is the same question, the gradient's hygiene has an id of its own.
    """
    target = f"needle.ops.{op.name}.gradient"
    make = partial(
        Check,
        question,
        op.name,
        target=target,
        asked=op.gradient_asked or op.asked,
        isolated=True,
        place=op.name,
    )
    computed, first = (f"{forward}.{op.name}.forward",), (f"{question}.{op.name}.gradient",)
    checks = [
        make(
            "gradient",
            f"{op.name} has the right gradient",
            partial(_gradient, op),
            weight=3.0,
            needs=computed,
        ),
        make(
            "second_order",
            f"{op.name}'s gradient is made of tensor operations",
            partial(op_quality.second_order, op),
            needs=first,
        ),
        make(
            "hygiene" if question != forward else "gradient_hygiene",
            f"{op.name}'s gradient keeps its inputs and their dtype",
            partial(op_quality.gradient_hygiene, op),
            needs=first,
        ),
        make(
            "graph",
            f"{op.name}'s gradient makes at most {op.gradient_nodes} nodes",
            partial(op_quality.graph, op),
            needs=first,
            weight=graph_weight,
        ),
    ]
    if op.advised:
        checks.append(
            make(
                "axes",
                f"{op.name}'s gradient takes an int or a negative axis",
                partial(op_quality.advised, op),
                needs=first,
                weight=0.0,
            )
        )
    return checks


def kink_check(op: Op, question: str) -> Check:
    """Return the check that the gradient at 0 is some number in [0, 1]."""
    return Check(
        question,
        op.name,
        "kink",
        f"{op.name}'s gradient at 0 is a number",
        partial(_kink, op),
        needs=(f"{question}.{op.name}.gradient",),
        target=f"needle.ops.{op.name}.gradient",
        isolated=True,
    )


def _kink(op: Op, trial: Trial) -> None:
    case = Case((np.array([0.0, 1.0, -1.0]),), (), np.ones(3))
    at_zero = ask_gradient(op, trial, case).arrays[0].ravel()[0]
    if not 0.0 <= at_zero <= 1.0:
        cause = "0/0 at x = 0" if np.isnan(at_zero) else "any value in [0, 1] is accepted"
        raise Failure(
            f"{op.name}.gradient at x = 0 is {at_zero:.6g}: {cause}",
            group="kink",
            counterexample=op.shown(case, with_cotangent=True),
            expected="a value in [0, 1]",
            actual=words.number(at_zero),
        )


def _forward(op: Op, trial: Trial) -> None:
    cases = list(op.cases(trial.source))
    trial.ahead(forward_request(op, case) for case in cases)
    Examination(
        function=f"{op.name}.compute",
        cases=cases,
        ask=lambda case: ask_forward(op, trial, case).arrays,
        right=lambda case: [op.value(case)],
        names=["the output"],
        shown=lambda case: op.shown(case, with_cotangent=False),
        question=op.question,
        mistakes=mistakes_forward.FORWARD.get(op.name, ()),
        draw=op.drawn,
        plainer=Case.plainer,
        size=Case.size,
    ).run(trial)


def _gradient(op: Op, trial: Trial) -> None:
    cases = list(op.cases(trial.source))
    trial.ahead(gradient_request(op, case) for case in cases)
    try:
        _examine_gradient(op, trial, cases)
    except Failure as failure:
        if trial.budget.total and failure.known_mistake is None and failure.group == "values":
            op_formula.add(op, trial, cases, failure)
        raise


def _examine_gradient(op: Op, trial: Trial, cases: Sequence[Case]) -> None:
    Examination(
        function=f"{op.name}.gradient",
        cases=cases,
        ask=lambda case: ask_gradient(op, trial, case).arrays,
        right=lambda case: op.pullback(case, case.cotangent),
        names=[f"gradient for input {i}" for i in range(2)],
        shown=lambda case: op.shown(case, with_cotangent=True),
        question=op.question,
        mistakes=mistakes_ops.of(op.name),
        draw=op.drawn,
        plainer=Case.plainer,
        size=Case.size,
        demand=lambda case, gradients: _demand_gradient(op, trial, case, gradients),
    ).run(trial)


def _demand_gradient(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> None:
    try:
        demand_gradient(op, case, gradients)
    except Failure as failure:
        detail = op_details.DETAILS.get(op.name)
        if detail is not None:
            failure.help = detail(op, trial, case, gradients)
        raise
