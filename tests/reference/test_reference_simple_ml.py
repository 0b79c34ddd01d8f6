"""hw0 and hw1's two-layer network: losses and steps against numpy float64, and the C++ extension."""

import gc
import importlib.util
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numdifftools as nd
import numpy as np
import pytest
import scipy.special


def loss(Z, y):
    """Softmax loss in float64, averaged."""
    return -np.mean(scipy.special.log_softmax(Z, axis=1)[np.arange(len(y)), y])


def descend(network_loss, weights, X, y, lr, batch):
    """Minibatch gradient descent in float64 by numeric gradients; `network_loss(X, y, line)`."""
    line = np.concatenate([w.astype(np.float64).ravel() for w in weights])
    for start in range(0, len(y), batch):
        part = slice(start, start + batch)
        line = line - lr * nd.Gradient(lambda v, part=part: network_loss(X[part], y[part], v))(line)
    ends = np.cumsum([w.size for w in weights])[:-1]
    return [piece.reshape(w.shape) for piece, w in zip(np.split(line, ends), weights)]


@pytest.fixture
def problem(rng):
    """Seven images with 4 inputs and 3 classes, in float32, and weights with 5 hidden units."""
    return SimpleNamespace(
        X=rng.standard_normal((7, 4)).astype(np.float32),
        y=np.array([0, 2, 1, 1, 2, 0, 2], dtype=np.uint8),
        theta=rng.standard_normal((4, 3)).astype(np.float32),
        W1=rng.standard_normal((4, 5)).astype(np.float32),
        W2=rng.standard_normal((5, 3)).astype(np.float32),
    )


def theta_after(problem, lr, batch):
    """Weights of softmax regression after one epoch."""

    def network_loss(X, y, line):
        return loss(X @ line.reshape(4, 3), y)

    return descend(network_loss, [problem.theta], problem.X, problem.y, lr, batch)[0]


def layers_after(problem, lr, batch):
    """Weights of the two-layer network after one epoch."""

    def network_loss(X, y, line):
        W1, W2 = line[:20].reshape(4, 5), line[20:].reshape(5, 3)
        return loss(np.maximum(X @ W1, 0) @ W2, y)

    return descend(network_loss, [problem.W1, problem.W2], problem.X, problem.y, lr, batch)


def test_add(hw0):
    """Python types in, Python types out."""
    assert (hw0.add(5, 6), type(hw0.add(4.0, 4))) == (11, float)
    assert hw0.add(np.arange(2), 1).tolist() == [1, 2]


def test_softmax_loss(hw0, hw1, ndl, rng):
    """Both homeworks give the mean loss; uniform logits give log(classes); hw0's is stable."""
    Z, y = rng.standard_normal((6, 4)), np.array([0, 3, 1, 1, 2, 0])
    tensors = ndl.Tensor(Z), ndl.Tensor(np.eye(4)[y])

    assert hw0.softmax_loss(Z, y) == pytest.approx(loss(Z, y), rel=1e-12)
    assert hw1.softmax_loss(*tensors).numpy() == pytest.approx(loss(Z, y), rel=1e-12)
    assert hw0.softmax_loss(np.zeros((2, 10)), np.array([3, 9])) == pytest.approx(np.log(10))
    assert hw0.softmax_loss(np.array([[1e4, 0.0]]), np.array([1])) == pytest.approx(1e4)


def test_softmax_loss_derivatives(hw1, ndl, rng, check_derivatives):
    """hw1's loss can be differentiated twice."""
    y = np.array([2, 0])
    one_hot = ndl.Tensor(np.eye(3)[y], requires_grad=False)

    check_derivatives(
        lambda Z: hw1.softmax_loss(Z, one_hot), lambda Z: np.asarray(loss(Z, y)), rng.standard_normal((2, 3))
    )


