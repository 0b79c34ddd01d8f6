"""The checks of hw0's training epochs, which change their weights in place; shared by numpy and C++."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import apps, finite, mistakes_hw0_epochs
from grader.oracle.mistakes import Mistake, Question

NEAREST_KINK = 1e-3
# So short a direction moves no input of the ReLU that far: 5 pixels, each at most 1, times `finite.STEP`.
SHORT = 0.05


@dataclass(frozen=True)
class Epoch:
    """Input of one epoch: images `(n, d)`, labels `(n,)` uint8, the weights, learning rate, batch size."""

    images: np.ndarray
    labels: np.ndarray
    weights: tuple[np.ndarray, ...]
    lr: float
    batch: int

    def size(self) -> tuple[int, ...]:
        """Order by the number of samples, then of numbers."""
        return len(self.images), self.images.size + sum(weight.size for weight in self.weights)

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays in the order of the call."""
        return [self.images, self.labels, *self.weights]

    def wide(self) -> list[np.ndarray]:
        """Return the arrays with the floats in float64."""
        return [array if array.dtype == np.uint8 else array.astype(np.float64) for array in self.arrays()]


@dataclass(frozen=True)
class Model:
    """A function that trains for one epoch: how it is called, what is right, what people get wrong.

    `arguments` are those of the probe (a function of the trial: the extension has to be built first),
    `sides` the widths of its layers as drawn, `epoch(X, y, *weights, lr, batch)` and
    `loss(X, y, *weights)` the truth.
    """

    function: str
    target: str
    weights: tuple[str, ...]
    epoch: Callable[..., tuple[np.ndarray, ...]]
    loss: Callable[..., np.ndarray]
    mistakes: Sequence[Mistake]
    short: Sequence[Mistake]
    arguments: Callable[[Trial], dict[str, Any]]
    dtypes: tuple[str, ...] = ("float32", "float64")
    ask: Callable[[Trial, dict[str, Any], Epoch], Any] = field(
        default=lambda trial, arguments, one: trial.ask("hw0.epoch", arguments, one.arrays())
    )


REGRESSION = Model(
    "softmax_regression_epoch",
    "simple_ml.softmax_regression_epoch",
    ("theta",),
    apps.softmax_regression_epoch,
    apps.regression_loss,
    mistakes_hw0_epochs.SOFTMAX_REGRESSION,
    mistakes_hw0_epochs.REGRESSION_SHORT,
    lambda trial: {"function": "softmax_regression_epoch"},
)

TWO_LAYER = Model(
    "nn_epoch",
    "simple_ml.nn_epoch",
    ("W1", "W2"),
    apps.nn_epoch,
    apps.two_layer_loss,
    mistakes_hw0_epochs.TWO_LAYER,
    mistakes_hw0_epochs.TWO_LAYER_SHORT,
    lambda trial: {"function": "nn_epoch"},
)


def checks(question: str, model: Model) -> tuple[Check, ...]:
    """Return the checks of one training function."""
    make = partial(Check, question, model.function, target=model.target)
    first = (f"{question}.{model.function}.values",)
    names = " and ".join(model.weights)
    return (
        make(
            "values",
            f"{names} after one epoch, changed in place",
            lambda trial: _values(trial, model),
            weight=4.0,
        ),
        make(
            "gradient",
            "one step follows the gradient of the loss",
            lambda trial: _gradient(trial, model),
            needs=first,
        ),
        make("returns", "it returns None", lambda trial: _returns(trial, model), weight=0.0, needs=first),
        make(
            "short_batch",
            "a short last batch is used and averaged over its own size",
            lambda trial: _short_batch(trial, model),
            weight=0.0,
            needs=first,
        ),
        make(
            "classes",
            "the largest class need not be among the labels",
            lambda trial: _classes(trial, model),
            weight=0.0,
            needs=first,
        ),
    )


def draw_epoch(source: Source, model: Model, *, batches: int = 0, short: bool = False) -> Epoch:
    """Return one to four batches of two to four samples; `short` leaves the last one incomplete.

    The largest label is always among the labels, and no input of a ReLU is near 0.
    """
    batch = source.integer(2, 4)
    n = batch * (batches or source.integer(1, 4)) + (source.integer(1, batch - 1) if short else 0)
    sides = [source.integer(2, 5) for _ in model.weights] + [source.integer(2, 4)]
    labels = np.array([source.integer(0, sides[-1] - 1) for _ in range(n)], dtype=np.uint8)
    labels[source.integer(0, n - 1)] = sides[-1] - 1
    dtype = source.choice(model.dtypes)
    images = source.values((n, sides[0]), -1.0, 1.0).astype(np.float32)
    weights = [source.values(shape, -1.0, 1.0).astype(dtype) for shape in itertools.pairwise(sides)]
    one = Epoch(images, labels, tuple(weights), source.choice([0.5, 0.125, 0.25]), batch)
    return one if len(weights) < 2 else _away_from_kinks(one)


def _away_from_kinks(one: Epoch) -> Epoch:
    """Shift the first weight by a fixed pattern until no input of the ReLU is near 0."""
    for _ in range(20):
        images, labels, *weights = one.wide()
        if (
            apps.distance_from_kink(images, labels, (weights[0], weights[1]), one.lr, one.batch)
            > NEAREST_KINK
        ):
            break
        first, *rest = one.weights
        pattern = 0.0371 * (1 + np.arange(first.size, dtype=first.dtype).reshape(first.shape) % 7)
        one = replace(one, weights=(first + pattern.astype(first.dtype), *rest))
    return one


def _values(trial: Trial, model: Model) -> None:
    cases = [draw_epoch(trial.source, model, batches=n) for n in (3, 1, 4, 2, 0, 0, 0, 0)]
    _examination(trial, model, cases).run(trial)


