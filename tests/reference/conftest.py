"""The reference's modules as fixtures, loaded without leaving a trace for tests of other trees."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numdifftools as nd
import numpy as np
import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "reference"


def is_needle(name: str) -> bool:
    """Whether a module name belongs to some copy of needle."""
    return name == "needle" or name.startswith("needle.")


@contextmanager
def private_needle() -> Iterator[None]:
    """Within, `import needle` finds the reference's copy, always the same; afterwards all is as before."""
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if is_needle(name)}
    path = sys.path.copy()
    sys.path.insert(0, str(REFERENCE / "python"))
    sys.modules.update(OURS)
    try:
        yield
    finally:
        OURS.update({name: sys.modules.pop(name) for name in list(sys.modules) if is_needle(name)})
        sys.modules.update(others)
        sys.path[:] = path


OURS: dict[str, ModuleType] = {}


def load_file(path: str, name: str) -> ModuleType:
    """A file of the reference as a module called `name`."""
    spec = importlib.util.spec_from_file_location(name, REFERENCE / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with private_needle():
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the reference."""
    return REFERENCE


@pytest.fixture(scope="session")
def ndl() -> ModuleType:
    """The package needle."""
    with private_needle():
        return importlib.import_module("needle")


@pytest.fixture(scope="session")
def hw0() -> ModuleType:
    """`src/simple_ml.py`."""
    return load_file("src/simple_ml.py", "reference_hw0_simple_ml")


@pytest.fixture(scope="session")
def hw1(ndl: ModuleType) -> ModuleType:
    """`apps/simple_ml.py`."""
    return load_file("apps/simple_ml.py", "reference_hw1_simple_ml")


@pytest.fixture(scope="session")
def hw2(ndl: ModuleType) -> ModuleType:
    """`apps/mlp_resnet.py`."""
    return load_file("apps/mlp_resnet.py", "reference_hw2_mlp_resnet")


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240)


@pytest.fixture
def seeded() -> None:
    """numpy's global generator, seeded."""
    np.random.seed(7)


@pytest.fixture
def nodes_made(ndl: ModuleType) -> Callable[[Callable[[], object]], int]:
    """How many nodes a function leaves alive that hands back what it made."""

    def count(function: Callable[[], object]) -> int:
        gc.collect()  # or garbage of earlier tests could be freed in between
        before = ndl.autograd.TENSOR_COUNTER
        made = function()
        after = ndl.autograd.TENSOR_COUNTER
        assert made is not None
        return after - before

    return count


@pytest.fixture
def check_derivatives(ndl: ModuleType) -> Callable[..., None]:
    """Compare value, gradient and gradient of gradient of a function of Tensors with a function of arrays."""

    def check(function: Callable, truth: Callable, *arrays: np.ndarray) -> None:
        value = truth(*arrays)
        weight = np.random.default_rng(1).uniform(0.5, 1.5, np.shape(value))
        direction = np.random.default_rng(2).standard_normal(sum(array.size for array in arrays))
        scalar = flat_scalar(truth, weight, arrays)
        point = np.concatenate([array.ravel() for array in arrays])

        tensors = [ndl.Tensor(array) for array in arrays]
        out = function(*tensors)
        np.testing.assert_allclose(out.numpy(), value, rtol=1e-12, atol=1e-12)
        assert (out.shape, out.dtype) == (np.shape(value), np.float64)

        # squared, so that ops that are linear have a second derivative too
        (out * out * ndl.Tensor(weight)).sum().backward()
        gradients = [tensor.grad for tensor in tensors]
        assert [gradient.shape for gradient in gradients] == [array.shape for array in arrays]
        np.testing.assert_allclose(flatten(gradients), nd.Gradient(scalar)(point), rtol=1e-7, atol=1e-8)

        pieces = np.split(direction, np.cumsum([array.size for array in arrays])[:-1])
        projections = [
            (gradient * ndl.Tensor(piece.reshape(gradient.shape))).sum()
            for gradient, piece in zip(gradients, pieces)
        ]
        ndl.autograd.sum_node_list(projections).backward()
        expected = np.atleast_2d(nd.Hessian(scalar)(point)) @ direction
        second = flatten([tensor.grad for tensor in tensors])
        np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-5)

    return check


def flatten(tensors: list) -> np.ndarray:
    """All elements of some tensors in one line."""
    return np.concatenate([tensor.numpy().ravel() for tensor in tensors])


def flat_scalar(truth: Callable, weight: np.ndarray, arrays: tuple[np.ndarray, ...]) -> Callable:
    """`sum(weight * truth(...) ** 2)` as a function of all elements in one line."""
    ends = np.cumsum([array.size for array in arrays])[:-1]

    def scalar(line: np.ndarray) -> float:
        pieces = np.split(np.ravel(line), ends)
        inputs = [piece.reshape(array.shape) for piece, array in zip(pieces, arrays)]
        return float(np.sum(weight * truth(*inputs) ** 2))

    return scalar
