"""The checks of hw1's `apps/simple_ml.py`: the softmax loss and the training epoch."""

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
from grader.oracle import apps, mistakes_apps, ops
from grader.oracle.mistakes import Question


@dataclass(frozen=True)
class Logits:
    """Logits `(n, k)` and one-hot labels."""

    logits: np.ndarray
    one_hot: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order by the number of logits."""
        return (self.logits.size, self.logits.shape[0])


def draw_logits(source: Source) -> Logits:
    """Return one to four samples of two to five classes."""
    n, k = source.integer(1, 4), source.integer(2, 5)
    labels = np.array([source.integer(0, k - 1) for _ in range(n)])
    return Logits(source.values((n, k), -3.0, 3.0), apps.one_hot(labels, k))


def softmax_loss(question: str) -> tuple[Check, ...]:
    """Return the checks of `softmax_loss`."""
    make = partial(Check, question, "softmax_loss", target="simple_ml.softmax_loss")
    return (
        make("values", "the mean cross-entropy, a scalar", _loss, weight=2.0),
        make(
            "gradient",
            "its gradient for the logits",
            _loss_gradient,
            needs=(f"{question}.softmax_loss.values",),
        ),
    )


def _loss(trial: Trial) -> None:
    Examination(
        function="softmax_loss",
        cases=[draw_logits(trial.source) for _ in range(10)],
        ask=lambda one: _scalar(trial.ask("apps.softmax_loss", {}, [one.logits, one.one_hot]).arrays),
        right=lambda one: [np.asarray(ops.softmax_loss(one.logits, one.one_hot))],
        names=["the loss"],
        shown=_shown_logits,
        question=lambda one: Question((one.logits, one.one_hot)),
        mistakes=mistakes_apps.SOFTMAX_LOSS,
        draw=draw_logits,
        size=Logits.size,
        extra=SINGLE,
    ).run(trial)


def _scalar(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Return a loss of shape (1,) as the scalar it stands for."""
    return [array.reshape(()) if array.shape == (1,) else array for array in arrays]


def _shown_logits(one: Logits) -> dict[str, Any]:
    return {"Z": words.excerpt(one.logits), "y_one_hot": words.excerpt(one.one_hot)}


def _loss_gradient(trial: Trial) -> None:
    Examination(
        function="softmax_loss",
        cases=[draw_logits(trial.source) for _ in range(4)],
        ask=lambda one: trial.ask("apps.softmax_loss", {"gradient": True}, [one.logits, one.one_hot]).arrays[
            1:
        ],
        right=lambda one: [(apps.softmax(one.logits) - one.one_hot) / len(one.logits)],
        names=["Z.grad after backward"],
        shown=_shown_logits,
        draw=draw_logits,
        size=Logits.size,
        extra=SINGLE,
    ).run(trial)


