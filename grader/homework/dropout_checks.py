"""The checks of Dropout: how much it drops, how it scales, what it does in evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination, demand
from grader.homework.nn_again import after_longer, demand_single, second_batch
from grader.homework.nn_sample import single
from grader.homework.trial import Request, Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import mistakes_dropout
from grader.oracle import nn as truth
from grader.oracle.mistakes import Question
from grader.sandbox.channel import Reply

PROBABILITIES = (0.25, 0.0, 0.5, 0.75)
DEFAULT = 0.5
MANY = (150, 200)  # the share dropped is then within 0.015 of p but once in 10^9 runs
BAND = 0.02


@dataclass(frozen=True)
class Drop:
    """An input without zeros, p, a seed and a cotangent."""

    x: np.ndarray
    p: float
    seed: int
    cotangent: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order by the number of elements."""
        return self.x.size, self.x.ndim, self.seed


def dropout(question: str) -> tuple[Check, ...]:
    """Return the checks of Dropout."""
    make = partial(Check, question, "Dropout", target="needle.nn.Dropout.forward")
    ratio, values = f"{question}.Dropout.ratio", f"{question}.Dropout.scale"
    return (
        make("ratio", "each element is dropped with probability p", _ratio, weight=2.0),
        make("scale", "the others are divided by 1 - p", _scale, weight=2.0, needs=(ratio,)),
        make("gradient", "the gradient passes where the element was kept", _gradient, needs=(values,)),
        make("fresh", "every call draws a new mask", _fresh, needs=(ratio,)),
        make("eval", "in evaluation the input comes back", _eval, weight=2.0, needs=(ratio,)),
        make(
            "hygiene",
            "Dropout keeps its input, its default and float32, whatever the batch's size",
            _hygiene,
            needs=(values,),
        ),
    )


def _drop(source: Source, shape: tuple[int, ...], p: float) -> Drop:
    x, cotangent = (single(source.values(shape, -2.0, 2.0, 0.25)) for _ in range(2))
    return Drop(x, p, source.integer(0, 999), cotangent)


def _draw(source: Source) -> Drop:
    shape = (source.integer(1, 4), source.integer(1, 6))
    return _drop(source, shape, source.choice(PROBABILITIES))


def _cases(source: Source) -> list[Drop]:
    return [_drop(source, shape, p) for p in PROBABILITIES for shape in [(4, 5), (12,)]]


def _ask(trial: Trial, one: Drop, *modes: str, **more: Any) -> Reply:
    asked = _request(one, *modes, **more)
    return trial.ask(asked.probe, asked.arguments, asked.arrays)


def _request(one: Drop, *modes: str, **more: Any) -> Request:
    asked = {
        "module": {"class": "Dropout", "arguments": [one.p]},
        "seed": one.seed,
        "steps": [[mode, 1] for mode in modes],
        **more,
    }
    arrays = [one.x] * len(modes) + ([one.cotangent] if "gradients" in more else [])
    return Request("nn.run", asked, [array.astype(np.float32) for array in arrays])


def _shown(one: Drop) -> dict[str, Any]:
    return {"call": f"np.random.seed({one.seed}); Dropout({one.p:g})(x)", "x": words.excerpt(one.x)}


def _output(trial: Trial, one: Drop, mode: str = "train") -> np.ndarray:
    out = _ask(trial, one, mode).arrays[0]
    if out.shape != one.x.shape:
        raise Failure(
            f"Dropout: the output has shape {out.shape}, expected {one.x.shape}",
            group="shape",
            counterexample=_shown(one),
        )
    if out.dtype.kind != "f" or out.dtype.itemsize < 4:
        raise Failure(
            f"Dropout: the output is {out.dtype}, expected float32", group="dtype", counterexample=_shown(one)
        )
    return out


def _ratio(trial: Trial) -> None:
    for seed, p in enumerate(PROBABILITIES):
        out = _output(trial, Drop(np.ones(MANY), p, seed, np.ones(MANY)))
        mine = float(np.mean(out == 0))
        trial.measurements[f"dropped_at_p_{p:g}"] = round(mine, 4)
        for what, axis in (("rows", 1), ("columns", 0)):  # so few draws may miss the share by far
            if p and np.ptp(np.mean(out == 0, axis=axis)) == 1:
                raise _whole(trial, what, p)
        if abs(mine - p) > (BAND if p else 0):
            wrong = mistakes_dropout.dropped(mine, p, BAND)
            raise Failure(
                f"Dropout dropped {100 * mine:.0f} %, asked {100 * p:.0f} %"
                + (f": {wrong.says}" if wrong else ""),
                help="init.randb(..., p=...) is 1 with the probability p that you give it",
                known_mistake=wrong.id if wrong else None,
                counterexample={"call": f"np.random.seed({seed}); Dropout({p:g})", "x": f"{MANY} ones"},
                expected=p,
                actual=round(mine, 4),
                group="ratio",
            )


