"""Known mistakes of the residual network and of its training pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.oracle import mlp
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.mlp import Array, Batch, Shape, Wiring

Shapes = list[tuple[int, ...]]


def _wired(**parts: Any) -> Callable[[Question], list[Array]]:
    """Make a mistake of wiring; inputs: x, then the parameters; parameters: shape or None, norm, training."""

    def wrong(q: Question) -> list[Array]:
        shape, norm, training = q.parameters
        x, *parameters = q.inputs
        wiring = Wiring(**parts)
        if shape is None:
            return [mlp.block(x, parameters, norm, training=training, wiring=wiring)]
        return [mlp.network(x, parameters, shape, training=training, wiring=wiring)]

    return wrong


BLOCK = [
    Mistake("block-no-last-relu", "the ReLU behind the sum is missing", _wired(last_relu=False)),
    Mistake(
        "block-no-residual",
        "the input is not added: the inner modules belong in Residual",
        _wired(residual=False),
    ),
    Mistake(
        "block-relu-before-add",
        "the last ReLU stands before the input is added: it belongs behind the sum",
        _wired(relu_before_add=True),
    ),
    Mistake(
        "block-relu-twice",
        "there is a ReLU before the input is added, beside the one behind the sum",
        lambda q: _relu_twice(q),
    ),
    Mistake("block-relu-before-norm", "the inner ReLU stands before the norm", _wired(relu_before_norm=True)),
    Mistake("block-no-inner-relu", "the inner ReLU is missing", _wired(inner_relu=False)),
]


def _relu_twice(q: Question) -> list[Array] | None:
    shape, norm, training = q.parameters
    x, *parameters = q.inputs
    if shape is not None:
        return None
    inner = mlp.block(x, parameters, norm, training=training, wiring=Wiring(relu_before_add=True)) - x
    return [mlp.relu(inner + x)]


MODES = [
    Mistake(
        "mode-batch-statistics",
        "in eval mode it works with the batch's statistics: eval() does not reach the norms inside",
        _wired(statistics="batch"),
    ),
    Mistake(
        "mode-running-statistics",
        "in train mode it works with the running statistics: train() does not reach the norms inside",
        _wired(statistics="running"),
    ),
]

NETWORK = [
    *BLOCK,
    Mistake("network-no-first-relu", "the ReLU behind the first Linear is missing", _wired(first_relu=False)),
    Mistake("network-relu-at-end", "there is a ReLU behind the last Linear", _wired(relu_at_end=True)),
    Mistake(
        "network-softmax-at-end",
        "there is a softmax at the end: the network gives logits, the loss has the softmax",
        _wired(softmax_at_end=True),
    ),
]


def _shapes(change: Callable[[Shape], Shapes]) -> Callable[[Question], Shapes]:
    """Make a mistake of structure; the question's parameter is the shape asked for."""
    return lambda q: change(q.parameters[0])


def _with(**sizes: Any) -> Callable[[Shape], Shapes]:
    return lambda shape: mlp.network_shapes(replace(shape, **sizes))


def _inner(shape: Shape, inner: Shapes) -> Shapes:
    right = mlp.network_shapes(shape)
    return [*right[:2], *inner, *right[-2:]]


def _no_norms(shapes: Shapes) -> Shapes:
    return [one for i, one in enumerate(shapes) if i % 8 in (0, 1, 4, 5)]


