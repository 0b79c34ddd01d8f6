"""Known mistakes of the Kaiming initialisers; see `wrong_draws` for their questions."""

from __future__ import annotations

import math

from grader.oracle import init
from grader.oracle import wrong_draws as wrong
from grader.oracle.mistakes import Mistake

KAIMING_UNIFORM = [
    *wrong.both("kaiming_uniform"),
    *wrong.of_uniform("kaiming-uniform", init.kaiming_bound),
    Mistake(
        "kaiming-uniform-half",
        "the root of 3 / fan_in is half of it: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        wrong.uniform(lambda n, m, gain: math.sqrt(2) * 3 / n / 2),
    ),
    Mistake(
        "kaiming-uniform-all-half",
        "the bound is half of 6 / fan_in: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        wrong.uniform(lambda n, m, gain: 6 / n / 2),
    ),
    Mistake(
        "kaiming-uniform-root-of-3",
        "the bound is divided by fan_in, not by its root",
        wrong.uniform(lambda n, m, gain: math.sqrt(6) / n),
    ),
    Mistake(
        "kaiming-uniform-root-missing",
        "sqrt(2) is multiplied by 3 / fan_in, not by its root",
        wrong.uniform(lambda n, m, gain: math.sqrt(2) * 3 / n),
    ),
    Mistake(
        "kaiming-uniform-gain-twice",
        "the gain is 2, or sqrt(2) twice; it is sqrt(2) once",
        wrong.uniform(lambda n, m, gain: 2 * math.sqrt(3 / n)),
    ),
    Mistake(
        "kaiming-uniform-gain",
        "the gain sqrt(2) of ReLU is missing in the bound",
        wrong.uniform(lambda n, m, gain: math.sqrt(3 / n)),
    ),
    Mistake(
        "kaiming-uniform-fan-out",
        "the bound is made of fan_out; Kaiming takes fan_in",
        wrong.uniform(lambda n, m, gain: math.sqrt(6 / m)),
    ),
    Mistake(
        "kaiming-uniform-both",
        "the bound is made of fan_in + fan_out, as Xavier's; Kaiming takes fan_in alone",
        wrong.uniform(lambda n, m, gain: math.sqrt(6 / (n + m))),
    ),
    Mistake(
        "kaiming-uniform-root",
        "the square root is missing in the bound",
        wrong.uniform(lambda n, m, gain: 6 / n),
    ),
    Mistake(
        "kaiming-uniform-deviation",
        "the bound is the standard deviation sqrt(2 / fan_in); the factor sqrt(3) is missing",
        wrong.uniform(init.kaiming_deviation),
    ),
]

KAIMING_NORMAL = [
    *wrong.both("kaiming_normal"),
    *wrong.of_normal("kaiming-normal", init.kaiming_deviation),
    Mistake(
        "kaiming-normal-half",
        "std is sqrt(2) / fan_in / 2: `fan_in ** 1/2` is `fan_in ** 1` and then `/ 2`; write `** 0.5`",
        wrong.normal(lambda n, m, gain: math.sqrt(2) / n / 2),
    ),
    Mistake(
        "kaiming-normal-all-half",
        "std is half of 2 / fan_in: `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        wrong.normal(lambda n, m, gain: 2 / n / 2),
    ),
    Mistake(
        "kaiming-normal-root-of-2",
        "std is divided by fan_in, not by its root",
        wrong.normal(lambda n, m, gain: math.sqrt(2) / n),
    ),
    Mistake(
        "kaiming-normal-gain-twice",
        "the gain is 2, or sqrt(2) twice; it is sqrt(2) once",
        wrong.normal(lambda n, m, gain: 2 / math.sqrt(n)),
    ),
    Mistake(
        "kaiming-normal-gain",
        "the gain sqrt(2) of ReLU is missing in std",
        wrong.normal(lambda n, m, gain: math.sqrt(1 / n)),
    ),
    Mistake(
        "kaiming-normal-fan-out",
        "std is made of fan_out; Kaiming takes fan_in",
        wrong.normal(lambda n, m, gain: math.sqrt(2 / m)),
    ),
    Mistake(
        "kaiming-normal-both",
        "std is made of fan_in + fan_out, as Xavier's; Kaiming takes fan_in alone",
        wrong.normal(lambda n, m, gain: math.sqrt(2 / (n + m))),
    ),
    Mistake(
        "kaiming-normal-variance",
        "std is 2 / fan_in: the square root of the quotient is missing",
        wrong.normal(lambda n, m, gain: 2 / n),
    ),
    Mistake(
        "kaiming-normal-bound",
        "std is the bound of the uniform draw, sqrt(6 / fan_in)",
        wrong.normal(init.kaiming_bound),
    ),
]
