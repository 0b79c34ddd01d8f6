"""Finite differences against numdifftools' whole Jacobians and exact derivatives, for every op of hw1."""

from collections.abc import Callable
from typing import Any

import numdifftools
import numpy as np
import pytest

from grader.homework import hw1
from grader.homework.op import Case, Op
from grader.judge.source import seeded
from grader.oracle import finite

OPS = [*hw1.OPS, hw1.RELU]
ERROR = 1e-9

Exact = Callable[..., list[Any]]
EXACT: dict[str, Exact] = {
    "PowerScalar": lambda c, a, n: [c * n * a ** (n - 1.0)],
    "EWisePow": lambda c, a, b: [c * b * a ** (b - 1), c * a**b * np.log(a)],
    "EWiseDiv": lambda c, a, b: [c / b, -c * a / b / b],
    "DivScalar": lambda c, a, n: [c / n],
    "Negate": lambda c, a: [-c],
    "Log": lambda c, a: [c / a],
    "Exp": lambda c, a: [c * np.exp(a)],
    "ReLU": lambda c, a: [c * (a > 0)],
    "Reshape": lambda c, a, shape: [c.reshape(a.shape)],
    "Transpose": lambda c, a, axes: [np.swapaxes(c, *(axes or (-1, -2)))],
}


def _cases(op: Op) -> list[Case]:
    return [*op.cases(seeded(3, op.name), random=3)]


def _relative(actual: np.ndarray, expected: np.ndarray) -> float:
    return float(np.max(np.abs(actual - expected), initial=0.0) / max(1.0, np.max(np.abs(expected))))


@pytest.mark.parametrize("op", [op for op in OPS if op.name in EXACT], ids=lambda op: op.name)
def test_gradient_is_the_exact_one(op: Op) -> None:
    """The measured error stays below 1e-9, on all corners of the table."""
    for case in _cases(op):
        expected = EXACT[op.name](case.cotangent, *case.inputs, *case.parameters)

        for actual, right in zip(op.pullback(case, case.cotangent), expected, strict=True):
            assert _relative(actual, right) < ERROR


def _jacobian(op: Op, case: Case, position: int) -> np.ndarray:
    """Return the matrix of derivatives of all outputs for all elements of an input, by numdifftools."""
    array = case.inputs[position]

    def flat(x: np.ndarray) -> np.ndarray:
        inputs = list(case.inputs)
        inputs[position] = x.reshape(array.shape)
        return np.append(op.function(case)(*inputs), 0.0)  # numdifftools 0.9 takes no function of one output

    return np.reshape(numdifftools.Jacobian(flat)(array.ravel()), (-1, array.size))[:-1]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_gradient_is_the_jacobians(op: Op) -> None:
    """numdifftools' full Jacobian, times the cotangent, is the gradient; so is each projection."""
    for case in _cases(op)[:4]:
        function = op.function(case)
        for position, array in enumerate(case.inputs):
            expected = np.reshape(np.ravel(case.cotangent) @ _jacobian(op, case, position), array.shape)
            direction = np.linspace(-1.0, 1.0, array.size).reshape(array.shape)

            actual = finite.gradient(function, case.inputs, position, case.cotangent)
            slope = finite.projection(function, case.inputs, position, direction, case.cotangent)

            assert _relative(actual, expected) < ERROR
            assert slope == pytest.approx(np.sum(expected * direction), rel=ERROR, abs=10 * ERROR)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_no_case_is_undecidable(op: Op) -> None:
    """The two step sizes agree on all inputs that checks draw: `Undecidable` would leave a check not run."""
    for seed in range(10):
        for case in op.cases(seeded(seed, op.name)):
            for position, array in enumerate(case.inputs):
                direction = np.full(array.shape, 1.5)
                finite.projection(op.function(case), case.inputs, position, direction, case.cotangent)


@pytest.mark.parametrize("function", [np.abs, lambda x: np.maximum(x, 0.0), np.sign, np.cbrt])
def test_a_kink_is_undecidable_or_its_middle(function: Callable[..., np.ndarray]) -> None:
    """A little beside a kink, where the step sizes see different sides of it, nothing is said."""
    with pytest.raises(finite.Undecidable):
        finite.gradient(function, [np.array([0.75 * finite.STEP])], 0, np.ones(1))


def test_second_opinion_brings_its_error() -> None:
    """numdifftools' gradient, and an estimate that covers its distance from the exact one."""
    x, c = np.array([[0.5, 1.0], [1.5, 2.0]]), np.array([[1.0, -2.0], [0.5, 3.0]])

    found, error = finite.second_opinion(np.log, [x], 0, c)

    assert found.shape == error.shape == x.shape
    assert np.all(np.abs(found - c / x) <= error + 1e-12)


def test_a_small_difference_is_settled_by_the_second_opinion() -> None:
    """A gradient that is off by 1e-6 is held against numdifftools' value, which is the exact one."""
    x, c = np.array([0.5, 1.0, 1.5]), np.array([1.0, -2.0, 0.5])
    exact = c * np.exp(x)

    found = finite.arbitrated(np.exp, [x], 0, c, exact + 1e-6)

    assert np.max(np.abs(found - exact)) < 1e-9


def test_what_no_difference_can_tell_is_undecidable() -> None:
    """A ripple below the steps' own disagreement: the slope is known to 1e-6 only, and 5e-7 proves nothing."""
    x, c = np.array([0.5]), np.ones(1)

    def rippled(a: np.ndarray) -> np.ndarray:
        return np.exp(a) + 1e-8 * np.sin(1e6 * a)

    with pytest.raises(finite.Undecidable):
        finite.arbitrated(rippled, [x], 0, c, np.exp(x) + 5e-7)


def test_a_large_difference_needs_no_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong formula is held against the two step sizes alone: numdifftools is not even loaded."""
    monkeypatch.delattr(finite, "second_opinion")
    x, c = np.array([0.5, 1.0]), np.ones(2)

    found = finite.arbitrated(np.exp, [x], 0, c, 2 * np.exp(x))

    assert np.max(np.abs(found - np.exp(x))) < 1e-9
