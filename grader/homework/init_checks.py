"""The checks of the four initialisers: their draws under a known seed, and what they do with `**kwargs`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.nn_layer import TERMS
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import init, mistakes_init
from grader.oracle.mistakes import Question

FANS = (4, 2, 3, 1, 5, 6)  # at 4 and 1 the root, the half and the number itself look different
MANY = (40, 60)  # fans whose many draws show the range
FORMULAS = {
    "xavier_uniform": "sqrt(6 / ({n} + {m}))",
    "xavier_normal": "sqrt(2 / ({n} + {m}))",
    "kaiming_uniform": "sqrt(2) * sqrt(3 / {n})",
    "kaiming_normal": "sqrt(2) / sqrt({n})",
}
CORNERS = [(2, 3), (4, 4), (5, 2), (1, 6), (7, 1)]
GAINS = (1.0, 1.5, 0.5)
KEYWORDS: dict[str, Any] = {"dtype": "float64", "requires_grad": True}


@dataclass(frozen=True)
class Draw:
    """One call: seed, fans, gain (1 for the functions that take none)."""

    seed: int
    fan_in: int
    fan_out: int
    gain: float

    def size(self) -> tuple[int, ...]:
        """Order by the number of draws; a fan_in of 4 comes first."""
        return (int(self.fan_in != FANS[0]), self.fan_in * self.fan_out, int(self.gain != 1), self.seed)

    def parameters(self) -> tuple[Any, ...]:
        """Return the four numbers."""
        return (self.seed, self.fan_in, self.fan_out, self.gain)


def initialisers(question: str) -> tuple[Check, ...]:
    """Return the checks of all four."""
    return tuple(check for function in init.SCALES for check in _checks(question, function))


def _checks(question: str, function: str) -> tuple[Check, ...]:
    make = partial(Check, question, function, target=f"needle.init.{function}")
    drawer = "randn" if function.endswith("normal") else "rand"
    first = (f"{question}.{function}.values",)
    return (
        make(
            "values",
            f"the numbers of init.{drawer} in the right range",
            partial(_values, function),
            weight=3.0,
        ),
        make("dtype", "float32 unless another dtype is asked for", partial(_dtype, function), needs=first),
        make(
            "kwargs",
            f"**kwargs are passed on to init.{drawer}",
            partial(_keywords, function),
            weight=0.0,
            needs=first,
        ),
    )


def _takes_gain(function: str) -> bool:
    return function.startswith("xavier")


def _draw(function: str, source: Source) -> Draw:
    gain = source.choice(GAINS) if _takes_gain(function) else 1.0
    return Draw(source.integer(0, 9999), source.choice(FANS), source.integer(1, 6), gain)


def _cases(function: str, source: Source) -> list[Draw]:
    gains = GAINS if _takes_gain(function) else (1.0,)
    corners = [Draw(i, n, m, gains[i % len(gains)]) for i, (n, m) in enumerate(CORNERS)]
    return [*corners, *(_draw(function, source) for _ in range(5))]


def _ask(trial: Trial, function: str, one: Draw, **keywords: Any) -> Any:
    arguments = [one.fan_in, one.fan_out, *([one.gain] if one.gain != 1 else [])]
    asked = {"function": function, "seed": one.seed, "arguments": arguments, "keywords": keywords}
    return trial.ask("init.draw", asked, [])


def _values(function: str, trial: Trial) -> None:
    examination = Examination(
        function=function,
        cases=_cases(function, trial.source),
        ask=lambda one: _ask(trial, function, one).arrays,
        right=lambda one: [init.draw(function, *one.parameters())],
        names=["the result"],
        shown=partial(_shown, function),
        question=lambda one: Question((), one.parameters()),
        mistakes=mistakes_init.INIT[function],
        draw=partial(_draw, function),
        size=Draw.size,
        extra=SINGLE,
        floor=TERMS,
    )
    try:
        examination.run(trial)
    except Failure as failure:
        if failure.known_mistake is None and failure.group == "values":
            failure.help = _help(function, trial)
        raise


def _help(function: str, trial: Trial) -> str:
    """Say whether the range alone is right, from the size of many draws, and what it should be."""
    one = Draw(0, *MANY, 1.0)
    mine = _ask(trial, function, one).arrays[0].astype(float)
    right = init.draw(function, *one.parameters())
    if abs(np.std(mine) / np.std(right) - 1) < 0.1 and abs(np.mean(mine)) < 0.1 * np.std(right):
        drawer = "randn" if function.endswith("normal") else "rand"
        return f"the spread is right, the numbers are not those of one call of init.{drawer} for this seed"
    right_scale = init.SCALES[function](*MANY, 1.0)
    formula = FORMULAS[function].format(n=MANY[0], m=MANY[1])
    fans = f"fan_in {MANY[0]} and fan_out {MANY[1]}"
    if function.endswith("normal"):
        return f"std is about {np.std(mine):.4g} for {fans}, expected {formula} = {right_scale:.4g}"
    bound = np.max(np.abs(mine), initial=0.0)
    return f"the bound is about {bound:.4g} for {fans}, expected {formula} = {right_scale:.4g}"


def _dtype(function: str, trial: Trial) -> None:
    mine = _ask(trial, function, Draw(0, 3, 2, 1.0)).arrays[0]
    if mine.dtype != np.float32:
        raise Failure(
            f"{function} returns {mine.dtype}, expected float32",
            group="dtype",
            expected="float32",
            actual=str(mine.dtype),
            help="init.rand and init.randn make float32 by themselves",
        )


def _keywords(function: str, trial: Trial) -> None:
    for keyword, value in KEYWORDS.items():
        reply = _ask(trial, function, Draw(0, 3, 2, 1.0), **{keyword: value})
        got = str(reply.arrays[0].dtype) if keyword == "dtype" else reply.values["requires_grad"]
        if got != value:
            raise Failure(
                f"{function} drops the keyword {keyword}: {value!r} is asked, the result has {got!r}",
                group="kwargs",
                help="pass **kwargs on to the function that draws",
                counterexample={"call": f"{function}(3, 2, {keyword}={value!r})"},
                expected=value,
                actual=got,
            )


def _shown(function: str, one: Draw) -> dict[str, Any]:
    gain = f", gain={one.gain}" if one.gain != 1 else ""
    return {"call": f"np.random.seed({one.seed}); {function}({one.fan_in}, {one.fan_out}{gain})"}
