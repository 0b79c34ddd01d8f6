"""Truth for every op of needle, in numpy float64: `op(*inputs, *parameters) -> array`.

Written for clarity from the mathematics; none of it shares code with reference/.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
Axes = int | tuple[int, ...] | None


def add(a: Array, b: Array) -> Array:
    """Return a + b."""
    return a + b


def multiply(a: Array, b: Array) -> Array:
    """Return a * b, element by element."""
    return a * b


def power_scalar(a: Array, scalar: float) -> Array:
    """Return a to the power of a number."""
    return np.power(a, float(scalar))


def ewise_pow(a: Array, b: Array) -> Array:
    """Return a to the power of b, element by element; a is positive."""
    return np.power(a, b)


def ewise_div(a: Array, b: Array) -> Array:
    """Return a / b, element by element."""
    return np.divide(a, b)


def div_scalar(a: Array, scalar: float) -> Array:
    """Return a divided by a number."""
    return np.divide(a, float(scalar))


def matmul(a: Array, b: Array) -> Array:
    """Return the matrix product over the last two axes; the axes before them broadcast."""
    return np.matmul(a, b)


def summation(a: Array, axes: Axes = None) -> Array:
    """Return the sum over `axes`, all of them for None; the axes vanish."""
    return np.sum(a, axis=axes)


def broadcast_to(a: Array, shape: tuple[int, ...]) -> Array:
    """Return `a` repeated to `shape` under numpy's rules."""
    return np.array(np.broadcast_to(a, shape))


def reshape(a: Array, shape: tuple[int, ...]) -> Array:
    """Return the elements of `a`, in row-major order, in another shape."""
    return np.reshape(a, shape)


def negate(a: Array) -> Array:
    """Return -a."""
    return np.negative(a)


def transpose(a: Array, axes: tuple[int, int] | None = None) -> Array:
    """Return `a` with a pair of axes swapped; the last two for None."""
    first, second = axes if axes is not None else (-2, -1)
    return np.swapaxes(a, first, second)


def log(a: Array) -> Array:
    """Return the natural logarithm."""
    return np.log(a)


def exp(a: Array) -> Array:
    """Return e to the power of a."""
    return np.exp(a)


def relu(a: Array) -> Array:
    """Return the positive part of a."""
    return np.where(a > 0, a, 0.0)


def logsumexp(a: Array, axes: Axes = None) -> Array:
    """Return log(sum(exp(a))) over `axes`, shifted by the maximum so that nothing overflows."""
    largest = np.max(a, axis=axes, keepdims=True)
    total = np.sum(np.exp(a - largest), axis=axes, keepdims=True)
    shifted: Any = np.log(total) + largest
    return np.reshape(shifted, np.sum(a, axis=axes).shape)


def logsoftmax(a: Array) -> Array:
    """Return log(softmax) of each row of a matrix."""
    return a - logsumexp(a, (1,))[:, None]


def softmax_loss(logits: Array, one_hot: Array) -> Array:
    """Return the mean cross-entropy of logits `(n, k)` and one-hot labels `(n, k)`; shape `()`."""
    return np.mean(logsumexp(logits, (1,)) - np.sum(logits * one_hot, axis=1))
