"""The checks of `train_mnist`: learning by bands, its results, and what its arguments are used for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework import train_calls
from grader.homework.check import Check
from grader.homework.mlp_epoch_checks import scalar
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import idx

ROUNDED = 1e-3  # a loss near 0 may come out a little below


@dataclass(frozen=True)
class Training:
    """A small training: how many samples and classes, and what `train_mnist` is given.

    Over 6 data sets with 25 initial weights each the reference ended with a train error of at most 0.07, a
    train loss of 0.23, a test error of 0.34 and a test loss of 1.7: BatchNorm's running statistics are still
    on their way after 18 steps, so that the test's bands have to be wide. By chance 0.67 of all are wrong.
    Of the test labels `false` are wrong, 0.17 more, so that the test error is not the train error.
    """

    train: int = 30
    test: int = 12
    batch: int = 10
    epochs: int = 6
    hidden: int = 24
    classes: int = 3
    lr: float = 0.0078125
    weight_decay: float = 0.03125
    false: int = 2

    def labels(self) -> tuple[list[int], list[int]]:
        """Return the labels of the training set and of the test set, in the order of their files."""
        train, test = ([i % self.classes for i in range(count)] for count in (self.train, self.test))
        return train, [(label + (i < self.false)) % self.classes for i, label in enumerate(test)]

    def shown(self) -> dict[str, Any]:
        """Return the training as the report shows it, by the names of `train_mnist`'s arguments."""
        return {
            "training samples": self.train,
            "test samples": self.test,
            "batch_size": self.batch,
            "epochs": self.epochs,
            "lr": self.lr,
            "weight_decay": self.weight_decay,
            "hidden_dim": self.hidden,
        }


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


def _files(source: Source, one: Training) -> list[np.ndarray]:
    """Return four files: each class a random pattern with noise."""
    rng = np.random.default_rng(source.integer(0, 10**6))
    owner = rng.integers(0, 3 * one.classes, (28, 28))  # each pixel is bright in one class at most
    patterns = np.array([np.where(owner == c, 200, 0) for c in range(one.classes)])
    contents = []
    for labels in one.labels():
        classes = np.arange(len(labels)) % one.classes  # of the pictures: some test labels are wrong
        pixels = patterns[classes] + rng.integers(0, 56, (len(labels), 28, 28))
        contents += [idx.images(pixels.astype(np.uint8)), idx.labels(np.array(labels, np.uint8))]
    return [np.frombuffer(content, dtype=np.uint8) for content in contents]


def _train(trial: Trial, one: Training) -> tuple[list[float], dict[str, Any]]:
    arguments = {
        "batch_size": one.batch,
        "epochs": one.epochs,
        "lr": one.lr,
        "weight_decay": one.weight_decay,
        "hidden_dim": one.hidden,
    }
    reply = trial.ask("mlp.train", arguments, _files(trial.source, one))
    values = [scalar(array) for array in reply.arrays]
    if any(value.shape != () or value.dtype.kind not in "fiu" for value in values):
        raise Failure("train_mnist: a result is not a number", group="kind")
    return [float(value) for value in values], reply.values


RESULTS = ("train error", "train loss", "test error", "test loss")


def _learns(trial: Trial) -> None:
    one = Training()
    results, facts = _train(trial, one)
    trial.remember("training", (one, results, facts))
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


ONCE = "make model, loaders and optimiser once; run `epoch` on both loaders in every epoch"


def _failure(one: Training, text: str, results: Sequence[float], *, help: str = ONCE) -> Failure:
    return Failure(
        f"train_mnist: {text}",
        help=help,
        counterexample=one.shown(),
        actual=dict(zip(RESULTS, map(words.number, results), strict=True)),
        group="bands",
    )


