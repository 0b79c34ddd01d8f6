"""Known mistakes of the initialisers and of Linear's first values.

The parameters of a question are `(seed, fan_in, fan_out, gain)`; gain is 1 for the Kaiming functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from grader.oracle import init
from grader.oracle.mistakes import Mistake, Question

Scale = Callable[[int, int, float], float]


def _uniform(bound: Scale) -> Any:
    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        a = bound(rows, columns, gain)
        return [init.uniform(seed, (rows, columns), -a, a)]

    return wrong


def _normal(deviation: Scale) -> Any:
    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.normal(seed, (rows, columns), deviation(rows, columns, gain))]

    return wrong


def _positive_only(bound: Scale) -> Any:
    def wrong(q: Question) -> list[Any]:
        seed, rows, columns, gain = q.parameters
        return [init.uniform(seed, (rows, columns), 0.0, bound(rows, columns, gain))]

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


def _both(function: str) -> list[Mistake]:
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


XAVIER_UNIFORM = [
    *_both("xavier_uniform"),
    Mistake(
        "xavier-uniform-half",
        "the bound is half of 6 / (fan_in + fan_out): `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        _uniform(lambda n, m, gain: gain * 6 / (n + m) / 2),
    ),
    Mistake(
        "xavier-uniform-root-of-6",
        "the root is of 6 alone: fan_in + fan_out stands under it too",
        _uniform(lambda n, m, gain: gain * math.sqrt(6) / (n + m)),
    ),
    Mistake(
        "xavier-uniform-parentheses",
        "the root is of 6 / fan_in + fan_out: the sum needs parentheses",
        _uniform(lambda n, m, gain: gain * math.sqrt(6 / n + m)),
    ),
    Mistake(
        "xavier-uniform-gain",
        "gain is not used",
        _uniform(lambda n, m, gain: init.xavier_bound(n, m, 1.0)),
    ),
    Mistake(
        "xavier-uniform-deviation",
        "the bound is the standard deviation sqrt(2 / (fan_in + fan_out)); the bound has 6, not 2",
        _uniform(init.xavier_deviation),
    ),
    Mistake(
        "xavier-uniform-root",
        "the square root is missing in the bound",
        _uniform(lambda n, m, gain: gain * 6 / (n + m)),
    ),
    Mistake("xavier-uniform-normal", "the numbers are normal, not uniform", _normal(init.xavier_bound)),
    Mistake(
        "xavier-uniform-positive",
        "the numbers lie in [0, a); [-a, a) is meant",
        _positive_only(init.xavier_bound),
    ),
    Mistake(
        "xavier-uniform-fan-in",
        "the bound is made of fan_in alone; Xavier takes fan_in + fan_out",
        _uniform(lambda n, m, gain: gain * math.sqrt(6 / n)),
    ),
    Mistake(
        "xavier-uniform-gain-under-root",
        "gain stands under the root",
        _uniform(lambda n, m, gain: math.sqrt(gain * 6 / (n + m))),
    ),
]

XAVIER_NORMAL = [
    *_both("xavier_normal"),
    Mistake(
        "xavier-normal-half",
        "std is half of 2 / (fan_in + fan_out): `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        _normal(lambda n, m, gain: gain * 2 / (n + m) / 2),
    ),
    Mistake(
        "xavier-normal-root-of-2",
        "the root is of 2 alone: fan_in + fan_out stands under it too",
        _normal(lambda n, m, gain: gain * math.sqrt(2) / (n + m)),
    ),
    Mistake(
        "xavier-normal-parentheses",
        "std is of 2 / fan_in + fan_out: the sum needs parentheses",
        _normal(lambda n, m, gain: gain * math.sqrt(2 / n + m)),
    ),
    Mistake(
        "xavier-normal-gain", "gain is not used", _normal(lambda n, m, gain: init.xavier_deviation(n, m, 1.0))
    ),
    Mistake(
        "xavier-normal-variance",
        "std is gain * 2 / (fan_in + fan_out): the square root of the quotient is missing",
        _normal(lambda n, m, gain: gain * 2 / (n + m)),
    ),
    Mistake(
        "xavier-normal-bound",
        "std is made as the bound of xavier_uniform, sqrt(6 / ...): here it is sqrt(2 / (fan_in + fan_out))",
        _normal(init.xavier_bound),
    ),
    Mistake("xavier-normal-uniform", "the numbers are uniform, not normal", _uniform(init.xavier_deviation)),
    Mistake(
        "xavier-normal-gain-under-root",
        "gain stands under the root",
        _normal(lambda n, m, gain: math.sqrt(gain * 2 / (n + m))),
    ),
]

KAIMING_UNIFORM = [
    *_both("kaiming_uniform"),
    Mistake(
        "kaiming-uniform-half",
        "the root of 3 / fan_in is half of it: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        _uniform(lambda n, m, gain: math.sqrt(2) * 3 / n / 2),
    ),
    Mistake(
        "kaiming-uniform-all-half",
        "the bound is half of 6 / fan_in: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        _uniform(lambda n, m, gain: 6 / n / 2),
    ),
    Mistake(
        "kaiming-uniform-root-of-3",
        "the bound is divided by fan_in, not by its root",
        _uniform(lambda n, m, gain: math.sqrt(6) / n),
    ),
    Mistake(
        "kaiming-uniform-root-missing",
        "sqrt(2) is multiplied by 3 / fan_in, not by its root",
        _uniform(lambda n, m, gain: math.sqrt(2) * 3 / n),
    ),
    Mistake(
        "kaiming-uniform-gain-twice",
        "the gain is 2, or sqrt(2) twice; it is sqrt(2) once",
        _uniform(lambda n, m, gain: 2 * math.sqrt(3 / n)),
    ),
    Mistake(
        "kaiming-uniform-gain",
        "the gain sqrt(2) of ReLU is missing in the bound",
        _uniform(lambda n, m, gain: math.sqrt(3 / n)),
    ),
    Mistake(
        "kaiming-uniform-fan-out",
        "the bound is made of fan_out; Kaiming takes fan_in",
        _uniform(lambda n, m, gain: math.sqrt(6 / m)),
    ),
    Mistake(
        "kaiming-uniform-both",
        "the bound is made of fan_in + fan_out, as Xavier's; Kaiming takes fan_in alone",
        _uniform(lambda n, m, gain: math.sqrt(6 / (n + m))),
    ),
    Mistake(
        "kaiming-uniform-root", "the square root is missing in the bound", _uniform(lambda n, m, gain: 6 / n)
    ),
    Mistake("kaiming-uniform-normal", "the numbers are normal, not uniform", _normal(init.kaiming_bound)),
    Mistake(
        "kaiming-uniform-positive",
        "the numbers lie in [0, a); [-a, a) is meant",
        _positive_only(init.kaiming_bound),
    ),
    Mistake(
        "kaiming-uniform-deviation",
        "the bound is the standard deviation sqrt(2 / fan_in); the factor sqrt(3) is missing",
        _uniform(init.kaiming_deviation),
    ),
]

KAIMING_NORMAL = [
    *_both("kaiming_normal"),
    Mistake(
        "kaiming-normal-half",
        "std is sqrt(2) / fan_in / 2: `fan_in ** 1/2` is `fan_in ** 1` and then `/ 2`; write `** 0.5`",
        _normal(lambda n, m, gain: math.sqrt(2) / n / 2),
    ),
    Mistake(
        "kaiming-normal-all-half",
        "std is half of 2 / fan_in: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        _normal(lambda n, m, gain: 2 / n / 2),
    ),
    Mistake(
        "kaiming-normal-root-of-2",
        "std is divided by fan_in, not by its root",
        _normal(lambda n, m, gain: math.sqrt(2) / n),
    ),
    Mistake(
        "kaiming-normal-gain-twice",
        "the gain is 2, or sqrt(2) twice; it is sqrt(2) once",
        _normal(lambda n, m, gain: 2 / math.sqrt(n)),
    ),
    Mistake(
        "kaiming-normal-gain",
        "the gain sqrt(2) of ReLU is missing in std",
        _normal(lambda n, m, gain: math.sqrt(1 / n)),
    ),
    Mistake(
        "kaiming-normal-fan-out",
        "std is made of fan_out; Kaiming takes fan_in",
        _normal(lambda n, m, gain: math.sqrt(2 / m)),
    ),
    Mistake(
        "kaiming-normal-both",
        "std is made of fan_in + fan_out, as Xavier's; Kaiming takes fan_in alone",
        _normal(lambda n, m, gain: math.sqrt(2 / (n + m))),
    ),
    Mistake(
        "kaiming-normal-variance",
        "std is 2 / fan_in: the square root of the quotient is missing",
        _normal(lambda n, m, gain: 2 / n),
    ),
    Mistake(
        "kaiming-normal-uniform", "the numbers are uniform, not normal", _uniform(init.kaiming_deviation)
    ),
    Mistake(
        "kaiming-normal-bound",
        "std is the bound of the uniform draw, sqrt(6 / fan_in)",
        _normal(init.kaiming_bound),
    ),
]

INIT = {
    "xavier_uniform": XAVIER_UNIFORM,
    "xavier_normal": XAVIER_NORMAL,
    "kaiming_uniform": KAIMING_UNIFORM,
    "kaiming_normal": KAIMING_NORMAL,
}
