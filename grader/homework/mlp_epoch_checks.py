"""The checks of `epoch`: numbers, modes, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination, demand
from grader.homework.growth_checks import SETTLED, leak, per_step
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import mistakes_mlp, mlp
from grader.oracle.mistakes import Question

LR = 0.5


NAMES = ["the error rate", "the average loss"]


@dataclass(frozen=True)
class Data:
    """Images `(n, d)` float32, labels `(n,)` uint8, the weight `(d, k)` of a linear model, the batch size."""

    images: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    batch: int
    lr: float | None

    def size(self) -> tuple[int, ...]:
        """Order by the number of samples, then of numbers."""
        return len(self.images), self.images.size + self.weight.size

    def plainer(self) -> Iterator[tuple[str, Data]]:
        """Yield the data without a short batch, and with a single batch; each said in words."""
        whole = len(self.images) - len(self.images) % self.batch
        for clause, count in (("no batch is short", whole), ("there is one batch", self.batch)):
            if 0 < count < len(self.images):
                yield clause, replace(self, images=self.images[:count], labels=self.labels[:count])

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays in the order of the probe."""
        return [self.images, self.labels, self.weight]

    def epoch(self) -> tuple[list[mlp.Batch], np.ndarray]:
        """Return what the oracle makes of it: the batches, and the weight afterwards."""
        return mlp.epoch(self.images, self.labels, self.weight, self.batch, self.lr)


def draw_data(source: Source, *, train: bool, short: bool | None = None) -> Data:
    """Return two to four batches of two to five samples; `short` leaves the last one incomplete."""
    size = source.integer(2, 5)
    rest = source.integer(1, size - 1) if short or (short is None and source.integer(0, 1)) else 0
    n, d, k = size * source.integer(2, 4) + rest, source.integer(2, 4), source.integer(2, 4)
    labels = np.array([source.integer(0, k - 1) for _ in range(n)], dtype=np.uint8)
    images = source.values((n, d), -2.0, 2.0, 0.125).astype(np.float32)
    weight = source.values((d, k), -1.5, 1.5, 0.125).astype(np.float32)
    return Data(images, labels, weight, size, LR if train else None)


def epoch(question: str) -> tuple[Check, ...]:
    """Return the checks of `epoch`."""
    make = partial(Check, question, "epoch", target="mlp_resnet.epoch")
    first = (f"{question}.epoch.evaluation",)
    return (
        make("evaluation", "error rate and loss without an optimiser", partial(_values, False), weight=2.0),
        make("training", "the same with an optimiser", partial(_values, True), weight=2.0, needs=first),
        make("modes", "the model is put in the mode that fits", _modes, needs=first),
        make("graph", "no batch keeps nodes of the batches before", _growth, weight=2.0, needs=first),
    )  # fmt: skip


def _ask(trial: Trial, one: Data, *, watch: bool = False) -> Any:
    return trial.ask("mlp.epoch", {"batch": one.batch, "lr": one.lr, "watch": watch}, one.arrays())


