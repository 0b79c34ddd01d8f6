"""Print the reference's figures on its own digits: error rates, losses and seconds.

Run as `python benchmarks/figures.py`, from anywhere. Everything is seeded, so the figures differ between
machines only by rounding, and by their speed.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

REFERENCE = Path(__file__).resolve().parent.parent / "reference"
DATA = REFERENCE / "data"
HIDDEN = 100
TRAIN_MNIST = {"batch_size": 100, "epochs": 10, "lr": 0.001, "weight_decay": 0.001, "hidden_dim": 100}


class Figures(NamedTuple):
    """Error rates and losses over both sets of digits."""

    train_error: float
    train_loss: float
    test_error: float
    test_loss: float


def load(path: str, name: str) -> ModuleType:
    """A file of the reference as a module called `name`: two of them share their own name."""
    spec = importlib.util.spec_from_file_location(name, REFERENCE / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(REFERENCE / "python"))
import needle as ndl

HW0 = load("src/simple_ml.py", "hw0_simple_ml")
HW1 = load("apps/simple_ml.py", "hw1_simple_ml")
HW2 = load("apps/mlp_resnet.py", "hw2_mlp_resnet")


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training images and labels, test images and labels."""
    train = HW0.parse_mnist(DATA / "train-images-idx3-ubyte.gz", DATA / "train-labels-idx1-ubyte.gz")
    test = HW0.parse_mnist(DATA / "t10k-images-idx3-ubyte.gz", DATA / "t10k-labels-idx1-ubyte.gz")
    return *train, *test


def weights(inputs: int, hidden: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Seeded float32 weights of the two-layer network."""
    rng = np.random.default_rng(0)
    W1 = rng.standard_normal((inputs, hidden), dtype=np.float32) / np.float32(np.sqrt(hidden))
    W2 = rng.standard_normal((hidden, classes), dtype=np.float32) / np.float32(np.sqrt(classes))
    return W1, W2


def measure(loss_err: Callable, network: Callable, X_train, y_train, X_test, y_test) -> Figures:
    """Figures of `network`, which maps images to logits; `loss_err` gives loss and error rate."""
    train_loss, train_error = loss_err(network(X_train), y_train)
    test_loss, test_error = loss_err(network(X_test), y_test)
    return Figures(float(train_error), float(train_loss), float(test_error), float(test_loss))


def softmax_regression(epochs: int = 10, lr: float = 0.2, batch: int = 100) -> Figures:
    """hw0: softmax regression from zeros."""
    X_train, y_train, X_test, y_test = digits()
    theta = np.zeros((X_train.shape[1], 10), dtype=np.float32)
    for _ in range(epochs):
        HW0.softmax_regression_epoch(X_train, y_train, theta, lr, batch)
    return measure(HW0.loss_err, lambda X: X @ theta, X_train, y_train, X_test, y_test)


def two_layers_numpy(epochs: int = 20, lr: float = 0.2, batch: int = 100) -> Figures:
    """hw0: the two-layer network."""
    X_train, y_train, X_test, y_test = digits()
    W1, W2 = weights(X_train.shape[1], HIDDEN, 10)
    for _ in range(epochs):
        HW0.nn_epoch(X_train, y_train, W1, W2, lr, batch)
    return measure(HW0.loss_err, lambda X: np.maximum(X @ W1, 0) @ W2, X_train, y_train, X_test, y_test)


def two_layers_needle(epochs: int = 20, lr: float = 0.2, batch: int = 100) -> Figures:
    """hw1: the same network on needle."""
    X_train, y_train, X_test, y_test = digits()
    W1, W2 = map(ndl.Tensor, weights(X_train.shape[1], HIDDEN, 10))
    for _ in range(epochs):
        W1, W2 = HW1.nn_epoch(X_train, y_train, W1, W2, lr, batch)
    return measure(
        HW1.loss_err, lambda X: ndl.relu(ndl.Tensor(X) @ W1) @ W2, X_train, y_train, X_test, y_test
    )


def mlp_resnet() -> Figures:
    """hw2: MLPResNet with Adam."""
    return Figures(*HW2.train_mnist(**TRAIN_MNIST, data_dir=str(DATA)))


ROWS: list[tuple[str, Callable[[], Figures]]] = [
    ("hw0 softmax regression, 10 epochs, batch 100, lr 0.2", softmax_regression),
    ("hw0 two layers, hidden 100, 20 epochs, batch 100, lr 0.2", two_layers_numpy),
    ("hw1 two layers on needle, as above", two_layers_needle),
    ("hw2 train_mnist, " + ", ".join(f"{name} {value}" for name, value in TRAIN_MNIST.items()), mlp_resnet),
]


def main() -> None:
    """Print one line per row."""
    print("train err  train loss  test err  test loss  seconds  what")
    for title, train in ROWS:
        started = time.perf_counter()
        figures = train()
        seconds = time.perf_counter() - started
        print(
            f"{figures.train_error:9.4f}  {figures.train_loss:10.4f}  {figures.test_error:8.4f}"
            f"  {figures.test_loss:9.4f}  {seconds:7.1f}  {title}"
        )


if __name__ == "__main__":
    main()
