"""hw2: a residual network of linear layers, and its training on MNIST's files."""

import sys

sys.path.append("python/")
import os
import time

import needle as ndl
import numpy as np
from needle import nn


def ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):
    """ReLU of a Residual around Linear, norm, ReLU, Dropout, Linear, norm.

    The block maps `(batch, dim)` to `(batch, dim)` by way of `(batch, hidden_dim)`; `norm` is called with a
    width.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def MLPResNet(dim, hidden_dim=100, num_blocks=3, num_classes=10, norm=nn.BatchNorm1d, drop_prob=0.1):
    """Flatten, Linear, ReLU, then `num_blocks` ResidualBlocks, then Linear.

    Maps `(batch, ...)` with `dim` numbers per sample to logits `(batch, num_classes)`; the blocks have the
    width `hidden_dim` outside and half of it inside.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def epoch(dataloader, model, opt=None):
    """One pass over `dataloader`: training with the optimiser `opt`, evaluation without one.

    The model is put in the mode that fits. Returns `(error rate, average loss)` as Python floats, the error
    rate as the share of all samples.
    """
    np.random.seed(4)
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def train_mnist(
    batch_size=100,
    epochs=10,
    optimizer=ndl.optim.Adam,
    lr=0.001,
    weight_decay=0.001,
    hidden_dim=100,
    data_dir="data",
):
    """Train an MLPResNet on the files of `data_dir`, shuffled, and test it after every epoch.

    The optimiser is made as `optimizer(parameters, lr=..., weight_decay=...)`. Returns
    `(train error, train loss, test error, test loss)` of the last epoch.
    """
    np.random.seed(4)
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


if __name__ == "__main__":
    started = time.perf_counter()
    results = train_mnist(data_dir="data")
    for name, value in zip(("train error", "train loss", "test error", "test loss"), results):
        print(f"{name:12}{value:8.4f}")
    print(f"{'seconds':12}{time.perf_counter() - started:8.1f}")