def _canonical(one: Data, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return error and loss as scalars; a mean over batches, which is right too, as the mean over samples."""
    done, _ = one.epoch()
    by_sample, by_batch = mlp.loss_by_sample(done), mlp.loss_by_batch(done)
    return [_same_loss(scalar(array), by_batch, by_sample) for array in arrays[:2]]


def scalar(array: np.ndarray) -> np.ndarray:
    """Return one number, however it came, as an array without axes."""
    value = array.reshape(()) if array.size == 1 and array.ndim < 2 else array
    return value.astype(np.float64) if value.dtype.kind in "iu" else value


def _same_loss(value: np.ndarray, by_batch: float, by_sample: float) -> np.ndarray:
    is_same = value.shape == () and compare.same(value, by_batch, extra=SINGLE)
    return np.asarray(by_sample) if is_same else value


def _right(one: Data) -> list[np.ndarray]:
    done, _ = one.epoch()
    return [np.asarray(mlp.error_rate(done)), np.asarray(mlp.loss_by_sample(done))]


def _values(train: bool, trial: Trial) -> None:
    cases = [draw_data(trial.source, train=train, short=short) for short in (False, True) * 4]
    if train:
        _demand_change(trial, cases[0])  # a wrong loss would only follow from it
    else:
        _demand_weight(trial, cases[0])
    Examination(
        function="epoch",
        cases=cases,
        ask=lambda one: _canonical(one, _ask(trial, one).arrays),
        right=_right,
        names=NAMES,
        shown=_shown,
        question=lambda one: Question(tuple(one.arrays()), (one.batch, one.lr)),
        mistakes=mistakes_mlp.EPOCH,
        draw=partial(draw_data, train=train),
        size=Data.size,
        plainer=Data.plainer,
        extra=SINGLE,
    ).run(trial)
    for one in cases[:2] if train else []:
        _demand_weight(trial, one)


def _demand_change(trial: Trial, one: Data) -> None:
    """Raise a failure if the training leaves the parameters as they were."""
    reply = _ask(trial, one)
    _demand_steps(reply.values["optimiser"], one)
    if np.array_equal(reply.arrays[2], one.weight):
        raise Failure(
            f"epoch: the parameters do not change: {_UNCHANGED['s' in str(reply.values['optimiser'])]}",
            counterexample=_shown(one),
        )


_UNCHANGED = {
    False: "`opt.step()` belongs into every batch",
    True: "`opt.step()` finds no gradients: first `opt.reset_grad()`, then `loss.backward()`, then the step",
}


def _demand_steps(calls: str, one: Data) -> None:
    """Raise a failure unless the optimiser steps once per batch; `calls` has an "s" for each step."""
    steps, wanted = calls.count("s"), -(-len(one.images) // one.batch)
    if one.lr is not None and 0 < steps != wanted:
        raise Failure(
            f"epoch: the optimiser steps {steps} times, expected {wanted}: once in every batch",
            help="`opt.reset_grad()`, `loss.backward()` and `opt.step()` stand inside the loop over batches",
            counterexample=_shown(one),
            group="steps",
        )


def _demand_weight(trial: Trial, one: Data) -> None:
    """Look at the parameters after an epoch, and at the steps that led there."""
    reply = _ask(trial, one)
    weight, right = reply.arrays[2], one.epoch()[1]
    try:
        demand([weight], [right], ["epoch: the parameters afterwards"], extra=SINGLE)
    except Failure as failure:
        failure.counterexample = _shown(one)
        if one.lr is None:
            failure.message = "epoch: the parameters change, though there is no optimiser"
        raise
    _demand_steps(reply.values["optimiser"], one)


def _shown(one: Data) -> dict[str, Any]:
    return {
        "model": "logits = X @ W",
        "X": words.excerpt(one.images),
        "y": words.excerpt(one.labels),
        "W": words.excerpt(one.weight),
        "batch_size": one.batch,
        "opt": "None" if one.lr is None else f"gradient descent, lr={one.lr}",
    }


def _modes(trial: Trial) -> None:
    for train, other in ((True, "eval"), (False, "train")):
        one = draw_data(trial.source, train=train)
        modes = _ask(trial, one).values["modes"]
        if modes != [train]:
            given = "with" if train else "without"
            raise Failure(
                f"epoch: {given} an optimiser the model runs in {other} mode, if it was so before",
                help="a pass with an optimiser begins with model.train(), one without with model.eval()",
                counterexample={"opt": "given" if train else "None", "model.training before": not train},
                group="mode",
            )


def _growth(trial: Trial) -> None:
    rng = np.random.default_rng(7)
    batches, size = 7, 2
    images = rng.uniform(-1, 1, (batches * size, 3)).astype(np.float32)
    labels = (np.arange(batches * size) % 2).astype(np.uint8)
    for lr in (LR, None):
        one = Data(images, labels, rng.uniform(-1, 1, (3, 2)).astype(np.float32), size, lr)
        values = _ask(trial, one, watch=True).values
        alive = values["alive"]
        kind = "training" if lr else "evaluation"
        trial.measurements |= {f"alive_per_batch_{kind}": alive}
        if len(alive) <= SETTLED or max(alive[SETTLED:]) <= alive[SETTLED - 1]:
            continue
        failure = leak("epoch", values, per_step(values["alive"]))
        failure.message = f"epoch, {kind}: {failure.message.replace('every step', 'every batch')}"
        failure.help = "add up numbers, not Tensors: `float(loss.numpy())`"
        failure.counterexample = {"batches": batches, "opt": "given" if lr else "None"}
        raise failure
