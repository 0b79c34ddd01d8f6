"""Known mistakes of the normalisations.

Inputs of a question: x, weight, bias (and running mean and variance in evaluation); parameters: eps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle import nn
from grader.oracle.mistakes import Array, Mistake, Question, formula


def _normal(x: Array, axis: int, eps: float) -> Array:
    mean, var = np.mean(x, axis=axis, keepdims=True), np.var(x, axis=axis, keepdims=True)
    return nn.normalise(x, mean, var, eps)


def _unbiased(x: Array, axis: int, eps: float) -> Array:
    mean, var = np.mean(x, axis=axis, keepdims=True), np.var(x, axis=axis, keepdims=True, ddof=1)
    return nn.normalise(x, mean, var, eps)


def _eps_outside(x: Array, axis: int, eps: float) -> Array:
    return (x - np.mean(x, axis=axis, keepdims=True)) / (np.std(x, axis=axis, keepdims=True) + eps)


def _by_variance(x: Array, axis: int, eps: float) -> Array:
    return (x - np.mean(x, axis=axis, keepdims=True)) / (np.var(x, axis=axis, keepdims=True) + eps)


def _divided(mean_by: str, var_by: str) -> Callable[[Array, int, float], Array]:
    """Return a normalisation whose sums are divided by another count: "right", "other", "one" of nothing."""

    def normal(x: Array, axis: int, eps: float) -> Array:
        counts = {"right": x.shape[axis], "other": x.shape[1 - axis], "one": 1}
        mean = np.sum(x, axis=axis, keepdims=True) / counts[mean_by]
        var = np.sum((x - mean) ** 2, axis=axis, keepdims=True) / counts[var_by]
        return nn.normalise(x, mean, var, eps)

    return normal


def _around_zero(x: Array, axis: int, eps: float) -> Array:
    mean, squares = np.mean(x, axis=axis, keepdims=True), np.mean(x**2, axis=axis, keepdims=True)
    return nn.normalise(x, mean, squares, eps)


def _mean_divided(x: Array, axis: int, eps: float) -> Array:
    mean, var = np.mean(x, axis=axis, keepdims=True), np.var(x, axis=axis, keepdims=True)
    return x - mean / np.sqrt(var + eps)


def _not_centred(x: Array, axis: int, eps: float) -> Array:
    return x / np.sqrt(np.var(x, axis=axis, keepdims=True) + eps)


def _affine(normal: Callable[[Array, int, float], Array], axis: int) -> Any:
    return formula(lambda x, w, b, eps: w * normal(x, axis, eps) + b)


def _counted(prefix: str, axis: int, right: str, other: str) -> list[Mistake]:
    """Return the mistakes of dividing a sum by the wrong number; both are named."""

    def one(name: str, says: str, mean_by: str, var_by: str) -> Mistake:
        return Mistake(f"{prefix}-{name}", says, _affine(_divided(mean_by, var_by), axis))

    return [
        one("var-count", f"the variance is divided by the {other}, not by the {right}", "right", "other"),
        one("mean-count", f"the mean's sum is divided by the {other}, not by the {right}", "other", "right"),
        one("both-count", f"both sums are divided by the {other}, not by the {right}", "other", "other"),
        one("var-summed", f"the variance is a sum: divide it by the {right}", "right", "one"),
        one("mean-summed", f"the mean is a sum: divide it by the {right}", "one", "right"),
    ]


def _norm(prefix: str, axis: int, over: str) -> list[Mistake]:
    """Return the mistakes that both normalisations can have; `over` says what is averaged over."""
    return [
        Mistake(
            f"{prefix}-around-zero",
            "the variance is the mean of x squared: it is that of (x - mean) squared",
            _affine(_around_zero, axis),
        ),
        Mistake(
            f"{prefix}-unbiased",
            "the variance is unbiased (divided by one less); the biased one is meant",
            _affine(_unbiased, axis),
        ),
        Mistake(
            f"{prefix}-eps-missing",
            "eps is not used: the root is of the variance alone, or with a fixed eps",
            _affine(lambda x, a, eps: _normal(x, a, 1e-5), axis),
        ),
        Mistake(
            f"{prefix}-eps-outside",
            "eps stands outside the root: sqrt(var + eps) is meant",
            _affine(_eps_outside, axis),
        ),
        Mistake(
            f"{prefix}-wrong-axis",
            f"mean and variance are of the wrong axis: they are taken over {over}",
            _affine(_normal, 1 - axis),
        ),
        Mistake(
            f"{prefix}-whole-array",
            f"mean and variance are of the whole array: they are taken over {over}",
            formula(lambda x, w, b, eps: w * nn.normalise(x, float(np.mean(x)), float(np.var(x)), eps) + b),
        ),
        Mistake(
            f"{prefix}-variance",
            "x - mean is divided by the variance, not by its root",
            _affine(_by_variance, axis),
        ),
        Mistake(
            f"{prefix}-parentheses",
            "only the mean is divided: x - mean needs parentheses",
            _affine(_mean_divided, axis),
        ),
        Mistake(
            f"{prefix}-weight-on-x-alone",
            "weight is applied to x, not to the mean: it belongs to (x - mean) / sqrt(var + eps)",
            formula(
                lambda x, w, b, eps: (
                    w * _not_centred(x, axis, eps) + (_normal(x, axis, eps) - _not_centred(x, axis, eps)) + b
                )
            ),
        ),
        Mistake(
            f"{prefix}-bias-scaled",
            "bias is added before weight is applied: weight * normalised + bias",
            formula(lambda x, w, b, eps: w * (_normal(x, axis, eps) + b)),
        ),
        Mistake(f"{prefix}-not-centred", "the mean is not subtracted", _affine(_not_centred, axis)),
        Mistake(
            f"{prefix}-affine-missing",
            "weight and bias are not applied",
            formula(lambda x, w, b, eps: _normal(x, axis, eps)),
        ),
        Mistake(
            f"{prefix}-bias-missing",
            "bias is not added",
            formula(lambda x, w, b, eps: w * _normal(x, axis, eps)),
        ),
        Mistake(
            f"{prefix}-weight-missing",
            "weight is not applied",
            formula(lambda x, w, b, eps: _normal(x, axis, eps) + b),
        ),
    ]


BATCH_NORM = [
    *_norm("batchnorm", 0, "the batch (axis 0), one each per feature"),
    *_counted("batchnorm", 0, "batch size", "number of features"),
    Mistake(
        "batchnorm-running-in-training",
        "training normalises with the running statistics, not with the batch's own",
        formula(lambda x, w, b, eps: w * nn.normalise(x, np.zeros(1), np.ones(1), eps) + b),
    ),
    Mistake(
        "batchnorm-updated-in-training",
        "training normalises with the updated running statistics, not with the batch's own",
        formula(
            lambda x, w, b, eps: w * nn.normalise(x, 0.1 * x.mean(axis=0), 0.9 + 0.1 * x.var(axis=0), eps) + b
        ),
    ),
]

LAYER_NORM = [
    *_norm("layernorm", 1, "the features (axis 1), one each per row"),
    *_counted("layernorm", 1, "number of features", "batch size"),
]


def _detached(axis: int) -> Any:
    """Make the mistake of taking mean and variance for constants."""

    def wrong(q: Question) -> list[Array]:
        right = q.pullback(np.asarray(q.cotangent))
        x, weight = q.inputs[:2]
        deviation = np.sqrt(np.var(x, axis=axis, keepdims=True) + q.parameters[0])
        return [np.asarray(q.cotangent) * weight / deviation, *right[1:]]

    return wrong


def _var_detached(axis: int) -> Any:
    """Make the mistake of taking the variance for a constant."""

    def wrong(q: Question) -> list[Array]:
        right = q.pullback(np.asarray(q.cotangent))
        x, weight = q.inputs[:2]
        deviation = np.sqrt(np.var(x, axis=axis, keepdims=True) + q.parameters[0])
        back = np.asarray(q.cotangent) * weight / deviation
        return [back - np.mean(back, axis=axis, keepdims=True), *right[1:]]

    return wrong


def _mean_detached(axis: int) -> Any:
    """Make the mistake of taking the mean for a constant; the variance's slope does not depend on it."""

    def wrong(q: Question) -> list[Array]:
        right = q.pullback(np.asarray(q.cotangent))
        x, weight = q.inputs[:2]
        from_mean = x - np.mean(x, axis=axis, keepdims=True)
        variance = np.var(x, axis=axis, keepdims=True) + q.parameters[0]
        back = np.asarray(q.cotangent) * weight / np.sqrt(variance)
        slope = np.mean(back * from_mean, axis=axis, keepdims=True) / variance
        return [back - from_mean * slope, *right[1:]]

    return wrong


