"""The checks of `epoch` and `train_mnist`: numbers, modes, memory, and learning by bands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework import train_calls
from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination, demand
from grader.homework.growth_checks import SETTLED, leak, per_step
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import idx, mistakes_mlp, mlp
from grader.oracle.mistakes import Question

LR = 0.5
ROUNDED = 1e-3  # a loss near 0 may come out a little below
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
    return [_same_loss(_scalar(array), by_batch, by_sample) for array in arrays[:2]]


def _scalar(array: np.ndarray) -> np.ndarray:
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
        extra=SINGLE,
    ).run(trial)
    for one in cases[:2] if train else []:
        _demand_weight(trial, one)


def _demand_change(trial: Trial, one: Data) -> None:
    """Raise a failure if the training leaves the parameters as they were."""
    reply = _ask(trial, one)
    if np.array_equal(reply.arrays[2], one.weight):
        raise Failure(
            f"epoch: the parameters do not change: {_UNCHANGED['s' in str(reply.values['optimiser'])]}",
            counterexample=_shown(one),
        )


_UNCHANGED = {
    False: "`opt.step()` belongs into every batch",
    True: "`opt.step()` finds no gradients: first `opt.reset_grad()`, then `loss.backward()`, then the step",
}


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
    wanted = -(-len(one.images) // one.batch)
    if one.lr is not None and str(reply.values["optimiser"]).count("s") != wanted:
        raise Failure(
            f"epoch: the optimiser steps {reply.values['optimiser'].count('s')} times, expected {wanted}"
        )


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
    for train, word, other in ((True, "train", "eval"), (False, "eval", "train")):
        one = draw_data(trial.source, train=train)
        modes = _ask(trial, one).values["modes"]
        if modes != [train]:
            given = "with" if train else "without"
            raise Failure(
                f"epoch: {given} an optimiser the model runs in {other} mode, if it was so before",
                help=f"call model.{word}() at the start of the epoch, whatever the mode was",
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


@dataclass(frozen=True)
class Training:
    """A small training: how many samples and classes, and what `train_mnist` is given.

    Over 6 data sets with 25 initial weights each the reference ended with a train error of at most 0.07, a
    train loss of 0.23, a test error of 0.34 and a test loss of 1.7: BatchNorm's running statistics are still
    on their way after 18 steps, so that the test's bands have to be wide. By chance 0.67 of all are wrong.
    """

    train: int = 30
    test: int = 12
    batch: int = 10
    epochs: int = 6
    hidden: int = 24
    classes: int = 3
    lr: float = 0.0078125
    weight_decay: float = 0.03125


def train_mnist(question: str) -> tuple[Check, ...]:
    """Return the checks of `train_mnist`."""
    make = partial(Check, question, "train_mnist", target="mlp_resnet.train_mnist")
    first = (f"{question}.train_mnist.learns",)
    before = tuple(
        f"{question}.{one}" for one in ("MLPResNet.structure", "epoch.evaluation", "epoch.training")
    )
    return (
        make("learns", "errors and losses on data that can be learnt", _learns, weight=3.0, needs=before),
        make("results", "train error, train loss, test error, test loss", _order, needs=first),
        make("arguments", "batch size, epochs, lr, weight decay and width are used", _arguments, needs=first),
    )  # fmt: skip


def _files(source: Source, one: Training, *, strange: bool = False) -> list[np.ndarray]:
    """Return four files: each class a random pattern with noise; `strange` test labels are all wrong."""
    rng = np.random.default_rng(source.integer(0, 10**6))
    owner = rng.integers(0, 3 * one.classes, (28, 28))  # each pixel is bright in one class at most
    patterns = np.array([np.where(owner == c, 200, 0) for c in range(one.classes)])
    contents = []
    for count, wrong in ((one.train, False), (one.test, strange)):
        classes = np.arange(count) % one.classes
        pixels = patterns[classes] + rng.integers(0, 56, (count, 28, 28))
        contents += [idx.images(pixels.astype(np.uint8)), idx.labels((classes + wrong) % one.classes)]
    return [np.frombuffer(content, dtype=np.uint8) for content in contents]


def _train(trial: Trial, one: Training, **how: Any) -> tuple[list[float], dict[str, Any]]:
    arguments = {
        "batch_size": one.batch,
        "epochs": one.epochs,
        "lr": one.lr,
        "weight_decay": one.weight_decay,
        "hidden_dim": one.hidden,
    }
    reply = trial.ask("mlp.train", arguments, _files(trial.source, one, **how))
    values = [_scalar(array) for array in reply.arrays]
    if any(value.shape != () or value.dtype.kind not in "fiu" for value in values):
        raise Failure("train_mnist: a result is not a number", group="kind")
    return [float(value) for value in values], reply.values


RESULTS = ("train error", "train loss", "test error", "test loss")


def _learns(trial: Trial) -> None:
    one = Training()
    results, facts = _train(trial, one)
    trial.measurements |= dict(zip(RESULTS, map(words.number, results), strict=True))
    for name, value in zip(RESULTS, results, strict=True):
        if not math.isfinite(value) or value < -ROUNDED:
            raise _failure(one, f"the {name} is {value:g}", results)
    whole = train_calls.seen_whole(facts["epochs"])
    # what `epoch` returned at the end, where it is known: which of it is handed on is asked by `results`
    train_error, train_loss, test_error, _ = train_calls.last_results(facts["epochs"]) if whole else results
    if train_error > 0.75 and test_error > 0.75:
        hint = "is it the accuracy?" if train_loss < 0.7 else "does `epoch` get the optimiser?"
        raise _failure(
            one, f"after {one.epochs} epochs {train_error:.0%} of easy images are wrong: {hint}", results
        )
    if not (train_error <= 0.4 and train_loss < 1.0 and test_error <= 0.75):
        raise _failure(one, f"it learns too little in {one.epochs} epochs of easy images", results)


def _failure(one: Training, text: str, results: Sequence[float]) -> Failure:
    return Failure(
        f"train_mnist: {text}",
        help="make model, loaders and optimiser once; run `epoch` on both loaders in every epoch",
        counterexample=vars(one),
        actual=dict(zip(RESULTS, map(words.number, results), strict=True)),
        group="bands",
    )


def _order(trial: Trial) -> None:
    """Test labels are all wrong: a test error near 1 and a large test loss, beside small training ones.

    Where the passes go through the submission's `epoch`, its last results are what is returned.
    """
    one = Training(epochs=4, lr=2 * Training.lr)
    results, facts = _train(trial, one, strange=True)
    if train_calls.seen_whole(facts["epochs"]):
        if says := train_calls.result_says(facts["epochs"], results, one.train):
            raise _failure(one, says, results)
        return
    train_error, train_loss, test_error, test_loss = results
    are_shares = _is_share(train_error, one.train) and _is_share(test_error, one.test)
    if not (are_shares and train_error < test_error and train_loss < test_loss):
        failure = _failure(one, f"the results are not {', '.join(RESULTS)} in this order", results)
        failure.counterexample = {**vars(one), "test labels": "all wrong, so that the test error is near 1"}
        raise failure


def _is_share(rate: float, samples: int) -> bool:
    """Tell whether an error rate is a whole number of samples among so many; a loss hardly ever is."""
    return 0 <= rate <= 1 and abs(rate * samples - round(rate * samples)) < 1e-3


def _arguments(trial: Trial) -> None:
    one = Training(train=15, test=5, batch=5, epochs=2, hidden=6)
    _, facts = _train(trial, one)
    wanted = [
        ("weight_decay", facts["keywords"].get("weight_decay"), one.weight_decay),
        ("lr", facts["keywords"].get("lr"), one.lr),
        ("hidden_dim", _width(facts), one.hidden),
        ("steps of the optimiser", facts["steps"], one.epochs * -(-one.train // one.batch)),
    ]
    for name, mine, right in wanted:
        if mine != right:
            raise Failure(
                f"train_mnist: {name}: {mine}, expected {right}",
                help="optimizer(parameters, lr=lr, weight_decay=weight_decay) steps once per batch",
                counterexample=vars(one),
                group="arguments",
            )
    says = train_calls.shapes_say(facts["shapes"], one.hidden) or train_calls.order_says(facts["epochs"])
    if says:
        raise Failure(
            f"train_mnist: {says}",
            help="MLPResNet(784, hidden_dim), optimizer(model.parameters(), ...), training data shuffled",
            counterexample=vars(one),
            group="arguments",
        )


def _width(facts: dict[str, Any]) -> Any:
    """Return the width of the layer that takes the pixels, wherever it stands."""
    shapes = facts.get("shapes") or [[0, 0]]
    return next((shape[-1] for shape in shapes if shape and shape[0] == train_calls.PIXELS), shapes[0][-1])
