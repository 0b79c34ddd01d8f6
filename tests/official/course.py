"""Test files of our own in the course's conventions: `submit_*` functions that hand values to `mugrade`."""

from __future__ import annotations

from pathlib import Path

HEAD_2024 = """
import sys

sys.path.append("./python")
import mugrade
import needle as ndl
import needle.nn as nn
import numpy as np

np.random.seed(3)
"""

HEAD_2022 = """
import sys

sys.path.append("./python")
sys.path.append("./apps")
import numpy as np
import pytest
import numdifftools as nd
import mugrade
import needle as ndl
from simple_ml import *


@pytest.mark.parametrize("n", [1, 2])
def test_nothing(n):
    assert n
"""

HW0 = """
import numpy as np
import sys

sys.path.append("./src")
import mugrade
from simple_ml import *

try:
    from simple_ml_ext import *
except ImportError:
    pass


def submit_add():
    mugrade.submit(add(1, 2))
    mugrade.submit(add(1.5, 2))
    mugrade.submit(type(add(4.0, 4)))
    mugrade.submit(add(np.array([1, 2]), np.array([3, 5])))


def submit_parse_mnist():
    X, y = parse_mnist("data/t10k-images-idx3-ubyte.gz", "data/t10k-labels-idx1-ubyte.gz")
    mugrade.submit(X.dtype)
    mugrade.submit(np.linalg.norm(X[:5]))
    mugrade.submit(y[:10])
    mugrade.submit((X.shape, y.shape))


def submit_softmax_loss():
    Z = np.random.RandomState(0).randn(7, 4)
    mugrade.submit(softmax_loss(Z, np.array([0, 1, 2, 3, 0, 1, 2])))
    mugrade.submit(softmax_loss(np.zeros((2, 3)), np.array([0, 2])))


def submit_nn_epoch():
    rng = np.random.RandomState(1)
    X, y = rng.randn(20, 5).astype("float32"), rng.randint(3, size=20).astype("uint8")
    W1, W2 = rng.randn(5, 6).astype("float32"), rng.randn(6, 3).astype("float32")
    nn_epoch(X, y, W1, W2, lr=0.5, batch=10)
    mugrade.submit(W1)
    mugrade.submit(np.linalg.norm(W2))


def submit_softmax_regression_epoch_cpp():
    rng = np.random.RandomState(1)
    X, y = rng.randn(20, 5).astype("float32"), rng.randint(3, size=20).astype("uint8")
    theta = np.zeros((5, 3), dtype="float32")
    softmax_regression_epoch_cpp(X, y, theta, 0.5, 10)
    mugrade.submit(theta)
"""