@dataclass(frozen=True)
class Epoch:
    """Input of one epoch: images `(n, d)`, labels `(n,)` uint8, both weights, learning rate, batch size."""

    images: np.ndarray
    labels: np.ndarray
    first: np.ndarray
    second: np.ndarray
    lr: float
    batch: int

    def size(self) -> tuple[int, ...]:
        """Order by the number of samples, then of numbers."""
        return len(self.images), self.images.size + self.first.size + self.second.size

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays in the order of the call."""
        return [self.images, self.labels, self.first, self.second]


def draw_epoch(source: Source, *, short: bool = False) -> Epoch:
    """Return one to four batches of two to four samples; `short` leaves the last one incomplete."""
    batch = source.integer(2, 4)
    n = batch * source.integer(1, 4) + (source.integer(1, batch - 1) if short else 0)
    d, h, k = source.integer(2, 5), source.integer(2, 5), source.integer(2, 4)
    labels = np.array([source.integer(0, k - 1) for _ in range(n)], dtype=np.uint8)
    return Epoch(
        source.values((n, d), -1.0, 1.0),
        labels,
        source.values((d, h), -1.0, 1.0),
        source.values((h, k), -1.0, 1.0),
        source.choice([0.5, 0.125]),
        batch,
    )


def nn_epoch(question: str) -> tuple[Check, ...]:
    """Return the checks of `nn_epoch`."""
    make = partial(Check, question, "nn_epoch", target="simple_ml.nn_epoch")
    first = (f"{question}.nn_epoch.values",)
    return (
        make("values", "the weights after one epoch", _epoch, weight=4.0),
        make("growth", "no step keeps the graph of the steps before", _epoch_growth, weight=2.0, needs=first),
        make(
            "short_batch",
            "a short last batch is used and averaged over its own size",
            _short_batch,
            weight=0.0,
            needs=first,
        ),
        make("dtype", "float32 weights stay float32", _epoch_dtype, weight=0.0, needs=first),
    )


def _ask_epoch(trial: Trial, one: Epoch) -> Any:
    return trial.ask("apps.nn_epoch", {"lr": one.lr, "batch": one.batch}, one.arrays())


def _weights(trial: Trial, one: Epoch) -> list[np.ndarray]:
    """Return both new weights; raises `Failure` for a wrong kind of result or changed inputs."""
    reply = _ask_epoch(trial, one)
    kinds = reply.values.get("kinds")
    if kinds:
        raise Failure(f"nn_epoch returns {kinds[0]}, not Tensors", group="kind")
    if not np.array_equal(reply.arrays[2], one.images) or not np.array_equal(reply.arrays[3], one.labels):
        raise Failure("nn_epoch changes X or y in place", group="changed")
    weights: list[np.ndarray] = reply.arrays[:2]
    return weights


def _examination(trial: Trial, cases: list[Epoch]) -> Examination[Epoch]:
    return Examination(
        function="nn_epoch",
        cases=cases,
        ask=lambda one: _weights(trial, one),
        right=lambda one: apps.nn_epoch(one.images, one.labels, one.first, one.second, one.lr, one.batch),
        names=["W1", "W2"],
        shown=_shown,
        question=lambda one: Question(tuple(one.arrays()), (one.lr, one.batch)),
        mistakes=mistakes_apps.NN_EPOCH,
        draw=draw_epoch,
        size=Epoch.size,
        extra=SINGLE,
    )


def _epoch(trial: Trial) -> None:
    _examination(trial, [draw_epoch(trial.source) for _ in range(8)]).run(trial)


def _short_batch(trial: Trial) -> None:
    one = draw_epoch(trial.source, short=True)
    try:
        replace(_examination(trial, [one]), draw=None).run(trial)
    except Failure as failure:
        failure.message = (
            f"with a short last batch ({len(one.images)} samples, batch {one.batch}), {failure.message}"
        )
        raise


def _epoch_dtype(trial: Trial) -> None:
    wide = draw_epoch(trial.source)
    images, first, second = (one.astype(np.float32) for one in (wide.images, wide.first, wide.second))
    one = replace(wide, images=images, first=first, second=second)
    for name, weight in zip(("W1", "W2"), _weights(trial, one), strict=True):
        if weight.dtype != np.float32:
            raise Failure(
                f"nn_epoch turns float32 {name} into {weight.dtype} (numpy {np.__version__})",
                help="`np.zeros` and `np.eye` are float64 without a dtype; one such array widens the rest",
                group="dtype",
                expected="float32",
                actual=str(weight.dtype),
            )


def _epoch_growth(trial: Trial) -> None:
    rng = np.random.default_rng(len(trial.check.id))
    alive: list[int] = []
    lines: list[dict[str, Any]] = []
    for batches in (2, 6):
        one = Epoch(
            rng.uniform(-1, 1, (2 * batches, 3)),
            np.arange(2 * batches, dtype=np.uint8) % 2,
            rng.uniform(-1, 1, (3, 4)),
            rng.uniform(-1, 1, (4, 2)),
            0.125,
            2,
        )
        values = _ask_epoch(trial, one).values
        alive.append(values.get("alive", 0))
        lines = values.get("lines") or []
    per_step = (alive[1] - alive[0]) / 4
    trial.measurements |= {"nodes_alive_after_2_steps": alive[0], "nodes_alive_after_6_steps": alive[1]}
    if per_step > 0:
        raise Failure(
            f"nn_epoch keeps {per_step:g} nodes more alive with every step: "
            "the new weights hold the graph of the old",
            help="make the new weight a leaf: compute it from the data, or detach it",
            location=next((one for one in lines if one["function"] == "nn_epoch"), None),
            group="growth",
        )


def _shown(one: Epoch) -> dict[str, Any]:
    names = ("X", "y", "W1", "W2")
    shown = {name: words.excerpt(array) for name, array in zip(names, one.arrays(), strict=True)}
    return shown | {"lr": one.lr, "batch": one.batch}
