"""Known mistakes of single ops: forward formulas and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.oracle import mistakes_log
from grader.oracle.mistakes import Array, Mistake, Question


def _cotangent(q: Question) -> Array:
    assert q.cotangent is not None
    return q.cotangent


def _ignores_cotangent(q: Question) -> list[Array]:
    return q.pullback(np.ones_like(_cotangent(q)))


def _scaled(factor: float) -> Any:
    return lambda q: [factor * one for one in q.pullback(_cotangent(q))]


def _passes_through(q: Question) -> list[Array] | None:
    cotangent = _cotangent(q)
    right = q.pullback(cotangent)
    if all(one.shape == cotangent.shape and np.allclose(np.abs(one), np.abs(cotangent)) for one in right):
        return None  # right, or of the wrong sign, which is said instead
    return [cotangent for _ in q.inputs]


def _only(position: int) -> Any:
    """Make the mistake of giving the first (or second) input's gradient to both."""

    def wrong(q: Question) -> list[Array] | None:
        right = q.pullback(_cotangent(q))
        return None if len(right) < 2 else [right[position]] * 2

    return wrong


def _swapped(q: Question) -> list[Array] | None:
    right = q.pullback(_cotangent(q))
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
        _passes_through,
    ),
]

OF_TWO_INPUTS = [
    Mistake("gradients-swapped", "the gradients of the two inputs are swapped", _swapped),
    Mistake("first-gradient-twice", "both inputs get the gradient of the first", _only(0)),
    Mistake("second-gradient-twice", "both inputs get the gradient of the second", _only(1)),
]


def _binary(first: Any, second: Any) -> Any:
    """Make a mistake of a two-input op from formulas in (c, a, b); None keeps the right gradient."""

    def wrong(q: Question) -> list[Array]:
        right = q.pullback(_cotangent(q))
        a, b = q.inputs
        formulas = (first, second)
        return [f(_cotangent(q), a, b) if f else right[i] for i, f in enumerate(formulas)]

    return wrong


