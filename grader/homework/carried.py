"""hw1's checks as hw2 shows them: advice, on fewer inputs; only the nodes a gradient makes cost points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any

from grader.homework import autograd_checks, hw1, op_quality
from grader.homework.check import Check
from grader.homework.op import Case, Op
from grader.homework.op_checks import forward_checks, gradient_checks, kink_check
from grader.homework.op_truth import demand_gradient
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.source import Source

# The ops that every layer uses: their nodes weigh more.
WEIGHTS = {"BroadcastTo": 4.0, "Summation": 2.0, "MatMul": 2.0}


class Few(Op):
    """A row that is tried on its corner cases alone."""

    def cases(self, source: Source, random: int = 0) -> Iterator[Case]:
        """Yield the corner cases."""
        return super().cases(source, random=0)


def _few(op: Op) -> Few:
    values = {one.name: getattr(op, one.name) for one in fields(op)}
    # no module makes a ReLU of a single number
    corners = [one for one in op.corners if op.name != "ReLU" or one[0][0]]
    return Few(**values | {"corners": corners})


OPS = [_few(op) for op in (*hw1.OPS, hw1.RELU)]


def advice(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Return checks that cost nothing."""
    return tuple(replace(check, weight=0.0) for check in checks)


def forward(question: str) -> tuple[Check, ...]:
    """Return the checks of every `compute`."""
    return advice(check for op in OPS for check in forward_checks(op, question))


def backward(question: str, computed: str) -> tuple[Check, ...]:
    """Return the checks of every `gradient`, but for its nodes (see `budgets`)."""
    checks = [check for op in OPS for check in gradient_checks(op, question, computed)]
    kink = kink_check(OPS[-1], question)
    return advice([*(check for check in checks if check.kind != "graph"), kink])


def topo_sort(question: str) -> tuple[Check, ...]:
    """Return the checks of the sort."""
    return advice(autograd_checks.topo_sort(question))


def compute_gradient(question: str) -> tuple[Check, ...]:
    """Return the checks of reverse mode."""
    return advice(autograd_checks.compute_gradient(question))


def budgets(question: str, gradients: str) -> tuple[Check, ...]:
    """Return one scored check per op: its `gradient` makes no more nodes than it needs.

    What the ops have answered meanwhile is then held against the truth, which costs nothing: a wrong one
    has hw1's own checks run, and these name it.
    """
    nodes = (
        Check(
            question,
            "graph",
            op.name,
            f"{op.name}'s gradient makes at most {op.gradient_nodes} nodes",
            partial(_nodes, op),
            weight=WEIGHTS.get(op.name, 1.0),
            needs=(f"{gradients}.{op.name}.gradient",),
            target=f"needle.ops.{op.name}.gradient",
            asked=op.gradient_asked or op.asked,
        )
        for op in OPS
    )
    title = "the gradients of hw1's ops are right"
    return (*nodes, Check(question, "graph", "right", title, _right, weight=0.0, target="needle.ops"))


def _nodes(op: Op, trial: Trial) -> None:
    seen: dict[str, list[Any]] = {}  # what was seen of another op in the same subject is not this op's
    try:
        op_quality.graph(op, replace(trial, subject=seen))
    finally:
        for case, reply in seen.get("gradient", []):
            trial.remember("carried", (op, case, reply))


def _right(trial: Trial) -> None:
    for op, case, reply in trial.seen("carried"):
        try:
            demand_gradient(op, case, reply.arrays)
        except Failure as failure:
            failure.counterexample = op.shown(case, with_cotangent=True)
            raise