HW1 = (
    HEAD_2022
    + """
def tensor(*shape, seed=0, low=0.5):
    return ndl.Tensor(np.random.RandomState(seed).rand(*shape) * 2 + low)


def gradient(op, *tensors):
    out = op(*tensors)
    grad = ndl.Tensor(np.random.RandomState(9).randn(*out.shape))
    return [g.numpy() for g in out.op.gradient_as_tuple(grad, out)]


def submit_forward():
    a, b = tensor(3, 4), tensor(3, 4, seed=1)
    mugrade.submit(ndl.power_scalar(a, 3).numpy())
    mugrade.submit(ndl.divide(a, b).numpy())
    mugrade.submit(ndl.divide_scalar(a, 4).numpy())
    mugrade.submit(ndl.matmul(a, tensor(4, 2)).numpy())
    mugrade.submit(ndl.summation(a, axes=(1,)).numpy())
    mugrade.submit(ndl.broadcast_to(tensor(1, 4), (3, 4)).numpy())
    mugrade.submit(ndl.reshape(a, (2, 6)).numpy())
    mugrade.submit(ndl.negate(a).numpy())
    mugrade.submit(ndl.transpose(a, axes=(0, 1)).numpy())
    mugrade.submit(ndl.log(a).numpy())
    mugrade.submit(ndl.exp(a).numpy())


def submit_backward():
    a, b = tensor(3, 4), tensor(3, 4, seed=1)
    mugrade.submit(gradient(lambda x: ndl.power_scalar(x, 3), a))
    mugrade.submit(gradient(ndl.divide, a, b))
    mugrade.submit(gradient(lambda x: ndl.divide_scalar(x, 4), a))
    mugrade.submit(gradient(ndl.matmul, a, tensor(4, 2)))
    mugrade.submit(gradient(ndl.matmul, tensor(2, 3, 4), tensor(4, 2)))
    mugrade.submit(gradient(lambda x: ndl.summation(x, axes=(1,)), a))
    mugrade.submit(gradient(lambda x: ndl.summation(x, axes=0), a))
    mugrade.submit(gradient(lambda x: ndl.broadcast_to(x, (3, 3)), tensor(3)))
    mugrade.submit(gradient(lambda x: ndl.broadcast_to(x, (2, 3, 4)), tensor(1, 4)))
    mugrade.submit(gradient(lambda x: ndl.reshape(x, (2, 6)), a))
    mugrade.submit(gradient(ndl.negate, a))
    mugrade.submit(gradient(lambda x: ndl.transpose(x, axes=(0, 1)), a))
    mugrade.submit(gradient(ndl.log, a))
    mugrade.submit(gradient(ndl.exp, a))


def submit_topo_sort():
    a, b = ndl.Tensor(np.asarray([[0.5]])), ndl.Tensor(np.asarray([[1.5]]))
    c = 9 * a * a * b + a
    mugrade.submit(np.array([x.numpy() for x in ndl.autograd.find_topo_sort([c])]))
    mugrade.submit(len(ndl.autograd.find_topo_sort([c])))


def submit_compute_gradient():
    a, b = tensor(2, 3), tensor(3, 2, seed=2)
    y = (a @ b).sum() * 2 + (a * a).sum()
    y.backward()
    mugrade.submit(a.grad.numpy())
    mugrade.submit(b.grad.numpy())
    mugrade.submit(tuple(a.grad.shape))


def submit_softmax_loss():
    Z = ndl.Tensor(np.random.RandomState(0).randn(6, 3).astype("float32"))
    y = ndl.Tensor(np.eye(3, dtype="float32")[[0, 1, 2, 0, 1, 1]])
    loss = softmax_loss(Z, y)
    loss.backward()
    mugrade.submit(float(loss.numpy()))
    mugrade.submit(Z.grad.numpy())


def submit_nn_epoch():
    rng = np.random.RandomState(1)
    X, y = rng.randn(20, 5).astype("float32"), rng.randint(3, size=20).astype("uint8")
    W1, W2 = (ndl.Tensor(rng.randn(*shape).astype("float32")) for shape in ((5, 6), (6, 3)))
    W1, W2 = nn_epoch(X, y, W1, W2, lr=0.5, batch=10)
    mugrade.submit(W1.numpy())
    mugrade.submit(np.linalg.norm(W2.numpy()))
"""
)