def _unary(formula: Any) -> Any:
    return lambda q: [formula(_cotangent(q), q.inputs[0], *q.parameters)]


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
    "PowerScalar": [
        Mistake(
            "power-exponent-kept",
            "the exponent is not reduced by one",
            _unary(lambda c, a, n: c * n * np.power(a, float(n))),
        ),
        Mistake(
            "power-factor-missing",
            "the factor n of n * a**(n-1) is missing",
            _unary(lambda c, a, n: c * np.power(a, n - 1.0)),
        ),
        Mistake(
            "power-parentheses",
            "the exponent needs parentheses: `a**n - 1` takes one from the power",
            _unary(lambda c, a, n: c * n * (np.power(a, float(n)) - 1)),
        ),
        Mistake(
            "power-square-only",
            "the gradient is that of a**2 whatever the exponent",
            _unary(lambda c, a, n: 2 * c * a),
        ),
    ],
    "EWisePow": [
        Mistake(
            "pow-log-missing",
            "the factor log(a) is missing in the exponent's gradient",
            _binary(None, lambda c, a, b: c * a**b),
        ),
        Mistake(
            "pow-log-of-exponent",
            "log is taken of the exponent, not of the base",
            _binary(None, lambda c, a, b: c * a**b * np.log(b)),
        ),
        Mistake(
            "pow-parentheses",
            "the exponent needs parentheses in the base's gradient: `a**b - 1` takes one from the power",
            _binary(lambda c, a, b: c * b * (a**b - 1), None),
        ),
        Mistake(
            "pow-exponent-kept",
            "the exponent is not reduced by one in the base's gradient",
            _binary(lambda c, a, b: c * b * a**b, None),
        ),
    ],
    "EWiseDiv": [
        Mistake(
            "div-sign",
            "the minus sign is missing in the denominator's gradient",
            _binary(None, lambda c, a, b: c * a / b**2),
        ),
        Mistake(
            "div-square",
            "the denominator's gradient divides by b, not by b squared",
            _binary(None, lambda c, a, b: -c * a / b),
        ),
        Mistake(
            "div-parentheses",
            "the denominator's gradient needs parentheses: `a / b * b` is `a`",
            _binary(None, lambda c, a, b: -c * a),
        ),
        Mistake(
            "div-numerator-missing",
            "the numerator is missing in the denominator's gradient",
            _binary(None, lambda c, a, b: -c / b**2),
        ),
    ],
    "DivScalar": [
        Mistake(
            "div-scalar-multiplies",
            "out_grad is multiplied by the scalar, not divided",
            _unary(lambda c, a, s: c * s),
        ),
    ],
    "MatMul": [
        Mistake(
            "matmul-batch-not-summed",
            "the broadcast batch axes of an operand are not summed",
            _binary(_no_batch_sum, lambda c, a, b: np.matmul(np.swapaxes(a, -1, -2), c)),
        ),
        Mistake(
            "matmul-no-transpose",
            "the other operand is not transposed",
            _binary(lambda c, a, b: np.matmul(c, b), lambda c, a, b: np.matmul(a, c)),
        ),
    ],
    "Summation": [
        Mistake(
            "sum-axis-by-size",
            "the summed axis is looked for by its size, so that square inputs take the wrong one",
            _unary(_axes_by_size),
        ),
        Mistake(
            "sum-kept-by-size",
            "the axes that stay are looked for by their size, so that square inputs get the wrong axis back",
            _unary(_kept_by_size),
        ),
        Mistake(
            "sum-broadcast-right",
            "out_grad is broadcast without putting the summed axes back",
            _unary(_axes_from_right),
        ),
    ],
    "BroadcastTo": [
        Mistake(
            "broadcast-left-aligned",
            "the shapes are compared from the left; numpy aligns them on the right",
            _unary(_left_aligned),
        ),
    ],
    "Transpose": [
        Mistake(
            "transpose-last-two",
            "the last two axes are swapped whatever the pair",
            _unary(lambda c, a, axes=None: np.swapaxes(c, -1, -2)),
        ),
        Mistake(
            "transpose-permutation",
            "axes is the pair of axes to swap, not a permutation",
            _unary(lambda c, a, axes=None: np.transpose(c, axes) if axes else None),
        ),
        Mistake(
            "transpose-reversed",
            "all axes are reversed; only a pair is swapped",
            _unary(lambda c, a, axes=None: np.transpose(c)),
        ),
    ],
    "Reshape": [
        Mistake(
            "reshape-transposed",
            "the gradient is in column-major order",
            _unary(lambda c, a, shape: np.reshape(np.transpose(c), a.shape)),
        ),
    ],
    "Log": [
        Mistake(
            "log-multiplies", "out_grad is multiplied by the input, not divided", _unary(lambda c, a: c * a)
        ),
        Mistake("log-of-input", "out_grad is multiplied by log(a)", _unary(lambda c, a: c * np.log(a))),
    ],
    "Exp": [
        Mistake(
            "exp-input", "out_grad is multiplied by the input, not by exp(input)", _unary(lambda c, a: c * a)
        ),
    ],
    "ReLU": [
        Mistake(
            "relu-value",
            "out_grad is multiplied by relu(x), not by whether x is positive",
            _unary(lambda c, a: c * np.maximum(a, 0)),
        ),
        Mistake(
            "relu-sign",
            "the gradient is that of |x|: where x is negative it is -out_grad, and has to be 0",
            _unary(lambda c, a: c * np.sign(a)),
        ),
        Mistake(
            "relu-mask-of-out-grad",
            "the mask is made of out_grad: it is of the input, 1 where that is positive",
            _unary(lambda c, a: c * (c > 0)),
        ),
        Mistake(
            "relu-passes-negative",
            "the gradient passes where the input is negative",
            _unary(lambda c, a: c * (a < 0)),
        ),
        Mistake(
            "relu-mask-everywhere",
            "the gradient goes through where a < 0 too: it is out_grad without a mask, or the mask is true "
            "everywhere (>= 0 holds for every output of relu)",
            _passes_through,
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