STRUCTURE = [
    Mistake(
        "network-full-inner-width",
        "the blocks have the full width inside: pass hidden_dim // 2 as their hidden_dim",
        _shapes(lambda s: _inner(s, mlp.block_shapes(s.hidden, s.hidden) * s.blocks)),
    ),
    Mistake("network-blocks-fixed", "num_blocks is not used: there are 3 blocks", _shapes(_with(blocks=3))),
    Mistake(
        "network-one-block",
        "there are parameters of one block only: make a new block for each, not one that is used again",
        _shapes(_with(blocks=1)),
    ),
    Mistake("network-classes-fixed", "num_classes is not used: there are 10", _shapes(_with(classes=10))),
    Mistake(
        "network-blocks-of-dim",
        "the blocks and the last Linear have the width dim: hidden_dim goes through the network",
        _shapes(lambda s: mlp.network_shapes(replace(s, hidden=s.dim))),
    ),
    Mistake(
        "network-no-norms",
        "the blocks have no norms",
        _shapes(lambda s: _inner(s, _no_norms(mlp.block_shapes(s.hidden, s.hidden // 2)) * s.blocks)),
    ),
]

BLOCK_STRUCTURE = [
    Mistake(
        "block-no-norms",
        "the norms are missing, or their parameters are not found",
        _shapes(lambda s: _no_norms(mlp.block_shapes(s.dim, s.hidden))),
    ),
    Mistake(
        "block-one-norm",
        "the norm behind the second Linear is missing",
        _shapes(lambda s: mlp.block_shapes(s.dim, s.hidden)[:6]),
    ),
    Mistake(
        "block-swapped-widths",
        "dim and hidden_dim have changed places",
        _shapes(lambda s: mlp.block_shapes(s.hidden, s.dim)),
    ),
    Mistake(
        "block-no-hidden",
        "hidden_dim is not used: both Linears are dim by dim",
        _shapes(lambda s: mlp.block_shapes(s.dim, s.dim)),
    ),
]

Done = Sequence[Batch]


def _pass(error: Callable[[Done], float], loss: Callable[[Done], float]) -> Callable[[Question], list[Array]]:
    """Make a mistake of summing up; inputs: images, labels, weight; parameters: batch, lr."""

    def wrong(q: Question) -> list[Array]:
        images, labels, weight = q.inputs
        done, _ = mlp.epoch(images, labels, weight, *q.parameters)
        return [np.asarray(error(done)), np.asarray(loss(done))]

    return wrong


def _error(error: Callable[[Done], float]) -> Callable[[Question], list[Array]]:
    return _pass(error, mlp.loss_by_sample)


def _loss(loss: Callable[[Done], float]) -> Callable[[Question], list[Array]]:
    return _pass(mlp.error_rate, loss)


def _samples(done: Done) -> int:
    return sum(one.samples for one in done)


def _wrong(done: Done) -> int:
    return sum(one.wrong for one in done)


def _accuracy(done: Done) -> float:
    return 1 - mlp.error_rate(done)


def _by_batch(done: Done) -> float:
    return sum(one.wrong / one.samples for one in done) / len(done)


def _per_full_batch(done: Done) -> float:
    return _wrong(done) / (len(done) * done[0].samples)


# The loss counts as the mean over samples here: a mean over batches, as right, is turned into it first.
EPOCH = [
    Mistake("epoch-accuracy", "it returns the accuracy for the error rate: a == 1 - e", _error(_accuracy)),
    Mistake(
        "epoch-swapped",
        "error rate and loss have changed places: the error rate comes first",
        lambda q: _error(mlp.error_rate)(q)[::-1],
    ),
    Mistake(
        "epoch-error-count",
        "the number of wrong samples is returned: divide it by the number of samples",
        _error(lambda done: float(_wrong(done))),
    ),
    Mistake(
        "epoch-error-by-batch",
        "the error rate is averaged over batches, so that a short last batch weighs too much: count samples",
        _error(_by_batch),
    ),
    Mistake(
        "epoch-error-full-batches",
        "the error is divided by batches times batch size, though the last batch is short: count samples",
        _error(_per_full_batch),
    ),
    Mistake(
        "epoch-last-error",
        "the error rate is that of the last batch",
        _error(lambda done: done[-1].wrong / done[-1].samples),
    ),
    Mistake(
        "epoch-error-per-batch",
        "the number of wrong samples is divided by the number of batches",
        _error(lambda done: _wrong(done) / len(done)),
    ),
    Mistake(
        "epoch-loss-summed",
        "the losses of the batches are added up, not averaged",
        _loss(lambda done: sum(one.loss for one in done)),
    ),
    Mistake(
        "epoch-loss-samples-summed",
        "the losses of the samples are added up, not averaged",
        _loss(lambda done: sum(one.loss * one.samples for one in done)),
    ),
    Mistake(
        "epoch-loss-over-samples",
        "the batches' mean losses are divided by the number of samples: divide by that of the batches",
        _loss(lambda done: sum(one.loss for one in done) / _samples(done)),
    ),
    Mistake(
        "epoch-counts-batches",
        "it divides by the number of batches where that of the samples is meant",
        _pass(
            lambda done: _wrong(done) / len(done),
            lambda done: sum(one.loss * one.samples for one in done) / len(done),
        ),
    ),
    Mistake("epoch-last-loss", "the loss is that of the last batch", _loss(lambda done: done[-1].loss)),
]
