"""The checks of an op beyond its numbers: hygiene, gradients of gradients, nodes made.

What the earlier checks of the same op have already asked is used again (`Trial.seen`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.homework.examine import demand
from grader.homework.op import Case, Layout, Op
from grader.homework.op_truth import ask_forward, ask_gradient, demand_gradient, forward_request, projects
from grader.homework.trial import Request, Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.sandbox.channel import Reply

SINGLE_CASES = 4
ONE_AXIS = "`axes` may be None, one int, or a tuple: numpy's functions take all three as they are"


def second_order(op: Op, trial: Trial) -> None:
    """Evaluate the gradient's graph at another point and hold it against the true gradient there."""

    def examine(case: Case) -> None:
        moved = points.get(id(case)) or _moved(case)
        reply = trial.ask("op.replay", op.arguments(case), _both(case, moved))
        for i, mine in enumerate(reply.arrays):
            is_right = mine.shape == moved.inputs[i].shape and projects(op, moved, i, mine)
            if not is_right:
                _demand_own(op, trial, moved, i, mine)
                raise _detached(op, reply.values)

    cases = list(op.cases(trial.source, random=0))
    points = {id(case): _moved(case) for case in cases}
    trial.ahead(Request("op.replay", op.arguments(case), _both(case, points[id(case)])) for case in cases)
    found = trial.search(cases, examine, op.drawn, Case.size)
    if found is not None:
        case, failure = found
        failure.counterexample = failure.counterexample or op.shown(case, with_cotangent=True)
        raise failure


def _demand_own(op: Op, trial: Trial, moved: Case, position: int, mine: np.ndarray) -> None:
    """Raise the failure of `gradient` itself if it gives this at the other point: wrong, not detached."""
    try:
        own = ask_gradient(op, trial, moved).arrays
    except Failure:
        return
    if position < len(own) and compare.same(mine, own[position], extra=compare.DIFFERENCE):
        try:
            demand_gradient(op, moved, own)
        except Failure as failure:
            failure.counterexample = op.shown(moved, with_cotangent=True)
            raise


def _both(case: Case, moved: Case) -> list[np.ndarray]:
    return [*case.inputs, case.cotangent, *moved.inputs, moved.cotangent]


def _moved(case: Case) -> Case:
    """Return the case at another point, with the same signs, and another cotangent."""
    return replace(
        case,
        inputs=tuple(x * 1.25 for x in case.inputs),
        cotangent=np.flip(case.cotangent) * 1.5 + 0.125,
    )


def _detached(op: Op, values: dict[str, Any]) -> Failure:
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


def forward_hygiene(op: Op, trial: Trial) -> None:
    """Hold `compute` to leaving its inputs alone and keeping float32."""
    for case, reply in trial.seen("forward") or [
        (one, ask_forward(op, trial, one)) for one in op.cases(trial.source)
    ]:
        _clean(op, reply, case, list(case.inputs), "compute")
    for case in list(op.cases(trial.source, random=0))[:SINGLE_CASES]:
        arrays = [array.astype(np.float32) for array in case.inputs]
        _clean(op, trial.ask("op.forward", op.arguments(case), arrays), case, arrays, "compute")


def gradient_hygiene(op: Op, trial: Trial) -> None:
    """Hold `gradient` to leaving its inputs alone and keeping float32."""
    for case, reply in _gradients(op, trial):
        _clean(op, reply, case, [*case.inputs, case.cotangent], "gradient")
    for case in list(op.cases(trial.source, random=0))[:SINGLE_CASES]:
        arrays = [array.astype(np.float32) for array in (*case.inputs, case.cotangent)]
        _clean(op, trial.ask("op.gradient", op.arguments(case), arrays), case, arrays, "gradient")


def _gradients(op: Op, trial: Trial) -> list[tuple[Case, Reply]]:
    return trial.seen("gradient") or [(one, ask_gradient(op, trial, one)) for one in op.cases(trial.source)]