def _whole(trial: Trial, what: str, p: float) -> Failure:
    """Return the failure for a mask with one number for a row or a column, with a call that shows it."""
    drops = [Drop(np.ones((3, 4)), p, seed, np.ones((3, 4))) for seed in range(10)]
    seen = [(one, _output(trial, one)) for one in drops]
    one, out = next((pair for pair in seen if 0 < np.count_nonzero(pair[1]) < 12), seen[0])
    return Failure(
        f"Dropout drops whole {what}: the mask needs a number of its own for each element, in the shape of x",
        counterexample=_shown(one),
        expected=f"zeros in single places, not in whole {what}",
        actual=words.excerpt(out),
        group="whole",
    )


def _scale(trial: Trial) -> None:
    def right(one: Drop) -> list[np.ndarray]:
        return [truth.dropout(one.x, _output(trial, one) != 0, one.p)]

    Examination(
        function="Dropout",
        cases=_cases(trial.source),
        ask=lambda one: [_output(trial, one)],
        right=right,
        names=["the output"],
        shown=_shown,
        question=lambda one: Question((one.x, _output(trial, one) != 0), (one.p,)),
        mistakes=mistakes_dropout.DROPOUT,
        draw=_draw,
        size=Drop.size,
        extra=SINGLE,
    ).run(trial)


def _gradient(trial: Trial) -> None:
    def ask(one: Drop) -> list[np.ndarray]:
        return _ask(trial, one, "train", gradients=[]).arrays[1:]

    Examination(
        function="Dropout",
        cases=_cases(trial.source),
        ask=ask,
        right=lambda one: [truth.dropout(one.cotangent, _output(trial, one) != 0, one.p)],
        names=["the gradient of the input"],
        shown=lambda one: _shown(one) | {"out_grad": words.excerpt(one.cotangent)},
        question=lambda one: Question((one.cotangent, _output(trial, one) != 0), (one.p,)),
        mistakes=mistakes_dropout.DROPOUT_GRADIENT,
        draw=_draw,
        size=Drop.size,
        extra=SINGLE,
    ).run(trial)


def _fresh(trial: Trial) -> None:
    one = Drop(np.ones((8, 8)), 0.25, 1, np.ones((8, 8)))
    first, second = _ask(trial, one, "train", "train").arrays
    if np.array_equal(first == 0, second == 0):
        raise Failure(
            "Dropout drops the same elements in every call",
            known_mistake="dropout-mask-kept",
            help="draw the mask in forward, not in the constructor",
            group="fresh",
        )


def _eval(trial: Trial) -> None:
    Examination(
        function="Dropout",
        cases=_cases(trial.source),
        ask=lambda one: [_output(trial, one, "eval")],
        right=lambda one: [one.x],
        names=["the output in eval"],
        shown=lambda one: _shown(one) | {"mode": "eval"},
        question=lambda one: Question((one.x, _output(trial, one, "eval") != 0), (one.p,)),
        mistakes=mistakes_dropout.DROPOUT_EVAL,
        draw=_draw,
        size=Drop.size,
        extra=SINGLE,
    ).run(trial)
    one = _cases(trial.source)[0]
    gradient = _ask(trial, one, "eval", gradients=[]).arrays[1:]
    demand(gradient, [one.cotangent], ["Dropout: the gradient of the input in eval"], extra=SINGLE)


def _hygiene(trial: Trial) -> None:
    for one in _cases(trial.source)[::3]:
        reply = _ask(trial, one, "train", trace=True)
        if reply.values.get("changed"):
            raise Failure("Dropout changes its input in place", group="changed", counterexample=_shown(one))
        demand_single("Dropout", reply.arrays[0], reply.values.get("widened"), _shown(one))
    _second_batch(trial, _cases(trial.source)[0])
    _default(trial)


def _second_batch(trial: Trial, one: Drop) -> None:
    asked = after_longer(_request(one, "train"), 1)
    with second_batch("Dropout", len(one.x), _shown(one)):
        out = trial.ask(asked.probe, asked.arguments, asked.arrays).arrays[1:2]
        right = [truth.dropout(one.x, out[0] != 0, one.p)] if out[0].shape == one.x.shape else [one.x]
        demand(out, right, ["the output"], extra=SINGLE)


def _default(trial: Trial) -> None:
    """Leave p out, now that its share is right where it is given."""
    asked = {"module": {"class": "Dropout", "arguments": []}, "seed": 1, "steps": [["train", 1]]}
    out = trial.ask("nn.run", asked, [np.ones(MANY, dtype=np.float32)]).arrays[0]
    mine = float(np.mean(out == 0))
    if abs(mine - DEFAULT) > BAND:
        raise Failure(
            f"Dropout() dropped {100 * mine:.0f} %: the default of p is not {DEFAULT}",
            help="the defaults in the signature of __init__ stay as the starter gives them",
            counterexample={"call": "np.random.seed(1); Dropout()", "x": f"{MANY} ones"},
            expected=DEFAULT,
            actual=round(mine, 4),
            group="default",
        )
