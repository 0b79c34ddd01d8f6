"""Truth for the training loops: softmax regression and the two-layer network, by their formulas."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def softmax(logits: Array) -> Array:
    """Return the softmax of each row."""
    powers = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def one_hot(labels: Array, classes: int) -> Array:
    """Return one row of zeros with a one per label."""
    return np.eye(classes)[labels]


def two_layer_gradients(images: Array, labels: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Return the gradients of the mean loss of `relu(images @ first) @ second` for both weights."""
    hidden = np.maximum(images @ first, 0.0)
    error = (softmax(hidden @ second) - one_hot(labels, second.shape[1])) / len(labels)
    behind = (hidden > 0) * (error @ second.T)
    return images.T @ behind, hidden.T @ error


def nn_epoch(
    images: Array, labels: Array, first: Array, second: Array, lr: float, batch: int, *, joint: bool = True
) -> tuple[Array, Array]:
    """Return both weights after one epoch of minibatch gradient descent in the given order.

    `joint=False` is the mistake of computing the second gradient after the first update.
    """
    for start in range(0, len(images), batch):
        x, y = images[start : start + batch], labels[start : start + batch]
        step_first, step_second = two_layer_gradients(x, y, first, second)
        first = first - lr * step_first
        if not joint:
            step_second = two_layer_gradients(x, y, first, second)[1]
        second = second - lr * step_second
    return first, second
