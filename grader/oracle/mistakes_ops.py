"""Known mistakes in the gradients of ops; those of elementwise ops have a file of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.oracle import mistakes_elementwise, mistakes_log
from grader.oracle.mistakes import Array, Mistake, Question
from grader.oracle.wrong_gradients import binary, out_grad_of, passes_through, unary


def _ignores_cotangent(q: Question) -> list[Array]:
    return q.pullback(np.ones_like(out_grad_of(q)))


def _scaled(factor: float) -> Any:
    return lambda q: [factor * one for one in q.pullback(out_grad_of(q))]


def _only(position: int) -> Any:
    """Make the mistake of giving the first (or second) input's gradient to both."""

    def wrong(q: Question) -> list[Array] | None:
        right = q.pullback(out_grad_of(q))
        return None if len(right) < 2 else [right[position]] * 2

    return wrong


def _swapped(q: Question) -> list[Array] | None:
    right = q.pullback(out_grad_of(q))
    return None if len(right) < 2 else right[::-1]


EVERY_GRADIENT = [
    Mistake("ignores-out-grad", "your gradient does not depend on out_grad", _ignores_cotangent),
    Mistake("zero-gradient", "your gradient is zero everywhere", _scaled(0.0)),
    Mistake("negated-gradient", "your gradient has the wrong sign", _scaled(-1.0)),
    Mistake("double-gradient", "your gradient is twice the right one", _scaled(2.0)),
    Mistake("half-gradient", "your gradient is half the right one", _scaled(0.5)),
    Mistake(
        "passes-out-grad",
        "your gradient is out_grad itself, without the op's own derivative",
        passes_through,
    ),
]

OF_TWO_INPUTS = [
    Mistake("gradients-swapped", "the gradients of the two inputs are swapped", _swapped),
    Mistake("first-gradient-twice", "both inputs get the gradient of the first", _only(0)),
    Mistake("second-gradient-twice", "both inputs get the gradient of the second", _only(1)),
]


def _left_aligned(c: Array, a: Array, shape: tuple[int, ...]) -> Array | None:
    """Sum the axes where the two shapes differ when they are aligned on the left."""
    padded = a.shape + (1,) * (len(shape) - a.ndim)
    axes = tuple(i for i, (n, m) in enumerate(zip(padded, shape, strict=True)) if n != m)
    return np.reshape(np.sum(c, axis=axes), a.shape)


def _axes_by_size(c: Array, a: Array, axes: Any = None) -> Array | None:
    """Put the summed axis where a size matches first, from the left."""
    if axes is None or c.ndim + 1 != a.ndim:
        return None
    for position in range(a.ndim):
        shape = (*c.shape[:position], 1, *c.shape[position:])
        if all(n in (1, m) for n, m in zip(shape, a.shape, strict=True)):
            return np.array(np.broadcast_to(np.reshape(c, shape), a.shape))
    return None


def _kept_by_size(c: Array, a: Array, axes: Any = None) -> Array | None:
    """Take the axes of `a` for kept ones as soon as their size fits, from the left."""
    left = list(c.shape)
    kept = [left.pop(0) if left and left[0] == size else 1 for size in a.shape]
    return None if left else np.array(np.broadcast_to(np.reshape(c, kept), a.shape))


def _axes_from_right(c: Array, a: Array, axes: Any = None) -> Array:
    return np.array(np.broadcast_to(c, a.shape))


def _no_batch_sum(c: Array, a: Array, b: Array) -> Array:
    return np.matmul(c, np.swapaxes(b, -1, -2))


GRADIENT: dict[str, list[Mistake]] = {
    **mistakes_log.GRADIENT,
    **mistakes_elementwise.GRADIENT,
    "MatMul": [
        Mistake(
            "matmul-batch-not-summed",
            "the broadcast batch axes of an operand are not summed",
            binary(_no_batch_sum, lambda c, a, b: np.matmul(np.swapaxes(a, -1, -2), c)),
        ),
        Mistake(
            "matmul-no-transpose",
            "the other operand is not transposed",
            binary(lambda c, a, b: np.matmul(c, b), lambda c, a, b: np.matmul(a, c)),
        ),
    ],
    "Summation": [
        Mistake(
            "sum-axis-by-size",
            "the summed axis is looked for by its size, so that square inputs take the wrong one",
            unary(_axes_by_size),
        ),
        Mistake(
            "sum-kept-by-size",
            "the axes that stay are looked for by their size, so that square inputs get the wrong axis back",
            unary(_kept_by_size),
        ),
        Mistake(
            "sum-broadcast-right",
            "out_grad is broadcast without putting the summed axes back",
            unary(_axes_from_right),
        ),
    ],
    "BroadcastTo": [
        Mistake(
            "broadcast-left-aligned",
            "the shapes are compared from the left; numpy aligns them on the right",
            unary(_left_aligned),
        ),
    ],
    "Transpose": [
        Mistake(
            "transpose-last-two",
            "the last two axes are swapped whatever the pair",
            unary(lambda c, a, axes=None: np.swapaxes(c, -1, -2)),
        ),
        Mistake(
            "transpose-permutation",
            "axes is the pair of axes to swap, not a permutation",
            unary(lambda c, a, axes=None: np.transpose(c, axes) if axes else None),
        ),
        Mistake(
            "transpose-reversed",
            "all axes are reversed; only a pair is swapped",
            unary(lambda c, a, axes=None: np.transpose(c)),
        ),
    ],
    "Reshape": [
        Mistake(
            "reshape-transposed",
            "the gradient is in column-major order",
            unary(lambda c, a, shape: np.reshape(np.transpose(c), a.shape)),
        ),
    ],
}


TWO_INPUTS = ("EWiseAdd", "EWiseMul", "EWiseDiv", "EWisePow", "MatMul")


def of(name: str) -> list[Mistake]:
    """Return the known mistakes of an op's gradient; its own words for a formula go before those for all."""
    own = GRADIENT.get(name, [])
    said = [one.wrong for one in own]
    general = [*EVERY_GRADIENT, *(OF_TWO_INPUTS if name in TWO_INPUTS else [])]
    return [*(one for one in general if one.wrong not in said), *own]