def _gradient(prefix: str, axis: int) -> list[Mistake]:
    return [
        Mistake(
            f"{prefix}-mean-detached",
            "the mean is a constant to the gradient: it is detached, or made from a raw array",
            _mean_detached(axis),
        ),
        Mistake(
            f"{prefix}-statistics-detached",
            "mean and variance are constants to the gradient: they are detached, or made from raw arrays",
            _detached(axis),
        ),
        Mistake(
            f"{prefix}-variance-detached",
            "the variance is a constant to the gradient: it is detached, or made from a raw array",
            _var_detached(axis),
        ),
    ]


NORM_GRADIENT = _gradient("batchnorm", 0)
LAYER_NORM_GRADIENT = _gradient("layernorm", 1)

BATCH_NORM_EVAL = [
    Mistake(
        "batchnorm-eval-batch",
        "eval normalises with the batch's own statistics, not with the running ones",
        formula(lambda x, w, b, mean, var, eps: nn.batch_norm(x, w, b, eps)),
    ),
    Mistake(
        "batchnorm-eval-eps",
        "eps is missing in eval",
        formula(lambda x, w, b, mean, var, eps: nn.batch_norm_eval(x, w, b, mean, var, 1e-5)),
    ),
    Mistake(
        "batchnorm-eval-eps-outside",
        "eps stands outside the root in eval",
        formula(lambda x, w, b, mean, var, eps: w * (x - mean) / (np.sqrt(var) + eps) + b),
    ),
    Mistake(
        "batchnorm-eval-affine",
        "weight and bias are not applied in eval",
        formula(lambda x, w, b, mean, var, eps: nn.normalise(x, mean, var, eps)),
    ),
    Mistake(
        "batchnorm-eval-variance",
        "x - mean is divided by the running variance in eval, not by its root",
        formula(lambda x, w, b, mean, var, eps: w * (x - mean) / (var + eps) + b),
    ),
    Mistake(
        "batchnorm-eval-mean",
        "the running mean is not subtracted in eval",
        formula(lambda x, w, b, mean, var, eps: w * x / np.sqrt(var + eps) + b),
    ),
    Mistake(
        "batchnorm-eval-updated",
        "eval updates the running statistics (momentum is applied) before it normalises",
        formula(
            lambda x, w, b, mean, var, eps: nn.batch_norm_eval(
                x, w, b, 0.9 * mean + 0.1 * x.mean(axis=0), 0.9 * var + 0.1 * x.var(axis=0), eps
            )
        ),
    ),
    Mistake(
        "batchnorm-eval-identity", "eval gives back its input", formula(lambda x, w, b, mean, var, eps: x)
    ),
]
