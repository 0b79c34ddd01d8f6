"""Ways to make a wrong gradient, which the known mistakes of the ops are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.oracle.mistakes import Array, Question


def out_grad_of(q: Question) -> Array:
    """Return the cotangent, which a question about a gradient has."""
    assert q.cotangent is not None
    return q.cotangent


def passes_through(q: Question) -> list[Array] | None:
    """Make the mistake of handing out_grad on as it is."""
    cotangent = out_grad_of(q)
    right = q.pullback(cotangent)
    if all(one.shape == cotangent.shape and np.allclose(np.abs(one), np.abs(cotangent)) for one in right):
        return None  # right, or of the wrong sign, which is said instead
    return [cotangent for _ in q.inputs]


def binary(first: Any, second: Any) -> Any:
    """Make a mistake of a two-input op from formulas in (c, a, b); None keeps the right gradient."""

    def wrong(q: Question) -> list[Array]:
        right = q.pullback(out_grad_of(q))
        a, b = q.inputs
        formulas = (first, second)
        return [f(out_grad_of(q), a, b) if f else right[i] for i, f in enumerate(formulas)]

    return wrong


def unary(formula: Any) -> Any:
    """Make a mistake of a one-input op from a formula in (c, a, *parameters)."""
    return lambda q: [formula(out_grad_of(q), q.inputs[0], *q.parameters)]
