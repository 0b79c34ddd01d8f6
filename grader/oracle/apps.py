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


def class_loss(logits: Array, labels: Array) -> Array:
    """Return the mean cross-entropy of logits `(n, k)` for class indices `(n,)`, a 0-d array."""
    largest = np.max(logits, axis=1, keepdims=True)
    log_normalizers = np.log(np.sum(np.exp(logits - largest), axis=1)) + largest[:, 0]
    return np.asarray(np.mean(log_normalizers - logits[np.arange(len(labels)), labels]))


def regression_loss(images: Array, labels: Array, theta: Array) -> Array:
    """Return the mean loss of softmax regression."""
    return class_loss(images @ theta, labels)


def regression_gradient(images: Array, labels: Array, theta: Array) -> Array:
    """Return the gradient of `regression_loss` for theta."""
    error = softmax(images @ theta) - one_hot(labels, theta.shape[1])
    return images.T @ error / len(labels)


def softmax_regression_epoch(
    images: Array, labels: Array, theta: Array, lr: float, batch: int
) -> tuple[Array]:
    """Return theta after one epoch of minibatch gradient descent in the given order, in a tuple of one."""
    for start in range(0, len(images), batch):
        x, y = images[start : start + batch], labels[start : start + batch]
        theta = theta - lr * regression_gradient(x, y, theta)
    return (theta,)


def two_layer_loss(images: Array, labels: Array, first: Array, second: Array) -> Array:
    """Return the mean loss of `relu(images @ first) @ second`."""
    return class_loss(np.maximum(images @ first, 0.0) @ second, labels)


def distance_from_kink(
    images: Array, labels: Array, weights: tuple[Array, Array], lr: float, batch: int
) -> float:
    """Return how near to 0 an input of the ReLU comes in one epoch; below rounding nothing is decided."""
    nearest = np.inf
    first, second = weights
    for start in range(0, len(images), batch):
        x, y = images[start : start + batch], labels[start : start + batch]
        nearest = min(nearest, float(np.min(np.abs(x @ first))))
        first, second = nn_epoch(x, y, first, second, lr, batch)
    return nearest
