"""Known mistakes of hw0's epochs: softmax regression (numpy and C++) and the two-layer network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle import apps
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.mistakes_hw0_loops import Array, Step, loops, mistake_of, short_batch, steps


def _right_regression(x: Array, y: Array, theta: Array) -> tuple[Array]:
    return (apps.regression_gradient(x, y, theta),)


def _regression(error: Callable[[Array, Array, int], Array]) -> Callable[[Question], Any]:
    """Make a mistake from a wrong derivative for the logits: `error(logits, labels, classes)`."""
    return mistake_of(steps(lambda x, y, theta: (x.T @ error(x @ theta, y, theta.shape[1]) / len(y),)))


def _softmax_over(z: Array, axis: int | None) -> Array:
    powers = np.exp(z)
    return powers / np.sum(powers, axis=axis, keepdims=True)


def _column_major(x: Array, y: Array, w: tuple[Array, ...], lr: float, batch: int) -> tuple[Array, ...]:
    """Run the epoch on theta's memory read column by column."""
    (theta,) = w
    read = theta.reshape(-1, order="C").reshape(theta.shape, order="F")
    (after,) = apps.softmax_regression_epoch(x, y, read, lr, batch)
    return (after.reshape(-1, order="F").reshape(theta.shape, order="C"),)


SOFTMAX_REGRESSION = [
    *loops("regression", _right_regression),
    Mistake(
        "regression-no-target",
        "the one-hot labels are not subtracted from the softmax",
        _regression(lambda z, y, k: apps.softmax(z)),
    ),
    Mistake(
        "regression-target-added",
        "the one-hot labels are added to the softmax, not subtracted",
        _regression(lambda z, y, k: apps.softmax(z) + apps.one_hot(y, k)),
    ),
    Mistake(
        "regression-no-softmax",
        "the logits are used where their softmax belongs",
        _regression(lambda z, y, k: z - apps.one_hot(y, k)),
    ),
    Mistake(
        "regression-not-normalised",
        "the exponentials are not divided by their sum",
        _regression(lambda z, y, k: np.exp(z) - apps.one_hot(y, k)),
    ),
    Mistake(
        "regression-normalised-over-batch",
        "the softmax is normalised over the batch; each sample is normalised over its classes",
        _regression(lambda z, y, k: _softmax_over(z, 0) - apps.one_hot(y, k)),
    ),
    Mistake(
        "regression-normalised-over-all",
        "the softmax is normalised over the whole batch; each sample is normalised over its classes",
        _regression(lambda z, y, k: _softmax_over(z, None) - apps.one_hot(y, k)),
    ),
    Mistake(
        "regression-mean-over-classes",
        "the gradient is divided by the number of classes too",
        _regression(lambda z, y, k: (apps.softmax(z) - apps.one_hot(y, k)) / k),
    ),
    Mistake(
        "regression-squared-error",
        "the step is that of a squared error on the softmax, not of its logarithm",
        _regression(
            lambda z, y, k: _through_softmax(apps.softmax(z), apps.softmax(z) - apps.one_hot(y, k)),
        ),
    ),
]

# The extension gets a bare pointer, so one more thing can go wrong there.
EXTENSION = [
    *SOFTMAX_REGRESSION,
    Mistake(
        "regression-column-major",
        "theta is read column by column; it is row-major: theta[j * k + c]",
        mistake_of(_column_major),
    ),
]


def _through_softmax(p: Array, behind: Array) -> Array:
    return p * (behind - np.sum(p * behind, axis=1, keepdims=True))


def _right_two_layer(x: Array, y: Array, first: Array, second: Array) -> tuple[Array, ...]:
    return apps.two_layer_gradients(x, y, first, second)


def _two_layer(
    activation: Callable[[Array], Array] = lambda inner: np.maximum(inner, 0.0),
    mask: Callable[[Array, Array], Array] = lambda inner, behind: (inner > 0) * behind,
    hidden_for_second: Callable[[Array], Array] | None = None,
    error: Callable[[Array, Array, int], Array] = lambda z, y, k: apps.softmax(z) - apps.one_hot(y, k),
) -> Callable[[Question], Any]:
    """Make a mistake from one wrong part of the two-layer network's gradients."""

    def gradients(x: Array, y: Array, first: Array, second: Array) -> tuple[Array, ...]:
        inner = x @ first
        hidden = activation(inner)
        delta = error(hidden @ second, y, second.shape[1]) / len(y)
        seen = hidden if hidden_for_second is None else hidden_for_second(inner)
        return x.T @ mask(inner, delta @ second.T), seen.T @ delta

    return mistake_of(steps(gradients))


