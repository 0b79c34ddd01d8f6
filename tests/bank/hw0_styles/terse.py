"""As short as it goes; weights assigned through a slice; Python's own sum of the types."""
# ruff: noqa
# mypy: ignore-errors


def add(x, y):
    return y + x


def parse_mnist(image_filename, label_filename):
    pixels = np.frombuffer(gzip.open(image_filename).read(), np.uint8, offset=16)
    y = np.frombuffer(gzip.open(label_filename).read(), np.uint8, offset=8)
    return pixels.reshape(y.size, -1).astype("float32") / 255, y


def _p(Z):
    E = np.exp(Z)
    return E / E.sum(1, keepdims=True)


def softmax_loss(Z, y):
    return -np.log(_p(Z)[range(len(y)), y]).mean()


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    for i in range(0, len(X), batch):
        x, t = X[i : i + batch], np.eye(theta.shape[1])[y[i : i + batch]]
        theta[:] = theta - lr * x.T @ (_p(x @ theta) - t) / len(x)


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for i in range(0, len(X), batch):
        x, t = X[i : i + batch], np.eye(W2.shape[1])[y[i : i + batch]]
        h = (x @ W1).clip(0)
        e = (_p(h @ W2) - t) / len(x)
        W1[:], W2[:] = W1 - lr * x.T @ ((h > 0) * (e @ W2.T)), W2 - lr * h.T @ e
