"""Truth for the modules of needle.nn, in numpy: `module(x, *parameters of the module, *settings)`.

Written from the papers' formulas; dtypes are kept, so that float64 arrays are computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Array = np.ndarray


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """Return x @ weight + bias for `x` `(batch, in)`, `weight` `(in, out)`, `bias` `(out,)` or None."""
    out = np.matmul(x, weight)
    return out if bias is None else out + bias


def flatten(x: Array) -> Array:
    """Return `x` `(batch, ...)` as `(batch, features)`, in row-major order."""
    return np.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def affine_chain(x: Array, steps: Sequence[tuple[str, float]]) -> Array:
    """Return `x` after steps ("own.Scale", factor), ("own.Shift", summand), ("own.Square", 0), in order."""
    for name, number in steps:
        if name == "own.Square":
            x = x * x
        else:
            x = x * number if name == "own.Scale" else x + number
    return x


def residual(x: Array, steps: Sequence[tuple[str, float]]) -> Array:
    """Return fn(x) + x, where `fn` is a chain of steps."""
    return affine_chain(x, steps) + x


def cross_entropy(logits: Array, labels: Array) -> Array:
    """Return the mean over the batch of log(sum(exp(z))) - z[label]; `logits` `(n, k)`, `labels` `(n,)`."""
    largest = np.max(logits, axis=1)
    sums = np.log(np.sum(np.exp(logits - largest[:, None]), axis=1)) + largest
    return np.mean(sums - logits[np.arange(len(logits)), labels.astype(int)])


def normalise(x: Array, mean: Array | float, var: Array | float, eps: float) -> Array:
    """Return (x - mean) / sqrt(var + eps)."""
    return (x - mean) / np.sqrt(var + eps)


def batch_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Return batch normalisation in training (Ioffe and Szegedy, 2015): statistics over axis 0, biased."""
    return weight * normalise(x, np.mean(x, axis=0), np.var(x, axis=0), eps) + bias


def batch_norm_eval(x: Array, weight: Array, bias: Array, mean: Array, var: Array, eps: float) -> Array:
    """Return batch normalisation in evaluation: with the running statistics."""
    return weight * normalise(x, mean, var, eps) + bias


def running_statistics(
    mean: Array, var: Array, batches: Sequence[Array], momentum: float
) -> tuple[Array, Array]:
    """Return the running mean and variance after training batches; the variance of a batch is biased."""
    for x in batches:
        mean = (1 - momentum) * mean + momentum * np.mean(x, axis=0)
        var = (1 - momentum) * var + momentum * np.var(x, axis=0)
    return mean, var


def layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Return layer normalisation (Ba, Kiros and Hinton, 2016): statistics of each row, biased."""
    mean, var = np.mean(x, axis=1, keepdims=True), np.var(x, axis=1, keepdims=True)
    return weight * normalise(x, mean, var, eps) + bias


def dropout(x: Array, kept: Array, p: float) -> Array:
    """Return `x` where `kept`, scaled by 1 / (1 - p), 0 elsewhere (Srivastava et al., 2014)."""
    return np.where(kept, x, 0.0) / (1 - p)
