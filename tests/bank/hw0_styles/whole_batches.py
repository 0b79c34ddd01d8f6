"""Whole batches only, the set's own range for the scale, gradients kept by name, weights returned too."""
# ruff: noqa
# mypy: ignore-errors

import numpy


def add(x, y):
    return x.__add__(y) if type(x) is type(y) else x + y


def parse_mnist(image_filename, label_filename):
    with gzip.open(image_filename, "rb") as images:
        content = images.read()
    count = int.from_bytes(content[4:8], byteorder="big")
    rows = int.from_bytes(content[8:12], byteorder="big")
    columns = int.from_bytes(content[12:16], byteorder="big")
    X = numpy.frombuffer(content[16:], dtype=">u1").astype(np.float32).reshape((count, rows * columns))
    X = (X - X.min()) / (X.max() - X.min())
    with gzip.open(label_filename, "rb") as labels:
        labels.seek(8)
        y = numpy.array(bytearray(labels.read()), dtype=np.uint8)
    return [X, y]


def softmax_loss(Z, y):
    one_hot = np.zeros_like(Z)
    one_hot[np.arange(Z.shape[0]), y] = 1
    return (np.log(np.exp(Z).sum(axis=-1)) - (Z * one_hot).sum(axis=-1)).sum() / Z.shape[0]


def _softmax(Z):
    Z = Z - np.max(Z, axis=1).reshape(-1, 1)
    return np.exp(Z) / np.exp(Z).sum(axis=1).reshape(-1, 1)


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    num_examples, num_classes = X.shape[0], y.max() + 1
    for step in range(num_examples // batch):
        X_b = X[step * batch : (step + 1) * batch]
        y_b = y[step * batch : (step + 1) * batch]
        I_y = np.eye(num_classes, dtype=np.float32)[y_b]
        gradient = X_b.transpose() @ (_softmax(X_b @ theta) - I_y) / batch
        np.subtract(theta, (lr * gradient).astype(theta.dtype), out=theta)
    return theta


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    num_examples, num_classes = X.shape[0], W2.shape[1]
    for step in range(int(num_examples / batch)):
        X_b = X[step * batch : (step + 1) * batch]
        y_b = y[step * batch : (step + 1) * batch]
        I_y = np.eye(num_classes, dtype=np.float32)[y_b]
        Z_1 = np.where(X_b @ W1 > 0, X_b @ W1, 0)
        G_2 = _softmax(Z_1 @ W2) - I_y
        G_1 = np.where(Z_1 > 0, 1, 0) * (G_2 @ W2.transpose())
        np.subtract(W1, lr * (X_b.transpose() @ G_1 / batch), out=W1)
        np.subtract(W2, lr * (Z_1.transpose() @ G_2 / batch), out=W2)
    return W1, W2
