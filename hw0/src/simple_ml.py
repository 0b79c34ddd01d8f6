"""hw0: softmax regression and a two-layer network in plain numpy."""

import gzip
import struct

import numpy as np

try:
    from simple_ml_ext import softmax_regression_epoch_cpp
except ImportError:  # not built yet
    softmax_regression_epoch_cpp = None


def add(x, y):
    """Sum of two numbers or arrays; the types are Python's: two floats give a float."""
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def parse_mnist(image_filename, label_filename):
    """Read a pair of gzipped IDX files, as MNIST has them.

    Returns `(X, y)`: `X` is float32 `(images, rows * columns)` with the byte range 0..255 mapped to 0..1 in
    the same way for every image, `y` is uint8 `(images,)`. The headers are big-endian: magic number (2051 for
    images, 2049 for labels), count, and for images rows and columns.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def softmax_loss(Z, y):
    """Softmax (cross-entropy) loss, averaged over the batch.

    `Z` holds logits `(batch, classes)`, `y` class indices `(batch,)`. Returns a number.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    """One pass of minibatch gradient descent over softmax regression, in the order of the data.

    `X` is float32 `(images, inputs)`, `y` uint8 `(images,)`; `theta` `(inputs, classes)` is changed in place.
    The last batch may be short, and its gradient is averaged over the images it has. Returns None.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    """One pass of minibatch gradient descent over the network `ReLU(X @ W1) @ W2`, in the order of the data.

    `X` is float32 `(images, inputs)`, `y` uint8 `(images,)`; `W1` `(inputs, hidden)` and `W2`
    `(hidden, classes)` are changed in place, both by the gradient at the same point. The last batch may be
    short. Returns None.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def loss_err(h, y):
    """Average loss and error rate of the logits `h` `(batch, classes)` for the classes `y` `(batch,)`."""
    return softmax_loss(h, y), np.mean(h.argmax(axis=1) != y)


def _report(epoch, train, test):
    """One row of the training table; `train` and `test` are `(loss, error)`."""
    print(f"| {epoch:5} | {train[0]:10.5f} | {train[1]:9.5f} | {test[0]:9.5f} | {test[1]:8.5f} |")


def _report_header():
    """Head of the training table."""
    print("| epoch | train loss | train err | test loss | test err |")


def train_softmax(X_tr, y_tr, X_te, y_te, epochs=10, lr=0.5, batch=100, cpp=False):
    """Train softmax regression from zeros, in numpy or by the C++ extension, and print a row per epoch."""
    theta = np.zeros((X_tr.shape[1], y_tr.max() + 1), dtype=np.float32)
    run_epoch = softmax_regression_epoch_cpp if cpp else softmax_regression_epoch
    _report_header()
    for epoch in range(epochs):
        run_epoch(X_tr, y_tr, theta, lr, batch)
        _report(epoch, loss_err(X_tr @ theta, y_tr), loss_err(X_te @ theta, y_te))


def train_nn(X_tr, y_tr, X_te, y_te, hidden_dim=500, epochs=10, lr=0.5, batch=100):
    """Train the two-layer network from small random weights, and print a row per epoch."""
    inputs, classes = X_tr.shape[1], y_tr.max() + 1
    np.random.seed(0)
    W1 = np.random.randn(inputs, hidden_dim).astype(np.float32) / np.float32(np.sqrt(hidden_dim))
    W2 = np.random.randn(hidden_dim, classes).astype(np.float32) / np.float32(np.sqrt(classes))
    _report_header()
    for epoch in range(epochs):
        nn_epoch(X_tr, y_tr, W1, W2, lr=lr, batch=batch)
        train = loss_err(np.maximum(X_tr @ W1, 0) @ W2, y_tr)
        test = loss_err(np.maximum(X_te @ W1, 0) @ W2, y_te)
        _report(epoch, train, test)


if __name__ == "__main__":
    X_tr, y_tr = parse_mnist("data/train-images-idx3-ubyte.gz", "data/train-labels-idx1-ubyte.gz")
    X_te, y_te = parse_mnist("data/t10k-images-idx3-ubyte.gz", "data/t10k-labels-idx1-ubyte.gz")

    print("Softmax regression")
    train_softmax(X_tr, y_tr, X_te, y_te, epochs=10, lr=0.2)

    print("\nTwo-layer network with 100 hidden units")
    train_nn(X_tr, y_tr, X_te, y_te, hidden_dim=100, epochs=20, lr=0.2)

    if softmax_regression_epoch_cpp is not None:
        print("\nSoftmax regression in C++")
        train_softmax(X_tr, y_tr, X_te, y_te, epochs=10, lr=0.2, cpp=True)
