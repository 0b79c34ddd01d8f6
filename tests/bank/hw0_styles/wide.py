"""Float64 on the way, a class for the reader, typing, a helper for batches, np.add."""
# ruff: noqa
# mypy: ignore-errors

from typing import Tuple
from array import array as byte_array


def add(x, y):
    return sum((x, y)) if isinstance(x, (int, float)) else np.add(x, y)


class _Reader:
    def __init__(self, name, axes):
        with gzip.GzipFile(name) as file:
            head = np.frombuffer(file.read(4 * (axes + 1)), dtype=np.dtype(np.int32).newbyteorder(">"))
            self.shape = tuple(head[1:])
            self.values = byte_array("B", file.read())


def parse_mnist(image_filename, label_filename) -> Tuple[np.ndarray, np.ndarray]:
    images, labels = _Reader(image_filename, 3), _Reader(label_filename, 1)
    X = np.array(images.values, dtype=np.float64).reshape(images.shape[0], 784)
    X = np.interp(X, (0, 255), (0.0, 1.0)).astype(np.float32)
    return X, np.array(labels.values, dtype=np.uint8)


def softmax_loss(Z, y):
    Z = Z.astype(np.float64)
    c = Z.max()
    return float(
        np.mean(
            c + np.log(np.sum(np.exp(Z - c), axis=1)) - np.take_along_axis(Z, y[:, None].astype(int), 1)[:, 0]
        )
    )


def _batches(X, y, batch):
    cut = list(range(batch, len(X), batch))
    yield from zip(np.split(X.astype(np.float64), cut), np.split(y.astype(np.int64), cut))


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    classes = np.arange(theta.shape[1])
    for xs, ys in _batches(X, y, batch):
        S = np.exp(xs.dot(theta))
        S = S / S.sum(axis=1)[:, np.newaxis]
        gradient = np.einsum("ij,ik->jk", xs, S - (ys[:, np.newaxis] == classes)) / xs.shape[0]
        theta += (-lr * gradient).astype(theta.dtype)


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    classes = np.arange(W2.shape[1])
    for xs, ys in _batches(X, y, batch):
        inner = xs.dot(W1)
        hidden = inner * (inner > 0)
        S = np.exp(hidden.dot(W2))
        S = S / S.sum(axis=1)[:, np.newaxis] - (ys[:, np.newaxis] == classes)
        back = S.dot(W2.T)
        back[inner < 0] = 0
        W2 += (-lr / xs.shape[0] * hidden.T.dot(S)).astype(W2.dtype)
        W1 += (-lr / xs.shape[0] * xs.T.dot(back)).astype(W1.dtype)
