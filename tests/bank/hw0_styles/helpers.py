"""Helpers outside of the regions, `loss_err`'s neighbours used, stable softmax, log-sum-exp."""
# ruff: noqa
# mypy: ignore-errors


def add(x, y):
    return y + x


import array
import functools
import logging
from typing import Iterator, Tuple


def _read_idx(filename: str) -> np.ndarray:
    """Any IDX file of bytes."""
    with gzip.open(filename, "rb") as file:
        data = memoryview(file.read())
    ndim = data[3]
    shape = np.frombuffer(data[4 : 4 + 4 * ndim], dtype=">u4").astype(int)
    return np.array(data[4 + 4 * ndim :], dtype=np.uint8).reshape(shape)


def parse_mnist(image_filename, label_filename):
    images, labels = _read_idx(image_filename), _read_idx(label_filename)
    X = np.multiply(images.reshape(images.shape[0], -1), 1 / 255, dtype=np.float32)
    return np.ascontiguousarray(X), labels


def _softmax(Z):
    e = np.exp(Z - np.max(Z, axis=-1)[:, None])
    return e / np.sum(e, axis=-1)[:, None]


def _batches(X, y, batch):
    for start in range(0, y.size, batch):
        yield X[start : start + batch], y[start : start + batch]


def softmax_loss(Z, y):
    picked = np.take_along_axis(_softmax(Z), y[:, None].astype(int), axis=1)
    return float(-np.mean(np.log(picked)))


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    for x, labels in _batches(X, y, batch):
        G = _softmax(x @ theta)
        G[range(len(labels)), labels] -= 1.0
        np.subtract(theta, (lr / len(labels)) * (x.T @ G), out=theta, casting="same_kind")


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for x, labels in _batches(X, y, batch):
        hidden = x @ W1
        active = hidden > 0
        hidden = np.where(active, hidden, 0)
        G = _softmax(hidden @ W2) - np.eye(W2.shape[1], dtype=W2.dtype)[labels]
        G /= len(labels)
        steps = x.T @ np.where(active, G @ W2.T, 0), hidden.T @ G
        for W, step in zip((W1, W2), steps):
            W -= lr * step.astype(W.dtype)
