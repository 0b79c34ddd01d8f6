"""Truth for the residual network of linear layers and one pass of training, in float64."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grader.oracle.apps import one_hot, softmax

Array = np.ndarray
EPS = 1e-5


@dataclass(frozen=True)
class Shape:
    """The sizes of an MLPResNet; a ResidualBlock is one with `blocks` 1 and nothing around it."""

    dim: int
    hidden: int
    blocks: int = 3
    classes: int = 10
    norm: str = "BatchNorm1d"
    drop: float = 0.0


def linear(x: Array, weight: Array, bias: Array) -> Array:
    """Return `x @ weight + bias`."""
    return x @ weight + bias.reshape(1, -1)


def normalised(x: Array, weight: Array, bias: Array, norm: str, *, training: bool) -> Array:
    """Return the norm of `(batch, dim)`; BatchNorm1d has seen no batch before (mean 0, variance 1)."""
    if norm == "BatchNorm1d" and not training:
        mean, var = np.zeros((1, x.shape[1])), np.ones((1, x.shape[1]))
    else:
        axis = 0 if norm == "BatchNorm1d" else 1
        mean, var = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return weight.reshape(1, -1) * (x - mean) / np.sqrt(var + EPS) + bias.reshape(1, -1)


def relu(x: Array) -> Array:
    """Return max(x, 0)."""
    return np.maximum(x, 0.0)


@dataclass
class Wiring:
    """How the parts are put together; the fields are there for the mistakes that people make."""

    last_relu: bool = True
    residual: bool = True
    relu_before_add: bool = False
    relu_before_norm: bool = False
    inner_relu: bool = True
    first_relu: bool = True
    relu_at_end: bool = False
    softmax_at_end: bool = False
    second_norm: bool = True
    statistics: str = ""
    blocks_reversed: bool = False


RIGHT = Wiring()


def block(
    x: Array, parameters: Sequence[Array], norm: str, *, training: bool, wiring: Wiring = RIGHT
) -> Array:
    """Return a residual block of `(batch, dim)`: relu(x + norm(linear(relu(norm(linear(x)))))).

    `parameters`: weight and bias of linear, norm, linear, norm. Without dropout.
    """
    w1, b1, g1, s1, w2, b2, g2, s2 = parameters
    mode = training if not wiring.statistics else wiring.statistics == "batch"
    inner = linear(x, w1, b1)
    if wiring.relu_before_norm:
        inner = normalised(relu(inner), g1, s1, norm, training=mode)
    else:
        inner = normalised(inner, g1, s1, norm, training=mode)
        inner = relu(inner) if wiring.inner_relu else inner
    out = linear(inner, w2, b2)
    if wiring.second_norm:
        out = normalised(out, g2, s2, norm, training=mode)
    if wiring.relu_before_add:
        out = relu(out)
    out = out + x if wiring.residual else out
    return relu(out) if wiring.last_relu and not wiring.relu_before_add else out


def before_relu(x: Array, parameters: Sequence[Array], norm: str, *, training: bool) -> Array:
    """Return what a block's inner ReLU gets, `(batch, hidden)`; Dropout may stand before it or behind it."""
    w1, b1, g1, s1 = parameters[:4]
    return normalised(linear(x, w1, b1), g1, s1, norm, training=training)


def network(
    x: Array, parameters: Sequence[Array], shape: Shape, *, training: bool, wiring: Wiring = RIGHT
) -> Array:
    """Return the logits `(batch, classes)` of an MLPResNet for `(batch, ...)`, without dropout."""
    x = linear(x.reshape(len(x), -1), parameters[0], parameters[1])
    x = relu(x) if wiring.first_relu else x
    inner = [parameters[i : i + 8] for i in range(2, len(parameters) - 2, 8)]
    for one in inner[::-1] if wiring.blocks_reversed else inner:
        x = block(x, one, shape.norm, training=training, wiring=wiring)
    out = linear(x, parameters[-2], parameters[-1])
    if wiring.relu_at_end:
        out = relu(out)
    return softmax(out) if wiring.softmax_at_end else out


def block_shapes(dim: int, hidden: int) -> list[tuple[int, ...]]:
    """Return the shapes of a block's parameters in order; a bias or a norm's vector is `(n,)`."""
    return [(dim, hidden), (hidden,), (hidden,), (hidden,), (hidden, dim), (dim,), (dim,), (dim,)]


def network_shapes(shape: Shape) -> list[tuple[int, ...]]:
    """Return the shapes of a network's parameters in order."""
    inner = block_shapes(shape.hidden, shape.hidden // 2) * shape.blocks
    ends = [(shape.hidden, shape.classes), (shape.classes,)]
    return [(shape.dim, shape.hidden), (shape.hidden,), *inner, *ends]


@dataclass(frozen=True)
class Batch:
    """What one batch of an epoch gives: samples, wrong ones, mean loss."""

    samples: int
    wrong: int
    loss: float


def epoch(
    images: Array, labels: Array, weight: Array, batch: int, lr: float | None
) -> tuple[list[Batch], Array]:
    """Return what each batch gives on the model `logits = images @ weight`, and the weight afterwards.

    With `lr` each batch is followed by a step of gradient descent; None is evaluation.
    """
    weight = weight.astype(np.float64)
    done = []
    for x, y in _batches(images, labels, batch):
        logits = x @ weight
        probabilities = softmax(logits)
        losses = -np.log(probabilities[np.arange(len(y)), y])
        done.append(Batch(len(y), int((logits.argmax(axis=1) != y).sum()), float(losses.mean())))
        if lr is not None:
            weight = weight - lr * x.T @ (probabilities - one_hot(y, weight.shape[1])) / len(y)
    return done, weight


def _batches(images: Array, labels: Array, batch: int) -> Iterator[tuple[Array, Array]]:
    for start in range(0, len(images), batch):
        yield images[start : start + batch].astype(np.float64), labels[start : start + batch]


def error_rate(done: Sequence[Batch]) -> float:
    """Return the share of all samples that were classified wrongly."""
    return sum(one.wrong for one in done) / sum(one.samples for one in done)


def loss_by_sample(done: Sequence[Batch]) -> float:
    """Return the mean loss over all samples."""
    return sum(one.loss * one.samples for one in done) / sum(one.samples for one in done)


def loss_by_batch(done: Sequence[Batch]) -> float:
    """Return the mean over batches of each batch's mean loss."""
    return sum(one.loss for one in done) / len(done)
