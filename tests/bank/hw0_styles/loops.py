"""Loops written out, struct for every header, one-hot by hand, no shift before exp."""
# ruff: noqa
# mypy: ignore-errors

import gzip
import struct


def add(x, y):
    result = x + y
    return result


def parse_mnist(image_filename, label_filename):
    with gzip.open(image_filename) as f:
        magic, n, rows, cols = struct.unpack(">IIII", f.read(16))
        assert magic == 2051
        X = np.zeros((n, rows * cols), dtype=np.float32)
        for i in range(n):
            X[i, :] = struct.unpack("B" * rows * cols, f.read(rows * cols))
    with gzip.open(label_filename) as f:
        magic, n = struct.unpack(">II", f.read(8))
        y = np.array(struct.unpack(f"{n}B", f.read(n)), dtype="uint8")
    X /= 255.0
    return (X, y)


def softmax_loss(Z, y):
    total = 0.0
    for i in range(Z.shape[0]):
        total += np.log(np.sum(np.exp(Z[i]))) - Z[i, y[i]]
    return total / Z.shape[0]


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    n, k = X.shape[0], theta.shape[1]
    i = 0
    while i < n:
        x_i = X[i : min(i + batch, n)]
        y_i = y[i : min(i + batch, n)]
        Z = np.exp(np.dot(x_i, theta))
        Z = Z / np.sum(Z, axis=1)[:, None]
        I = np.zeros((len(x_i), k))
        for j in range(len(x_i)):
            I[j][y_i[j]] = 1
        grad = np.dot(x_i.T, Z - I) / len(x_i)
        theta -= lr * grad
        i += batch


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    n, k = X.shape[0], W2.shape[1]
    for i in range(0, n, batch):
        x_i, y_i = X[i : i + batch], y[i : i + batch]
        m = x_i.shape[0]
        Z1 = np.dot(x_i, W1)
        Z1[Z1 < 0] = 0
        G2 = np.exp(np.dot(Z1, W2))
        G2 = G2 / np.sum(G2, axis=1, keepdims=True)
        for j in range(m):
            G2[j, y_i[j]] -= 1
        G1 = np.dot(G2, W2.T)
        G1[Z1 <= 0] = 0
        grad1 = np.dot(x_i.T, G1) / m
        grad2 = np.dot(Z1.T, G2) / m
        W1 -= lr * grad1
        W2 -= lr * grad2
