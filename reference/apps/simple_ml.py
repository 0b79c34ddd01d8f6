"""hw1: a two-layer network, trained by automatic differentiation."""

import gzip
import struct
import sys

import numpy as np

sys.path.append("python/")
import needle as ndl


def parse_mnist(image_filesname, label_filename):
    """Read a pair of gzipped IDX files, as MNIST has them.

    Returns `(X, y)`: `X` is float32 `(images, rows * columns)` with the byte range 0..255 mapped to 0..1 in
    the same way for every image, `y` is uint8 `(images,)`. The headers are big-endian: magic number (2051 for
    images, 2049 for labels), count, and for images rows and columns.
    """
    ### BEGIN YOUR SOLUTION
    with gzip.open(image_filesname, "rb") as file:
        _, count, rows, columns = struct.unpack(">4I", file.read(16))
        X = np.frombuffer(file.read(), dtype=np.uint8).reshape(count, rows * columns)
    with gzip.open(label_filename, "rb") as file:
        file.read(8)
        y = np.frombuffer(file.read(), dtype=np.uint8).copy()
    return X.astype(np.float32) / np.float32(255), y
    ### END YOUR SOLUTION


def softmax_loss(Z, y_one_hot):
    """Softmax (cross-entropy) loss, averaged over the batch.

    `Z` is a Tensor of logits `(batch, classes)`, `y_one_hot` a Tensor of the same shape with a 1 at the true
    class. Returns a Tensor of shape `()`.
    """
    ### BEGIN YOUR SOLUTION
    log_normalizers = ndl.log(ndl.summation(ndl.exp(Z), axes=(1,)))
    return (log_normalizers.sum() - (Z * y_one_hot).sum()) / Z.shape[0]
    ### END YOUR SOLUTION


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    """One pass of minibatch gradient descent over the network `ReLU(X @ W1) @ W2`, in the order of the data.

    `X` is a float32 array `(images, inputs)`, `y` an array `(images,)` of class indices; `W1`
    `(inputs, hidden)` and `W2` `(hidden, classes)` are Tensors. Returns the new `(W1, W2)`, with nothing of
    the steps attached to them.
    """
    ### BEGIN YOUR SOLUTION
    one_hot = np.eye(W2.shape[1], dtype=W2.dtype)
    for start in range(0, len(X), batch):
        X_batch = ndl.Tensor(X[start : start + batch], requires_grad=False)
        y_batch = ndl.Tensor(one_hot[y[start : start + batch]], requires_grad=False)
        softmax_loss(ndl.relu(X_batch @ W1) @ W2, y_batch).backward()
        # new leaves: W1 - lr * W1.grad as a Tensor would keep the graph of every past step
        W1 = ndl.Tensor(W1.numpy() - lr * W1.grad.numpy(), dtype=W1.dtype)
        W2 = ndl.Tensor(W2.numpy() - lr * W2.grad.numpy(), dtype=W2.dtype)
    return W1, W2
    ### END YOUR SOLUTION


def loss_err(h, y):
    """Average loss and error rate of the logits `h` `(batch, classes)` for the classes `y` `(batch,)`."""
    y_one_hot = np.eye(h.shape[1], dtype=h.dtype)[y]
    loss = softmax_loss(h, ndl.Tensor(y_one_hot, requires_grad=False))
    return loss.numpy(), np.mean(h.numpy().argmax(axis=1) != y)
