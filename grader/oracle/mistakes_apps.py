"""Known mistakes of autograd, the losses and the training loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.oracle import apps, graphs
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.ops import logsumexp


def _adjoints(combine: graphs.Combine = graphs.total, *, ones: bool = False, **wrongly: Any) -> Any:
    """Make a mistake from a wrong way to make adjoints; parameters: program, wanted positions."""

    def wrong(q: Question) -> list[np.ndarray]:
        program, wanted = q.parameters
        cotangent = q.cotangent if q.cotangent is not None else np.ones(())
        start = np.ones_like(cotangent) if ones else cotangent
        found = graphs.adjoints(program, q.inputs, start, combine, **wrongly)
        return [found[position] for position in wanted]

    return wrong


AUTOGRAD = [
    Mistake(
        "adjoint-last-only",
        "a node used twice keeps only one contribution: they have to be summed",
        _adjoints(lambda parts: parts[-1]),
    ),
    Mistake(
        "adjoint-first-only",
        "a node used twice keeps only its first contribution: they have to be summed",
        _adjoints(lambda parts: parts[0]),
    ),
    Mistake(
        "adjoint-one-per-operation",
        "of the two contributions of an operation that takes one node twice only one is kept: sum them",
        _adjoints(twice=False),
    ),
    Mistake(
        "adjoint-first-handed-on",
        "an operation's `gradient` gets the first contribution to its node, not the sum of all",
        _adjoints(handed_on=lambda parts: parts[0]),
    ),
    Mistake(
        "adjoint-last-handed-on",
        "an operation's `gradient` gets the last contribution to its node, not the sum of all",
        _adjoints(handed_on=lambda parts: parts[-1]),
    ),
    Mistake(
        "adjoint-mean",
        "the contributions to a node are averaged: they have to be summed",
        _adjoints(lambda parts: np.mean(parts, axis=0)),
    ),
    Mistake(
        "adjoint-ignores-out-grad",
        "the out_grad that is passed in is not used: the output's adjoint is ones",
        _adjoints(ones=True),
    ),
]


def _loss(formula: Any) -> Any:
    return lambda q: [np.asarray(formula(*q.inputs))]


def _picked(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sum(z * y, axis=1)


def _per_sample(q: Question) -> list[np.ndarray] | None:
    z, y = q.inputs
    return None if len(z) == 1 else [logsumexp(z, (1,)) - _picked(z, y)]  # one sample: its loss is the mean


SOFTMAX_LOSS = [
    Mistake(
        "loss-summed",
        "the losses are summed over the batch, not averaged",
        _loss(lambda z, y: np.sum(logsumexp(z, (1,)) - _picked(z, y))),
    ),
    Mistake(
        "loss-over-all",
        "the loss is averaged over batch and classes",
        _loss(lambda z, y: np.mean(logsumexp(z, (1,)) - _picked(z, y)) / z.shape[1]),
    ),
    Mistake(
        "loss-per-sample",
        "one loss per sample is returned, not their mean",
        _per_sample,
    ),
    Mistake(
        "loss-negated", "the sign is wrong", _loss(lambda z, y: np.mean(_picked(z, y) - logsumexp(z, (1,))))
    ),
    Mistake(
        "loss-no-target",
        "the logit of the true class is not subtracted",
        _loss(lambda z, y: np.mean(logsumexp(z, (1,)))),
    ),
    Mistake(
        "loss-log-missing",
        "the logarithm of the sum is missing",
        _loss(lambda z, y: np.mean(np.sum(np.exp(z), axis=1) - _picked(z, y))),
    ),
]


def _epoch(formula: Any) -> Any:
    """Make a mistake from a wrong epoch; parameters: lr, batch."""
    return lambda q: list(formula(*q.inputs, *q.parameters))


def _first_batch_only(x: Any, y: Any, w1: Any, w2: Any, lr: float, batch: int) -> Any:
    return apps.nn_epoch(x[:batch], y[:batch], w1, w2, lr, batch)


def _summed_gradient(x: Any, y: Any, w1: Any, w2: Any, lr: float, batch: int) -> Any:
    return apps.nn_epoch(x, y, w1, w2, lr * batch, batch)


NN_EPOCH = [
    Mistake(
        "epoch-ascends",
        "the weights move up the gradient: the sign of the update is wrong",
        _epoch(lambda x, y, w1, w2, lr, batch: apps.nn_epoch(x, y, w1, w2, -lr, batch)),
    ),
    Mistake("epoch-summed", "the gradient is summed over the batch, not averaged", _epoch(_summed_gradient)),
    Mistake("epoch-one-batch", "only the first batch is used", _epoch(_first_batch_only)),
    Mistake(
        "epoch-whole-set",
        "the whole set is used as one batch",
        _epoch(lambda x, y, w1, w2, lr, batch: apps.nn_epoch(x, y, w1, w2, lr, len(x))),
    ),
    Mistake(
        "epoch-not-joint",
        "W2's gradient is computed after W1 has changed; both belong to one backward pass",
        _epoch(lambda x, y, w1, w2, lr, batch: apps.nn_epoch(x, y, w1, w2, lr, batch, joint=False)),
    ),
    Mistake(
        "epoch-unchanged", "the weights come back unchanged", _epoch(lambda x, y, w1, w2, lr, batch: (w1, w2))
    ),
    Mistake(
        "epoch-lr-ignored",
        "the learning rate is not used: it is 1",
        _epoch(lambda x, y, w1, w2, lr, batch: apps.nn_epoch(x, y, w1, w2, 1.0, batch)),
    ),
]
