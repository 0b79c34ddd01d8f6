"""The checks of hw0's plain functions: `add` and `softmax_loss`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import apps, mistakes_hw0
from grader.oracle.mistakes import Question

NUMBERS: tuple[tuple[int | float, int | float], ...] = ((5, 6), (4.0, 4), (3, -7), (0.25, -1.5), (2**70, 1))


def add(question: str) -> tuple[Check, ...]:
    """Return the checks of `add`."""
    make = partial(Check, question, "add", target="simple_ml.add")
    return (
        make("numbers", "numbers, whose sum is a Python number", _add_numbers, weight=3.0),
        make("arrays", "arrays, element by element", _add_arrays),
    )


def _add_numbers(trial: Trial) -> None:
    drawn = [(trial.source.integer(-99, 99), trial.source.integer(-99, 99) + 0.5) for _ in range(3)]
    for x, y in (*NUMBERS, *drawn):
        reply = trial.ask("hw0.add", {"numbers": [x, y]}, [])
        failure = _wrong_sum(x, y, reply.values, [*map(str, (array.dtype for array in reply.arrays))])
        if failure is not None:
            failure.counterexample = {"x": x, "y": y}
            raise failure


def _wrong_sum(x: float, y: float, values: dict[str, Any], arrays: list[str]) -> Failure | None:
    total = x + y
    wanted = type(total).__name__
    if values.get("type") != wanted:
        given = f"a numpy {arrays[0]}" if arrays and values.get("numpy") else f"a {values.get('type')}"
        mistake = "add-numpy-number" if values.get("numpy") else None
        return Failure(
            f"add returns {given}, expected a Python {wanted}",
            help="`+` on Python numbers gives a Python number; no conversion is needed",
            known_mistake=mistake,
            group="type",
        )
    if values.get("text") != repr(total):
        return Failure(
            f"add gives {values.get('text')}, expected {total!r}",
            expected=total,
            actual=values.get("text"),
            group="values",
        )
    return None


def _add_arrays(trial: Trial) -> None:
    for shape in ((3,), (2, 2), (1, 4)):
        x, y = trial.source.values(shape, -2.0, 2.0), trial.source.values(shape, -2.0, 2.0)
        shown = {"x": words.excerpt(x), "y": words.excerpt(y)}
        total, *after = _sum(trial, x, y)
        if total.shape != x.shape or total.dtype != x.dtype or not np.array_equal(total, x + y):
            raise Failure(
                "add: the sum of two arrays is not their sum element by element",
                counterexample=shown,
                expected=words.excerpt(x + y),
                actual=words.excerpt(total),
                group="values",
            )
        if not (np.array_equal(after[0], x) and np.array_equal(after[1], y)):
            raise Failure("add changes x or y in place", counterexample=shown, group="changed")


def _sum(trial: Trial, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    reply = trial.ask("hw0.add", {}, [x, y])
    if len(reply.arrays) != 3:
        raise Failure(f"add returns a {reply.values.get('type')} for two arrays", group="type")
    return reply.arrays


@dataclass(frozen=True)
class Logits:
    """Logits `(n, k)` float32 or float64 and class indices `(n,)` uint8."""

    logits: np.ndarray
    labels: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order by the number of logits."""
        return (self.logits.size, len(self.logits))


def draw_logits(source: Source) -> Logits:
    """Return one to four samples of two to five classes."""
    n, k = source.integer(1, 4), source.integer(2, 5)
    labels = np.array([source.integer(0, k - 1) for _ in range(n)], dtype=np.uint8)
    dtype = source.choice([np.float32, np.float64])
    return Logits(source.values((n, k), -3.0, 3.0).astype(dtype), labels)


def softmax_loss(question: str) -> tuple[Check, ...]:
    """Return the checks of `softmax_loss`."""
    make = partial(Check, question, "softmax_loss", target="simple_ml.softmax_loss")
    return (
        make("values", "the mean cross-entropy, a number", _loss, weight=4.0),
        make(
            "inputs",
            "Z and y are left as they are",
            _loss_inputs,
            weight=0.0,
            needs=(f"{question}.softmax_loss.values",),
        ),
    )


def _ask_loss(trial: Trial, one: Logits) -> list[np.ndarray]:
    """Return the loss, a loss of shape (1,) as the number it stands for."""
    loss = trial.ask("hw0.softmax_loss", {}, [one.logits, one.labels]).arrays[0]
    return [loss.reshape(()) if loss.shape == (1,) else loss]


def _loss(trial: Trial) -> None:
    Examination(
        function="softmax_loss",
        cases=[draw_logits(trial.source) for _ in range(12)],
        ask=lambda one: _ask_loss(trial, one),
        right=lambda one: [apps.class_loss(one.logits.astype(np.float64), one.labels)],
        names=["the loss"],
        shown=lambda one: {"Z": words.excerpt(one.logits), "y": words.excerpt(one.labels)},
        question=lambda one: Question((one.logits.astype(np.float64), one.labels)),
        mistakes=mistakes_hw0.SOFTMAX_LOSS,
        draw=draw_logits,
        size=Logits.size,
        extra=SINGLE,
    ).run(trial)


def _loss_inputs(trial: Trial) -> None:
    one = replace(draw_logits(trial.source))
    after = trial.ask("hw0.softmax_loss", {}, [one.logits, one.labels]).arrays[1:]
    for name, before, now in zip(("Z", "y"), (one.logits, one.labels), after, strict=True):
        if not np.array_equal(before, now):
            raise Failure(
                f"softmax_loss changes {name} in place: the caller's array is not the same afterwards",
                help="compute into a new array: `Z - Z.max(...)`, not `Z -= ...`",
                group="changed",
            )
