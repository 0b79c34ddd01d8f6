"""Known mistakes of the initialisers, by function; see `wrong_draws` for their questions."""

from __future__ import annotations

import math

from grader.oracle import init
from grader.oracle import wrong_draws as wrong
from grader.oracle.mistakes import Mistake
from grader.oracle.mistakes_kaiming import KAIMING_NORMAL, KAIMING_UNIFORM

XAVIER_UNIFORM = [
    *wrong.both("xavier_uniform"),
    *wrong.of_uniform("xavier-uniform", init.xavier_bound),
    Mistake(
        "xavier-uniform-half",
        "the bound is half of 6 / (fan_in + fan_out): `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        wrong.uniform(lambda n, m, gain: gain * 6 / (n + m) / 2),
    ),
    Mistake(
        "xavier-uniform-root-of-6",
        "the root is of 6 alone: fan_in + fan_out stands under it too",
        wrong.uniform(lambda n, m, gain: gain * math.sqrt(6) / (n + m)),
    ),
    Mistake(
        "xavier-uniform-parentheses",
        "the root is of 6 / fan_in + fan_out: the sum needs parentheses",
        wrong.uniform(lambda n, m, gain: gain * math.sqrt(6 / n + m)),
    ),
    Mistake(
        "xavier-uniform-gain",
        "gain is not used",
        wrong.uniform(lambda n, m, gain: init.xavier_bound(n, m, 1.0)),
    ),
    Mistake(
        "xavier-uniform-deviation",
        "the bound is the standard deviation sqrt(2 / (fan_in + fan_out)); the bound has 6, not 2",
        wrong.uniform(init.xavier_deviation),
    ),
    Mistake(
        "xavier-uniform-root",
        "the square root is missing in the bound",
        wrong.uniform(lambda n, m, gain: gain * 6 / (n + m)),
    ),
    Mistake(
        "xavier-uniform-fan-in",
        "the bound is made of fan_in alone; Xavier takes fan_in + fan_out",
        wrong.uniform(lambda n, m, gain: gain * math.sqrt(6 / n)),
    ),
    Mistake(
        "xavier-uniform-gain-under-root",
        "gain stands under the root",
        wrong.uniform(lambda n, m, gain: math.sqrt(gain * 6 / (n + m))),
    ),
]

XAVIER_NORMAL = [
    *wrong.both("xavier_normal"),
    *wrong.of_normal("xavier-normal", init.xavier_deviation),
    Mistake(
        "xavier-normal-half",
        "std is half of 2 / (fan_in + fan_out): `** 1/2` is `** 1` and then `/ 2`; write `** 0.5`",
        wrong.normal(lambda n, m, gain: gain * 2 / (n + m) / 2),
    ),
    Mistake(
        "xavier-normal-root-of-2",
        "the root is of 2 alone: fan_in + fan_out stands under it too",
        wrong.normal(lambda n, m, gain: gain * math.sqrt(2) / (n + m)),
    ),
    Mistake(
        "xavier-normal-parentheses",
        "std is of 2 / fan_in + fan_out: the sum needs parentheses",
        wrong.normal(lambda n, m, gain: gain * math.sqrt(2 / n + m)),
    ),
    Mistake(
        "xavier-normal-gain",
        "gain is not used",
        wrong.normal(lambda n, m, gain: init.xavier_deviation(n, m, 1.0)),
    ),
    Mistake(
        "xavier-normal-variance",
        "std is gain * 2 / (fan_in + fan_out): the square root of the quotient is missing",
        wrong.normal(lambda n, m, gain: gain * 2 / (n + m)),
    ),
    Mistake(
        "xavier-normal-bound",
        "std is made as the bound of xavier_uniform, sqrt(6 / ...): here it is sqrt(2 / (fan_in + fan_out))",
        wrong.normal(init.xavier_bound),
    ),
    Mistake(
        "xavier-normal-gain-under-root",
        "gain stands under the root",
        wrong.normal(lambda n, m, gain: math.sqrt(gain * 2 / (n + m))),
    ),
]

INIT = {
    "xavier_uniform": XAVIER_UNIFORM,
    "xavier_normal": XAVIER_NORMAL,
    "kaiming_uniform": KAIMING_UNIFORM,
    "kaiming_normal": KAIMING_NORMAL,
}