def _clean(op: Op, reply: Reply, case: Case, arrays: list[np.ndarray], method: str) -> None:
    name = f"{op.name}.{method}"
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
        # 0-d arrays: numpy 1 itself makes float64 of a float32 scalar and a Python number.
        # float64 may become float32: needle's own default dtype, and nothing in the homework is wider.
        if all(one.ndim for one in (*arrays, mine)) and arrays[0].dtype == np.float32 != mine.dtype:
            raise Failure(
                f"{name} turns {arrays[0].dtype} into {mine.dtype} (numpy {np.__version__})",
                group="dtype",
                counterexample=op.shown(case, with_cotangent=False),
                expected=str(arrays[0].dtype),
                actual=str(mine.dtype),
                help="keep numbers as Python floats or in the input's dtype: "
                "a numpy float64 scalar widens the result",
            )


def graph(op: Op, trial: Trial) -> None:
    """Count the nodes that `gradient` makes and hold the largest count to the budget."""
    case, reply = max(_gradients(op, trial), key=lambda one: one[1].values.get("made", 0))
    made = reply.values.get("made", 0)
    trial.measurements |= {"nodes": made, "budget": op.gradient_nodes}
    if made > op.gradient_nodes:
        raise _over_budget(op, made, reply.values.get("nodes", []), case)


def _over_budget(op: Op, made: int, nodes: list[dict[str, Any]], case: Case) -> Failure:
    lines: dict[tuple[str, int], list[str]] = {}
    for node in nodes:
        lines.setdefault((node["file"], node["line"]), []).append(node["op"] or "leaf")
    (file, line), ops = max(lines.items(), key=lambda item: len(item[1]))
    counted = words.listing([f"{ops.count(name)} {name}" for name in dict.fromkeys(ops)])
    function = next(node["function"] for node in nodes if node["line"] == line)
    return Failure(
        f"{op.name}.gradient makes {made} nodes, the budget is {op.gradient_nodes}: "
        f"{counted} at {file}:{line}",
        help="every node stays in memory until the step ends; one call with all axes does the work of many",
        counterexample=op.shown(case, with_cotangent=False),
        location={"file": file, "line": line, "function": function},
        group="nodes",
    )


def forms(op: Op, trial: Trial) -> None:
    """Hold `compute` to the further forms that its parameters may have."""
    for layout, case in _asked_ahead(op, trial, op.forms):
        _computed(
            op, trial, case, f"fails for axes={layout[1][0]!r}, though it works for a tuple", help=ONE_AXIS
        )


def tolerant(op: Op, trial: Trial) -> None:
    """Try `compute` on the layouts that the homework does not ask for."""
    others = [layout for layout in op.advised if layout not in op.forms]
    for layout, case in _asked_ahead(op, trial, others):
        _computed(op, trial, case, op.advice.format(axes=layout[1][0]))


def _asked_ahead(op: Op, trial: Trial, layouts: Sequence[Layout]) -> list[tuple[Layout, Case]]:
    cases = [(layout, op.case(trial.source, layout)) for layout in layouts]
    trial.ahead(forward_request(op, case) for _, case in cases)
    return cases


def _computed(op: Op, trial: Trial, case: Case, text: str, *, help: str = "") -> None:
    try:
        demand(ask_forward(op, trial, case).arrays, [op.value(case)], ["the output"])
    except Failure as failure:
        failure.message = f"{op.name}.compute {text}: {failure.message}"
        failure.help = failure.help or help
        failure.counterexample = op.shown(case, with_cotangent=False)
        raise


def advised(op: Op, trial: Trial) -> None:
    """Try `gradient` on the layouts that the homework does not ask for."""
    for layout in op.advised:
        case = op.case(trial.source, layout)
        try:
            demand_gradient(op, case, ask_gradient(op, trial, case).arrays)
        except Failure as failure:
            failure.message = f"{op.name}.gradient {op.advice.format(axes=layout[1][0])}: {failure.message}"
            failure.counterexample = op.shown(case, with_cotangent=False)
            raise