@pytest.mark.parametrize("batch", [7, 3, 1, 100])
def test_softmax_regression_epoch(hw0, problem, batch):
    """theta is changed in place as by numeric gradients, also over a short last batch."""
    expected = theta_after(problem, 0.3, batch)
    returned = hw0.softmax_regression_epoch(problem.X, problem.y, problem.theta, lr=0.3, batch=batch)

    assert (returned, problem.theta.dtype) == (None, np.float32)
    np.testing.assert_allclose(problem.theta, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("batch", [7, 3])
def test_two_layers(hw0, hw1, ndl, problem, batch):
    """hw0 in place and hw1 by new Tensors take the same steps, those of numeric gradients."""
    expected = layers_after(problem, 0.3, batch)
    tensors = ndl.Tensor(problem.W1.copy()), ndl.Tensor(problem.W2.copy())
    found = hw1.nn_epoch(problem.X, problem.y, *tensors, lr=0.3, batch=batch)
    hw0.nn_epoch(problem.X, problem.y, problem.W1, problem.W2, lr=0.3, batch=batch)

    for W, W_needle, truth in zip((problem.W1, problem.W2), found, expected):
        np.testing.assert_allclose(W, truth, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(W_needle.numpy(), truth, rtol=1e-5, atol=1e-5)
        assert W.dtype == W_needle.dtype == np.float32
        assert W_needle.is_leaf() and W_needle.requires_grad


def test_needle_epochs_do_not_grow(hw1, ndl, problem):
    """Between epochs only the two weights are alive."""
    W1, W2 = ndl.Tensor(problem.W1), ndl.Tensor(problem.W2)
    alive = []
    for _ in range(4):
        W1, W2 = hw1.nn_epoch(problem.X, problem.y, W1, W2, batch=2)
        gc.collect()
        alive.append(ndl.autograd.TENSOR_COUNTER)

    assert len(set(alive)) == 1


@pytest.fixture(scope="module")
def extension(root, tmp_path_factory):
    """The C++ extension, built by the Makefile in a folder of its own."""
    if not (shutil.which("c++") and shutil.which("make")):
        pytest.skip("no C++ compiler or no make found")
    folder = tmp_path_factory.mktemp("build")
    (folder / "src").mkdir()
    shutil.copy(root / "Makefile", folder)
    shutil.copy(root / "src" / "simple_ml_ext.cpp", folder / "src")
    built = subprocess.run(
        ["make", f"PYTHON={sys.executable}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "warning" not in built.stderr
    spec = importlib.util.spec_from_file_location("simple_ml_ext", folder / "src" / "simple_ml_ext.so")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("batch", [7, 3, 1, 100])
def test_extension(extension, problem, batch):
    """The extension takes the steps of numeric gradients, also over a short last batch."""
    expected = theta_after(problem, 0.3, batch)
    extension.softmax_regression_epoch_cpp(problem.X, problem.y, problem.theta, 0.3, batch)

    np.testing.assert_allclose(problem.theta, expected, rtol=1e-5, atol=1e-5)


def test_extension_agrees_with_numpy_on_digits(extension, hw0, root):
    """One epoch over the digits by both, within float32."""
    data = root / "data"
    X, y = hw0.parse_mnist(data / "train-images-idx3-ubyte.gz", data / "train-labels-idx1-ubyte.gz")
    found, expected = (np.zeros((784, 10), dtype=np.float32) for _ in range(2))
    extension.softmax_regression_epoch_cpp(X, y, found, 0.2, 100)
    hw0.softmax_regression_epoch(X, y, expected, 0.2, 100)

    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)
    assert hw0.loss_err(X @ found, y)[1] < 0.3


def test_extension_refuses_what_it_cannot_do(extension, problem):
    """Wrong shapes, an empty batch, and a theta that would have to be copied are errors."""
    run, X, y, theta = extension.softmax_regression_epoch_cpp, problem.X, problem.y, problem.theta
    with pytest.raises(ValueError, match="shapes"):
        run(X[:, 1:], y, theta, 0.1, 2)
    with pytest.raises(ValueError, match="batch"):
        run(X, y, theta, 0.1, 0)
    with pytest.raises(TypeError):
        run(X, y, theta.astype(np.float64), 0.1, 2)
    with pytest.raises(TypeError):
        run(X, y, np.asfortranarray(theta), 0.1, 2)
