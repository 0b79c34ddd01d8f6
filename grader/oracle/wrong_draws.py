"""Ways to draw first values wrongly, which the known mistakes of the initialisers are made of.

The parameters of a question are `(seed, fan_in, fan_out, gain)`; gain is 1 for the Kaiming functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.oracle import init
from grader.oracle.mistakes import Mistake, Question

Scale = Callable[[int, int, float], float]


def uniform(bound: Scale) -> Any:
    """Make the mistake of another bound."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        a = bound(rows, columns, gain)
        return [init.uniform(seed, (rows, columns), -a, a)]

    return wrong


def normal(deviation: Scale) -> Any:
    """Make the mistake of another deviation."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.normal(seed, (rows, columns), deviation(rows, columns, gain))]

    return wrong


def positive_only(bound: Scale) -> Any:
    """Make the mistake of drawing from 0 on."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.uniform(seed, (rows, columns), 0.0, bound(rows, columns, gain))]

    return wrong


def high_left(bound: Scale) -> Any:
    """Make the mistake of leaving `high` at 1."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.uniform(seed, (rows, columns), -bound(rows, columns, gain), 1.0)]

    return wrong


def as_mean(deviation: Scale) -> Any:
    """Make the mistake of passing the deviation as the mean."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.normal(seed, (rows, columns), 1.0) + deviation(rows, columns, gain)]

    return wrong


def _transposed(function: str) -> Any:
    """Make the mistake of drawing `(fan_out, fan_in)` and turning it round, or of returning it so."""

    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        scale = init.SCALES[function](rows, columns, gain)
        shape = (columns, rows)
        normal = function.endswith("normal")
        drawn = init.normal(seed, shape, scale) if normal else init.uniform(seed, shape, -scale, scale)
        return [drawn.T]

    return wrong


def _shape_swapped(function: str) -> Any:
    return lambda q: [_transposed(function)(q)[0].T]


def both(function: str) -> list[Mistake]:
    """Return the mistakes that every initialiser can have."""
    short = function.replace("_", "-")
    return [
        Mistake(
            f"{short}-shape-swapped",
            "the shape is (fan_out, fan_in); (fan_in, fan_out) is meant",
            _shape_swapped(function),
        ),
        Mistake(
            f"{short}-drawn-transposed",
            "the numbers are drawn in the shape (fan_out, fan_in) and transposed; draw (fan_in, fan_out)",
            _transposed(function),
        ),
    ]


def of_uniform(short: str, bound: Scale) -> list[Mistake]:
    """Return what goes wrong in the same way in both uniform draws."""
    return [
        Mistake(f"{short}-normal", "the numbers are normal, not uniform", normal(bound)),
        Mistake(f"{short}-positive", "the numbers lie in [0, a); [-a, a) is meant", positive_only(bound)),
        Mistake(
            f"{short}-high-left",
            "the numbers lie in [-a, 1): `high` is left at its default, [-a, a) is meant",
            high_left(bound),
        ),
    ]


def of_normal(short: str, deviation: Scale) -> list[Mistake]:
    """Return what goes wrong in the same way in both normal draws."""
    return [
        Mistake(f"{short}-uniform", "the numbers are uniform, not normal", uniform(deviation)),
        Mistake(
            f"{short}-mean",
            "the deviation is passed as the mean: it is randn(..., std=...)",
            as_mean(deviation),
        ),
    ]
