"""Sums by index: einsum, ufuncs with `out=`, `np.add.at`."""
# ruff: noqa
# mypy: ignore-errors


def parse_mnist(image_filename, label_filename):
    f = gzip.GzipFile(image_filename)
    magic, n, h, w = np.frombuffer(f.read(16), ">i4")
    X = np.frombuffer(f.read(int(n) * int(h) * int(w)), "B").reshape(n, h * w)
    f.close()
    f = gzip.GzipFile(label_filename)
    f.seek(8)
    y = np.frombuffer(f.read(), "B")
    f.close()
    X = X.astype("float32")
    X /= 255
    return (X, y)


def softmax_loss(Z, y):
    peak = Z.max()
    return np.mean(np.log(np.einsum("ij->i", np.exp(Z - peak))) + peak - np.choose(y, Z.T))


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    start = 0
    while start < X.shape[0]:
        x, t = X[start : start + batch], y[start : start + batch]
        P = np.exp(np.einsum("ij,jk->ik", x, theta))
        P /= np.einsum("ij->i", P)[:, np.newaxis]
        np.add.at(P, (np.arange(t.size), t), -1)
        theta -= np.einsum("ij,ik->jk", x, P) * np.float32(lr / t.size)
        start += batch


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    start = 0
    while start < X.shape[0]:
        x, t = X[start : start + batch], y[start : start + batch]
        H = np.clip(x.dot(W1), 0, None)
        P = np.exp(H.dot(W2))
        P /= P.sum(axis=1, keepdims=True)
        np.add.at(P, (np.arange(t.size), t), -1)
        P /= t.size
        D = P.dot(W2.T) * np.sign(H)
        W2 -= lr * H.T.dot(P)
        W1 -= lr * x.T.dot(D)
        start += batch
