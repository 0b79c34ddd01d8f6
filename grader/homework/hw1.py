"""hw1, automatic differentiation: what is graded."""

from __future__ import annotations

from typing import Any

from grader.homework import app_checks, autograd_checks, layouts
from grader.homework.check import Check, Homework, Question
from grader.homework.op import Domain, Op
from grader.homework.op_checks import forward_checks, gradient_checks, kink_check
from grader.oracle import ops as truth

POSITIVE = Domain(0.5, 2.0, 0.5)
NONZERO = Domain(-2.0, 2.0, 0.5)
EXPONENTS = (3, -1, 0.5, 1, 0, 2)


def _since_2023(starter: str) -> bool:
    return starter != "2022"


def _since_2024(starter: str) -> bool:
    return starter not in ("2022", "2023")


def _base(parameters: tuple[Any, ...]) -> Domain:
    """Return where a base may lie: a negative one has no fractional powers."""
    return NONZERO if float(parameters[0]).is_integer() else POSITIVE


OPS = [
    Op(
        "PowerScalar",
        truth.power_scalar,
        [(((2, 2),), (n,)) for n in EXPONENTS],
        layouts.powers,
        domain_for=_base,
        points=[(((0.0, 1.0),), (2,))],  # n * a**n / a is nan there
    ),
    Op(
        "EWisePow",
        truth.ewise_pow,
        layouts.PAIRS,
        layouts.pairs,
        domains=(POSITIVE, NONZERO),
        asked=_since_2023,
        gradient_asked=_since_2024,
    ),
    Op(
        "EWiseDiv",
        truth.ewise_div,
        layouts.PAIRS,
        layouts.pairs,
        domains=(Domain(), NONZERO),
    ),
    Op(
        "DivScalar",
        truth.div_scalar,
        [(((2, 2),), (n,)) for n in (2.0, -4, 0.5)],
        layouts.scalars(2.0, -4, 0.5, 3, -0.25, 10),
    ),
    Op(
        "MatMul",
        truth.matmul,
        [
            (((2, 3), (3, 2)), ()),
            (((2, 2), (2, 2)), ()),
            (((1, 3), (3, 1)), ()),
            (((2, 3, 4), (2, 4, 2)), ()),
            (((2, 2, 3), (3, 2)), ()),
            (((2, 3), (2, 3, 2)), ()),
            (((3, 2, 2, 3), (3, 2)), ()),
            (((2, 2), (3, 2, 2, 2)), ()),
            (((3, 2, 2, 2), (2, 2, 2)), ()),
            (((2, 3, 2, 2), (2, 3, 2, 2)), ()),
        ],
        layouts.matrices,
    ),
    Op(
        "Summation",
        truth.summation,
        [
            (((2, 2),), ((0,),)),
            (((2, 2),), ((1,),)),
            (((3, 3),), (None,)),
            (((2, 3, 2),), ((0, 2),)),
            (((3, 3, 3),), ((1,),)),
            (((2, 1, 3),), ((1,),)),
            (((4,),), ((0,),)),
            (((1, 2),), (None,)),
            (((2, 3),), ((0, 1),)),
            (((2, 3, 2, 3),), ((1, 3),)),
        ],
        layouts.sums,
        forms=[(((2, 3),), (axis,)) for axis in (1, 0)],
        advised=[*((((2, 3),), (axes,)) for axes in (1, 0, (-1,), -1)), (((2, 3, 4),), ((2, 0),))],
        advice="fails for axes={axes!r}, though it works for a tuple of axes in order, counted from the left",
    ),
    Op(
        "BroadcastTo",
        truth.broadcast_to,
        [
            (((2,),), ((2, 2),)),
            (((3,),), ((3, 3),)),
            (((3, 1),), ((3, 3),)),
            (((1, 3),), ((3, 3),)),
            (((),), ((2, 3),)),
            (((1,),), ((2, 3, 4),)),
            (((2,),), ((2,),)),
            (((5, 4, 1),), ((5, 4, 3),)),
            (((1, 2),), ((3, 2),)),
            (((2, 1, 3),), ((4, 2, 2, 3),)),
            (((2, 2),), ((2, 2, 2),)),
            (((3, 1),), ((2, 4, 3, 2),)),
            (((1, 3),), ((2, 1, 3),)),
            (((1, 1, 1, 1),), ((2, 2, 2, 2, 2),)),  # a node per axis exceeds the budget here
        ],
        layouts.broadcastable,
    ),
    Op(
        "Reshape",
        truth.reshape,
        [
            (((2, 3),), ((3, 2),)),
            (((2, 2),), ((4,),)),
            (((3,),), ((1, 3),)),
            (((),), ((1,),)),
            (((1, 1),), ((),)),
            (((2, 2, 3),), ((3, 4),)),
        ],
        layouts.reshapes,
    ),
    Op("Negate", truth.negate, layouts.SAME, layouts.unary),
    Op(
        "Transpose",
        truth.transpose,
        [
            (((2, 3),), (None,)),
            (((2, 2),), (None,)),
            (((2, 3, 4),), (None,)),
            (((2, 3, 4),), ((0, 1),)),
            (((2, 3, 4),), ((0, 2),)),
            (((2, 3, 4),), ((2, 1),)),
            (((2, 2, 2),), ((1, 2),)),
            (((2, 3),), ((0, 1),)),
            (((2, 1, 3, 2),), ((1, 3),)),
        ],
        layouts.swaps,
    ),
    Op("Log", truth.log, layouts.SAME, layouts.unary, domains=(POSITIVE,)),
    Op("Exp", truth.exp, layouts.SAME, layouts.unary, domains=(Domain(-1.0, 1.0),)),
]

# Without axes a mask cannot be written into (`mask[mask > 0] = 1`): numpy makes scalars of such arrays.
RELU = Op("ReLU", truth.relu, layouts.AXED, layouts.axed, domains=(NONZERO,))


def _forward() -> tuple[Check, ...]:
    return tuple(check for op in OPS for check in forward_checks(op, "forward"))


def _backward() -> tuple[Check, ...]:
    return tuple(check for op in OPS for check in gradient_checks(op, "backward", "forward"))


def _nn_epoch() -> tuple[Check, ...]:
    relu = [*forward_checks(RELU, "nn_epoch"), *gradient_checks(RELU, "nn_epoch", "nn_epoch")]
    return (*relu, kink_check(RELU, "nn_epoch"), *app_checks.nn_epoch("nn_epoch"))


QUESTIONS = (
    Question("forward", "forward computation", 10.0, _forward()),
    Question("backward", "gradients of the ops", 25.0, _backward()),
    Question("topo_sort", "topological sort", 20.0, autograd_checks.topo_sort("topo_sort")),
    Question(
        "compute_gradient",
        "reverse-mode differentiation",
        25.0,
        autograd_checks.compute_gradient("compute_gradient"),
    ),
    Question("softmax_loss", "softmax loss", 10.0, app_checks.softmax_loss("softmax_loss")),
    Question("nn_epoch", "training a two-layer network", 10.0, _nn_epoch()),
)

HOMEWORK = Homework(
    "hw1",
    "automatic differentiation",
    QUESTIONS,
    modules=("needle", "simple_ml"),
    eager=("needle",),
    folders=("apps", "python", ""),
)