def _order(trial: Trial) -> None:
    """Where the passes go through the submission's `epoch`, its last results are what is returned.

    Elsewhere all test labels are wrong: test error and test loss are large, beside small training ones.
    """
    one, results, facts = _trained(trial)
    if train_calls.test_steps(facts["epochs"], one.train):
        return  # trained on the test data: `arguments` says so
    if train_calls.seen_whole(facts["epochs"]):
        says = train_calls.test_data_say(facts["epochs"], *one.labels())
        says = says or train_calls.result_says(facts["epochs"], results, one.train)
        if says:
            raise _failure(one, says, results, help="")
        return
    one = Training(epochs=4, lr=2 * Training.lr, false=Training.test)
    results, _ = _train(trial, one)
    train_error, train_loss, test_error, test_loss = results
    are_shares = _is_share(train_error, one.train) and _is_share(test_error, one.test)
    if not (are_shares and train_error < test_error and train_loss < test_loss):
        raise _failure(one, f"the results are not {', '.join(RESULTS)} in this order", results)


def _trained(trial: Trial) -> tuple[Training, list[float], dict[str, Any]]:
    """Return the training that `learns` has done, or do it now."""
    for seen in trial.seen("training"):
        return seen
    return Training(), *_train(trial, Training())


def _is_share(rate: float, samples: int) -> bool:
    """Tell whether an error rate is a whole number of samples among so many; a loss hardly ever is."""
    return 0 <= rate <= 1 and abs(rate * samples - round(rate * samples)) < 1e-3


def _arguments(trial: Trial) -> None:
    one, _, facts = _trained(trial)
    for text, help_text in _complaints(one, facts):
        raise Failure(f"train_mnist: {text}", help=help_text, counterexample=one.shown(), group="arguments")


MADE = "opt = optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)"
WIDTH = "MLPResNet(784, hidden_dim)"


def _complaints(one: Training, facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the use of the arguments, each with what helps, the plainest first."""
    steps, in_tests = (one.epochs * -(-samples // one.batch) for samples in (one.train, one.test))
    epochs, given = facts["epochs"], facts["keywords"]
    if train_calls.test_steps(epochs, one.train) or facts["steps"] == steps + in_tests:
        text = f"the test pass steps too: {facts['steps']} steps in all, expected {steps}"
        yield text, "call `epoch` without the optimiser on the test data"
    if not facts["optimisers"]:
        yield "the class in the argument `optimizer` is not used: no optimiser is made of it", MADE
    if facts["optimisers"] >= one.epochs:
        yield (
            f"an optimiser is made in every epoch ({facts['optimisers']} in all): each starts anew, "
            "without the moments of the epochs before",
            "make it once, before the loop over the epochs",
        )
    if given.get("beta1") == one.weight_decay:
        yield "the third argument of the optimiser, beta1, is given weight_decay", f"by their names: {MADE}"
    for name, right in (("weight_decay", one.weight_decay), ("lr", one.lr)):
        if given.get(name) != right:
            yield (
                f"the optimiser is made with {name}={given.get(name)}, not with the argument ({right})",
                MADE,
            )
    if _width(facts) != one.hidden:
        yield f"hidden_dim: {_width(facts)}, expected {one.hidden}", WIDTH
    if facts["steps"] != steps:
        text = f"steps of the optimiser: {facts['steps']}, expected {steps}"
        yield text, "a step per batch, in every epoch: are batch_size and epochs used as they are given?"
    says = train_calls.shapes_say(facts["shapes"], one.hidden)
    if says:
        yield says, f"{WIDTH}; {MADE}"
    says = train_calls.order_says(epochs, one.labels()[0])
    if says:
        yield says, "DataLoader(..., shuffle=True) for the training data"


def _width(facts: dict[str, Any]) -> Any:
    """Return the width of the layer that takes the pixels, wherever it stands."""
    shapes = facts.get("shapes") or [[0, 0]]
    return next((shape[-1] for shape in shapes if shape and shape[0] == train_calls.PIXELS), shapes[0][-1])