def _only(position: int) -> Step:
    def gradients(x: Array, y: Array, *weights: Array) -> tuple[Array, ...]:
        found = apps.two_layer_gradients(x, y, *weights)
        return tuple(g if i == position else np.zeros_like(g) for i, g in enumerate(found))

    return gradients


TWO_LAYER = [
    *loops("two-layer", _right_two_layer),
    Mistake(
        "two-layer-not-joint",
        "W2's gradient is computed after W1 has changed; both belong to one backward pass",
        mistake_of(lambda x, y, w, lr, batch: apps.nn_epoch(x, y, w[0], w[1], lr, batch, joint=False)),
    ),
    Mistake(
        "two-layer-second-first",
        "W1's gradient is computed after W2 has changed; both belong to one backward pass",
        mistake_of(lambda x, y, w, lr, batch: _second_first(x, y, w, lr, batch)),
    ),
    Mistake("two-layer-first-only", "only W1 is updated", mistake_of(steps(_only(0)))),
    Mistake("two-layer-second-only", "only W2 is updated", mistake_of(steps(_only(1)))),
    Mistake(
        "two-layer-no-mask",
        "the gradient for W1 lacks the ReLU's derivative: it passes where the hidden unit is above 0 only",
        _two_layer(mask=lambda inner, behind: behind),
    ),
    Mistake(
        "two-layer-mask-inverted",
        "the ReLU's derivative is inverted: the gradient passes where the hidden unit is above 0",
        _two_layer(mask=lambda inner, behind: (inner <= 0) * behind),
    ),
    Mistake(
        "two-layer-mask-on-gradient",
        "the ReLU is applied to the gradient; its derivative looks at the hidden units instead",
        _two_layer(mask=lambda inner, behind: np.maximum(behind, 0.0)),
    ),
    Mistake(
        "two-layer-hidden-for-mask",
        "the gradient is multiplied by the hidden units, not by the ReLU's derivative (0 or 1)",
        _two_layer(mask=lambda inner, behind: np.maximum(inner, 0.0) * behind),
    ),
    Mistake(
        "two-layer-no-relu",
        "there is no ReLU between the layers",
        _two_layer(activation=lambda inner: inner, mask=lambda inner, behind: behind),
    ),
    Mistake(
        "two-layer-mask-without-relu",
        "the forward pass has no ReLU, though the gradient has its derivative",
        _two_layer(activation=lambda inner: inner),
    ),
    Mistake(
        "two-layer-relu-missing-for-second",
        "W2's gradient is made from X @ W1 before the ReLU",
        _two_layer(hidden_for_second=lambda inner: inner),
    ),
    Mistake(
        "two-layer-no-target",
        "the one-hot labels are not subtracted from the softmax",
        _two_layer(error=lambda z, y, k: apps.softmax(z)),
    ),
    Mistake(
        "two-layer-no-softmax",
        "the logits are used where their softmax belongs",
        _two_layer(error=lambda z, y, k: z - apps.one_hot(y, k)),
    ),
    Mistake(
        "two-layer-not-normalised",
        "the exponentials are not divided by their sum",
        _two_layer(error=lambda z, y, k: np.exp(z) - apps.one_hot(y, k)),
    ),
    Mistake(
        "two-layer-normalised-over-batch",
        "the softmax is normalised over the batch; each sample is normalised over its classes",
        _two_layer(error=lambda z, y, k: _softmax_over(z, 0) - apps.one_hot(y, k)),
    ),
]


def _second_first(x: Array, y: Array, weights: tuple[Array, ...], lr: float, batch: int) -> tuple[Array, ...]:
    first, second = weights
    for start in range(0, len(x), batch):
        images, labels = x[start : start + batch], y[start : start + batch]
        second = second - lr * apps.two_layer_gradients(images, labels, first, second)[1]
        first = first - lr * apps.two_layer_gradients(images, labels, first, second)[0]
    return first, second


REGRESSION_SHORT = short_batch("regression", _right_regression)
TWO_LAYER_SHORT = short_batch("two-layer", _right_two_layer)