def _short_batch(trial: Trial, model: Model) -> None:
    cases = [draw_epoch(trial.source, model, short=True, batches=n) for n in (2, 1)]
    try:
        replace(_examination(trial, model, cases), draw=None, mistakes=model.short).run(trial)
    except Failure as failure:
        if failure.verdict == "error":
            failure.known_mistake = "short-raises"
        if failure.verdict == "failed" and failure.known_mistake is None:
            failure.message += "; the last batch is not handled on its own"
        one = cases[0]
        failure.message = (
            f"with a short last batch ({len(one.images)} samples, batch {one.batch}), {failure.message}"
        )
        failure.help = (
            failure.help or "the slice `X[i:i + batch]` is shorter at the end: divide by its length"
        )
        raise


def _classes(trial: Trial, model: Model) -> None:
    drawn = draw_epoch(trial.source, model, batches=2)
    one = replace(drawn, labels=np.minimum(drawn.labels, drawn.weights[-1].shape[1] - 2).astype(np.uint8))
    one = one if len(one.weights) < 2 else _away_from_kinks(one)
    try:
        replace(_examination(trial, model, [one]), draw=None, mistakes=()).run(trial)
    except Failure as failure:
        failure.message = f"where the largest class is not among the labels, {failure.message}"
        failure.help = (
            f"the number of classes is that of the columns of {model.weights[-1]}, not `y.max() + 1`"
        )
        raise


def _examination(trial: Trial, model: Model, cases: list[Epoch]) -> Examination[Epoch]:
    arguments = model.arguments(trial)
    return Examination(
        function=model.function,
        cases=cases,
        ask=lambda one: _trained(trial, model, arguments, one),
        right=lambda one: model.epoch(*one.wide(), one.lr, one.batch),
        names=model.weights,
        shown=lambda one: _shown(one, model),
        question=lambda one: Question(tuple(one.wide()), (one.lr, one.batch)),
        mistakes=model.mistakes,
        draw=lambda source: draw_epoch(source, model),
        size=Epoch.size,
        extra=SINGLE,
    )


def _trained(trial: Trial, model: Model, arguments: dict[str, Any], one: Epoch) -> list[np.ndarray]:
    """Return the weights after an epoch; raises `Failure` if they, or only the inputs, were changed."""
    reply = model.ask(trial, arguments | {"lr": one.lr, "batch": one.batch}, one)
    images, labels, *weights = reply.arrays
    if np.array_equal(images, one.images) and np.array_equal(labels, one.labels):
        _demand_change(model, one, weights, str(reply.values.get("returned") or ""))
        return weights
    name = "y" if np.array_equal(images, one.images) else "X"
    raise Failure(
        f"{model.function} changes {name} in place; only {' and '.join(model.weights)} may change",
        group="changed",
    )


def _demand_change(model: Model, one: Epoch, weights: list[np.ndarray], returned: str) -> None:
    """Raise if a weight is exactly what it was, though one epoch moves it."""
    truth = model.epoch(*one.wide(), one.lr, one.batch)
    still = [
        name
        for name, before, after, right in zip(model.weights, one.weights, weights, truth, strict=True)
        if np.array_equal(before, after) and not np.allclose(before, right, rtol=0, atol=1e-4)
    ]
    if len(still) < len(model.weights):
        return
    verb = "was" if len(still) == 1 else "were"
    also = f", though it returns {returned}" if returned else ""
    dtype = f" ({one.weights[0].dtype})"
    raise Failure(
        f"{model.function}: {' and '.join(still)}{dtype} {verb} not changed{also}",
        help=f"change the caller's array itself: `{still[0]} -= ...`, not `{still[0]} = {still[0]} - ...`",
        known_mistake="not-in-place",
        group="unchanged",
    )


def _gradient(trial: Trial, model: Model) -> None:
    """Hold one step against the slope of the loss along a random direction, for each weight."""
    one = replace(draw_epoch(trial.source, model, batches=1), lr=0.5)
    arguments = model.arguments(trial)
    after = _trained(trial, model, arguments, one)
    for position, name in enumerate(model.weights):
        before = one.weights[position].astype(np.float64)
        direction = trial.source.values(before.shape, -SHORT, SHORT)
        step = (before - after[position]) / one.lr
        slope = finite.projection(model.loss, one.wide(), position + 2, direction, np.ones(()))
        allowed = SINGLE * float(np.sum(np.abs(direction) * (np.abs(step) + np.abs(before) / one.lr)))
        mine = float(np.sum(direction * step))
        if not abs(mine - slope) <= allowed:
            raise Failure(
                f"{model.function}: the step of {name} is not lr times the gradient of the loss",
                counterexample=_shown(one, model) | {"direction": words.excerpt(direction)},
                expected=words.number(slope),
                actual=words.number(mine),
                measurements={"error_in_tolerances": words.number(abs(mine - slope) / allowed)},
                group="gradient",
            )


def _returns(trial: Trial, model: Model) -> None:
    one = draw_epoch(trial.source, model, batches=1)
    arguments = model.arguments(trial) | {"lr": one.lr, "batch": one.batch}
    returned = model.ask(trial, arguments, one).values.get("returned")
    if returned:
        raise Failure(
            f"{model.function} returns {returned}, expected None: its result is the change in place",
            group="returns",
        )


def _shown(one: Epoch, model: Model) -> dict[str, Any]:
    names = ("X", "y", *model.weights)
    shown = {name: words.excerpt(array) for name, array in zip(names, one.arrays(), strict=True)}
    return shown | {"lr": one.lr, "batch": one.batch}
