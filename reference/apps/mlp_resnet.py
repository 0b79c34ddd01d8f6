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
    inner = nn.Sequential(
        nn.Linear(dim, hidden_dim),
        norm(hidden_dim),
        nn.ReLU(),
        nn.Dropout(drop_prob),
        nn.Linear(hidden_dim, dim),
        norm(dim),
    )
    return nn.Sequential(nn.Residual(inner), nn.ReLU())
    ### END YOUR SOLUTION


def MLPResNet(dim, hidden_dim=100, num_blocks=3, num_classes=10, norm=nn.BatchNorm1d, drop_prob=0.1):
    """Flatten, Linear, ReLU, then `num_blocks` ResidualBlocks, then Linear.

    Maps `(batch, ...)` with `dim` numbers per sample to logits `(batch, num_classes)`; the blocks have the
    width `hidden_dim` outside and half of it inside.
    """
    ### BEGIN YOUR SOLUTION
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(dim, hidden_dim),
        nn.ReLU(),
        *[ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob) for _ in range(num_blocks)],
        nn.Linear(hidden_dim, num_classes),
    )
    ### END YOUR SOLUTION


def epoch(dataloader, model, opt=None):
    """One pass over `dataloader`: training with the optimiser `opt`, evaluation without one.

    The model is put in the mode that fits. Returns `(error rate, average loss)` as Python floats, the error
    rate as the share of all samples.
    """
    np.random.seed(4)
    ### BEGIN YOUR SOLUTION
    if opt is None:
        model.eval()
    else:
        model.train()
    loss_function = nn.SoftmaxLoss()
    samples, errors, total_loss = 0, 0, 0.0
    for X, y in dataloader:
        logits = model(X)
        loss = loss_function(logits, y)
        if opt is not None:
            opt.reset_grad()
            loss.backward()
            opt.step()
        samples += y.shape[0]
        errors += int((logits.numpy().argmax(axis=1) != y.numpy()).sum())
        # numbers, not tensors: a sum of loss tensors would keep the graph of every batch
        total_loss += float(loss.numpy()) * y.shape[0]
    return errors / samples, total_loss / samples
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
    train_set, test_set = (
        ndl.data.MNISTDataset(
            os.path.join(data_dir, f"{name}-images-idx3-ubyte.gz"),
            os.path.join(data_dir, f"{name}-labels-idx1-ubyte.gz"),
        )
        for name in ("train", "t10k")
    )
    train_loader = ndl.data.DataLoader(train_set, batch_size, shuffle=True)
    test_loader = ndl.data.DataLoader(test_set, batch_size)
    model = MLPResNet(train_set[0][0].size, hidden_dim)
    opt = optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)
    for _ in range(epochs):
        train_error, train_loss = epoch(train_loader, model, opt)
        test_error, test_loss = epoch(test_loader, model)
    return train_error, train_loss, test_error, test_loss
    ### END YOUR SOLUTION


if __name__ == "__main__":
    started = time.perf_counter()
    results = train_mnist(data_dir="data")
    for name, value in zip(("train error", "train loss", "test error", "test loss"), results):
        print(f"{name:12}{value:8.4f}")
    print(f"{'seconds':12}{time.perf_counter() - started:8.1f}")
