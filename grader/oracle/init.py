"""Truth for the initialisers: numpy's global draws under a seed, scaled to the bound or the deviation.

Each takes `(seed, fan_in, fan_out, gain)` and returns float64 `(fan_in, fan_out)`. Bounds and deviations are
those of Glorot and Bengio (2010) and He et al. (2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Array = np.ndarray


def uniform(seed: int, shape: tuple[int, int], low: float, high: float) -> Array:
    """Return what `init.rand(*shape, low=low, high=high)` draws after `np.random.seed(seed)`."""
    return np.random.RandomState(seed).rand(*shape) * (high - low) + low


def normal(seed: int, shape: tuple[int, int], deviation: float) -> Array:
    """Return what `init.randn(*shape, std=deviation)` draws after `np.random.seed(seed)`."""
    return np.random.RandomState(seed).randn(*shape) * deviation


def xavier_bound(fan_in: int, fan_out: int, gain: float) -> float:
    """Return gain * sqrt(6 / (fan_in + fan_out))."""
    return gain * math.sqrt(6.0 / (fan_in + fan_out))


def xavier_deviation(fan_in: int, fan_out: int, gain: float) -> float:
    """Return gain * sqrt(2 / (fan_in + fan_out))."""
    return gain * math.sqrt(2.0 / (fan_in + fan_out))


def kaiming_bound(fan_in: int, fan_out: int = 1, gain: float = 1.0) -> float:
    """Return sqrt(2) * sqrt(3 / fan_in); sqrt(2) is the gain of ReLU."""
    return math.sqrt(6.0 / fan_in)


def kaiming_deviation(fan_in: int, fan_out: int = 1, gain: float = 1.0) -> float:
    """Return sqrt(2) / sqrt(fan_in)."""
    return math.sqrt(2.0 / fan_in)


SCALES: dict[str, Callable[[int, int, float], float]] = {
    "xavier_uniform": xavier_bound,
    "xavier_normal": xavier_deviation,
    "kaiming_uniform": kaiming_bound,
    "kaiming_normal": kaiming_deviation,
}


def draw(function: str, seed: int, fan_in: int, fan_out: int, gain: float = 1.0) -> Array:
    """Return the draws of an initialiser, by its name."""
    scale = SCALES[function](fan_in, fan_out, gain)
    if function.endswith("normal"):
        return normal(seed, (fan_in, fan_out), scale)
    return uniform(seed, (fan_in, fan_out), -scale, scale)


def linear(seed: int, fan_in: int, fan_out: int, *, bias_first: bool = False) -> tuple[Array, Array]:
    """Return weight `(fan_in, fan_out)` and bias `(fan_out,)` of a Linear built after seeding.

    The weight is drawn first; `bias_first` is the other order.
    """
    state = np.random.RandomState(seed)

    def drawn(rows: int, columns: int) -> Array:
        return (2 * state.rand(rows, columns) - 1) * kaiming_bound(rows)

    if bias_first:
        bias, weight = drawn(fan_out, 1), drawn(fan_in, fan_out)
    else:
        weight, bias = drawn(fan_in, fan_out), drawn(fan_out, 1)
    return weight, bias.ravel()