HW2 = (
    HEAD_2024
    + """
def tensor(*shape, seed=0):
    return ndl.Tensor(np.random.RandomState(seed).randn(*shape).astype("float32"))


def learn(optimiser, **words):
    np.random.seed(0)
    X, y = tensor(16, 8), ndl.Tensor(np.arange(16) % 4, dtype="uint8")
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, 4))
    loss_function, opt = nn.SoftmaxLoss(), optimiser(model.parameters(), **words)
    model.train()
    for _ in range(6):
        opt.reset_grad()
        loss = loss_function(model(X), y)
        loss.backward()
        opt.step()
    return np.array(loss.numpy())


def module(layer, x, mode="train"):
    getattr(layer, mode)()
    out = layer(x)
    (out * out).sum().backward()
    return out.numpy(), x.grad.numpy()


def submit_init():
    for function in (ndl.init.xavier_uniform, ndl.init.xavier_normal):
        np.random.seed(2)
        mugrade.submit(function(4, 3, gain=1.5).numpy())
    for function in (ndl.init.kaiming_uniform, ndl.init.kaiming_normal):
        np.random.seed(2)
        mugrade.submit(function(4, 3).numpy())


def submit_linear():
    np.random.seed(1)
    layer = nn.Linear(3, 5)
    mugrade.submit(layer(tensor(4, 3)).numpy())
    mugrade.submit(layer.weight.dtype)
    mugrade.submit(len(nn.Linear(3, 5, bias=False).parameters()))


def submit_norms():
    mugrade.submit(module(nn.BatchNorm1d(4), tensor(6, 4)))
    layer = nn.BatchNorm1d(4)
    layer(tensor(6, 4, seed=5))
    mugrade.submit(np.array(layer.running_mean.numpy()).ravel())
    mugrade.submit(np.array(layer.running_var.numpy()).ravel())
    mugrade.submit(module(layer, tensor(6, 4), "eval"))
    mugrade.submit(module(nn.LayerNorm1d(4), tensor(6, 4)))


def submit_modules():
    mugrade.submit(module(nn.Flatten(), tensor(2, 3, 2)))
    mugrade.submit(module(nn.ReLU(), tensor(3, 3)))
    mugrade.submit(module(nn.Residual(nn.ReLU()), tensor(3, 3)))
    np.random.seed(7)
    mugrade.submit(module(nn.Dropout(0.25), tensor(5, 5)))
    mugrade.submit(nn.SoftmaxLoss()(tensor(4, 3), ndl.Tensor(np.array([0, 2, 1, 1]), dtype="uint8")).numpy())


def submit_sgd():
    mugrade.submit(learn(ndl.optim.SGD, lr=0.1))
    mugrade.submit(learn(ndl.optim.SGD, lr=0.1, momentum=0.9))
    mugrade.submit(learn(ndl.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.1))


def submit_adam():
    mugrade.submit(learn(ndl.optim.Adam, lr=0.01))
    mugrade.submit(learn(ndl.optim.Adam, lr=0.01, weight_decay=0.1))


def submit_transforms():
    image = np.random.RandomState(4).rand(5, 5, 1)
    np.random.seed(0)
    mugrade.submit([ndl.data.RandomFlipHorizontal(0.5)(image) for _ in range(4)])
    np.random.seed(0)
    mugrade.submit([ndl.data.RandomCrop(2)(image) for _ in range(4)])


def submit_loader():
    dataset = ndl.data.NDArrayDataset(np.arange(20.0).reshape(10, 2), np.arange(10))
    for shuffle in (False, True):
        np.random.seed(0)
        for batch in ndl.data.DataLoader(dataset, batch_size=4, shuffle=shuffle):
            mugrade.submit([one.numpy() for one in batch])


def submit_mnist():
    dataset = ndl.data.MNISTDataset("data/t10k-images-idx3-ubyte.gz", "data/t10k-labels-idx1-ubyte.gz")
    mugrade.submit(len(dataset))
    mugrade.submit(dataset[3][0])
    mugrade.submit(int(dataset[3][1]))


def submit_mlp():
    sys.path.append("./apps")
    from mlp_resnet import MLPResNet

    np.random.seed(1)
    model = MLPResNet(6, hidden_dim=8, num_blocks=2, num_classes=3)
    mugrade.submit(len(model.parameters()))
    model.eval()
    mugrade.submit(model(tensor(4, 6)).numpy())
"""
)

FILES = {
    "hw0": {"test_simple_ml.py": HW0},
    "hw1": {"test_autograd_hw.py": HW1},
    "hw2": {"test_nn_and_optim.py": HW2},
}


def write(folder: Path, homework: str) -> Path:
    """Write the tests of a homework as a person has them; return the folder."""
    inner = folder / "tests" / homework
    inner.mkdir(parents=True)
    for name, text in FILES[homework].items():
        (inner / name).write_text(text)
    return folder / "tests"
