"""The checks of one op, made from its row in a homework's table.

Kinds: forward (equals numpy), hygiene (inputs unchanged, dtype kept), gradient (equals finite
differences), second_order (the gradient is a graph of tensor operations), graph (nodes made).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import op_details
from grader.homework.check import Check
from grader.homework.examine import Examination
from grader.homework.op import Case, Op
from grader.homework.op_truth import ask_gradient, demand_gradient
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.oracle import mistakes_ops


def forward_checks(op: Op, question: str) -> list[Check]:
    """Return the checks of `compute`."""
    target = f"needle.ops.{op.name}.compute"
    make = partial(Check, question, op.name, target=target, asked=op.asked)
    first = f"{question}.{op.name}.forward"
    return [
        make("forward", f"{op.name} computes what numpy computes", partial(_forward, op), weight=3.0),
        make(
            "hygiene",
            f"{op.name} keeps its inputs and their dtype",
            partial(_forward_hygiene, op),
            needs=(first,),
        ),
    ]


def gradient_checks(op: Op, question: str, forward: str, *, graph_weight: float = 0.0) -> list[Check]:
    """Return the checks of `gradient`; `forward` is the question that grades `compute`."""
    target = f"needle.ops.{op.name}.gradient"
    make = partial(Check, question, op.name, target=target, asked=op.gradient_asked or op.asked)
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
            partial(_second_order, op),
            needs=first,
        ),
        make(
            "hygiene",
            f"{op.name}'s gradient keeps its inputs and their dtype",
            partial(_gradient_hygiene, op),
            needs=first,
        ),
        make(
            "graph",
            f"{op.name}'s gradient makes at most {op.gradient_nodes} nodes",
            partial(_graph, op),
            needs=first,
            weight=graph_weight,
        ),
    ]
    if op.advised:
        checks.append(
            make(
                "axes",
                f"{op.name}'s gradient takes an int or a negative axis",
                partial(_advised, op),
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
    Examination(
        function=f"{op.name}.compute",
        cases=list(op.cases(trial.source)),
        ask=lambda case: (
            trial.ask("op.forward", op.arguments(case), list(case.inputs), expect=_bytes(op, case)).arrays
        ),
        right=lambda case: [op.value(case)],
        names=["the output"],
        shown=lambda case: op.shown(case, with_cotangent=False),
        question=op.question,
        mistakes=mistakes_ops.FORWARD.get(op.name, ()),
        draw=op.drawn,
        size=Case.size,
    ).run(trial)


def _bytes(op: Op, case: Case) -> int:
    return max(op.value(case).nbytes, 1024)


def _gradient(op: Op, trial: Trial) -> None:
    examination = Examination(
        function=f"{op.name}.gradient",
        cases=list(op.cases(trial.source)),
        ask=lambda case: ask_gradient(op, trial, case).arrays,
        right=lambda case: op.pullback(case, case.cotangent),
        names=[f"gradient for input {i}" for i in range(2)],
        shown=lambda case: op.shown(case, with_cotangent=True),
        question=op.question,
        mistakes=[*mistakes_ops.EVERY_GRADIENT, *mistakes_ops.GRADIENT.get(op.name, [])],
        draw=op.drawn,
        size=Case.size,
        demand=lambda case, gradients: _demand_gradient(op, trial, case, gradients),
    )
    examination.run(trial)


def _demand_gradient(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> None:
    try:
        demand_gradient(op, case, gradients)
    except Failure as failure:
        detail = op_details.DETAILS.get(op.name)
        if detail is not None:
            failure.help = detail(op, trial, case, gradients)
        raise


def _second_order(op: Op, trial: Trial) -> None:
    def examine(case: Case) -> None:
        moved = _moved(case)
        reply = trial.ask(
            "op.replay", op.arguments(case), [*case.inputs, case.cotangent, *moved.inputs, moved.cotangent]
        )
        right = op.pullback(moved, moved.cotangent)
        for i, mine in enumerate(reply.arrays):
            if compare.mismatch(mine, right[i], extra=compare.DIFFERENCE):
                raise _detached(op, reply.values, i)

    found = trial.search(op.cases(trial.source, random=2), examine, op.drawn, Case.size)
    if found is not None:
        case, failure = found
        failure.counterexample = op.shown(case, with_cotangent=True)
        raise failure


def _moved(case: Case) -> Case:
    """Return the case at another point, with the same signs, and another cotangent."""
    return replace(
        case,
        inputs=tuple(x * 1.25 for x in case.inputs),
        cotangent=np.flip(case.cotangent) * 1.5 + 0.125,
    )


def _detached(op: Op, values: dict[str, Any], position: int) -> Failure:
    leaves = [leaf for leaf in values.get("detached") or [] if isinstance(leaf, dict)]
    named = leaves[0] if leaves else None
    where = f" at {named['file']}:{named['line']}" if named else ""
    return Failure(
        f"{op.name}.gradient is detached: built from raw arrays{where}, so its own gradient is lost",
        help="build the gradient from tensor operations on out_grad and node.inputs, without .numpy(), "
        "cached_data, .data or .detach()",
        location=named,
        group="detached",
    )


def _forward_hygiene(op: Op, trial: Trial) -> None:
    for case in op.cases(trial.source, random=2):
        for dtype in (np.float64, np.float32):
            arrays = [array.astype(dtype) for array in case.inputs]
            reply = trial.ask("op.forward", op.arguments(case), arrays)
            _clean(op, reply, arrays, f"{op.name}.compute", case)


def _gradient_hygiene(op: Op, trial: Trial) -> None:
    for case in op.cases(trial.source, random=2):
        for dtype in (np.float64, np.float32):
            arrays = [array.astype(dtype) for array in (*case.inputs, case.cotangent)]
            reply = trial.ask("op.gradient", op.arguments(case), arrays)
            _clean(op, reply, arrays, f"{op.name}.gradient", case)


def _clean(op: Op, reply: Any, arrays: list[np.ndarray], name: str, case: Case) -> None:
    changed = reply.values.get("changed")
    if changed:
        which = "out_grad" if changed[0] >= len(case.inputs) else f"input {changed[0]}"
        raise Failure(
            f"{name} changes {which} in place",
            group="changed",
            counterexample=op.shown(case, with_cotangent=False),
            help="work on a new array: no `+=`, no `out=`, no assignment into an input",
        )
    for mine in reply.arrays:
        # 0-d results: numpy 1 itself makes float64 of a float32 scalar and a Python number
        if arrays[0].ndim and mine.ndim and mine.dtype != arrays[0].dtype:
            raise Failure(
                f"{name} turns {arrays[0].dtype} into {mine.dtype} (numpy {np.__version__})",
                group="dtype",
                counterexample=op.shown(case, with_cotangent=False),
                expected=str(arrays[0].dtype),
                actual=str(mine.dtype),
                help="keep numbers as Python floats or in the input's dtype: a numpy float64 scalar widens the result",
            )


def _graph(op: Op, trial: Trial) -> None:
    worst, nodes, at = 0, [], None
    for case in op.cases(trial.source, random=2):
        reply = ask_gradient(op, trial, case)
        made = reply.values.get("made", 0)
        if made > worst:
            worst, nodes, at = made, reply.values.get("nodes", []), case
    trial.measurements |= {"nodes": worst, "budget": op.gradient_nodes}
    if worst > op.gradient_nodes and at is not None:
        raise _over_budget(op, worst, nodes, at)


def _over_budget(op: Op, made: int, nodes: list[dict[str, Any]], case: Case) -> Failure:
    lines: dict[tuple[str, int], list[str]] = {}
    for node in nodes:
        lines.setdefault((node["file"], node["line"]), []).append(node["op"] or "leaf")
    (file, line), ops = max(lines.items(), key=lambda item: len(item[1]))
    counted = words.listing([f"{ops.count(name)} {name}" for name in dict.fromkeys(ops)])
    function = next(node["function"] for node in nodes if node["line"] == line)
    return Failure(
        f"{op.name}.gradient makes {made} nodes, the budget is {op.gradient_nodes}: {counted} at {file}:{line}",
        help="every node stays in memory until the step ends; one call with all axes does the work of many",
        counterexample=op.shown(case, with_cotangent=False),
        location={"file": file, "line": line, "function": function},
        group="nodes",
    )


def _advised(op: Op, trial: Trial) -> None:
    for layout in op.advised:
        case = op.case(trial.source, layout)
        try:
            demand_gradient(op, case, ask_gradient(op, trial, case).arrays)
        except Failure as failure:
            failure.message = f"{op.name}.gradient {op.advice.format(axes=layout[1][0])}: {failure.message}"
            failure.counterexample = op.shown(case, with_cotangent=False)
            raise
