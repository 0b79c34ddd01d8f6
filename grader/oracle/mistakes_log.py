"""Known mistakes of LogSumExp (parameter: axes) and LogSoftmax: forward formulas and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle.mistakes import Array, Mistake, Question, formula


def _pulled(formula: Callable[..., Any]) -> Any:
    """Make a mistake from a formula in (cotangent, input, parameters)."""

    def wrong(q: Question) -> list[Any] | None:
        assert q.cotangent is not None
        answer = formula(q.cotangent, *q.inputs, *q.parameters)
        return None if answer is None else [answer]

    return wrong


def _kept(z: Array, axes: Any, *, mean: bool = False) -> Array:
    total = np.mean if mean else np.sum
    return np.asarray(np.log(total(np.exp(z), axis=axes, keepdims=True)))


def _lse(z: Array, axes: Any) -> Array:
    return np.log(np.sum(np.exp(z), axis=axes))


def _squeezed_maximum(z: Array, axes: Any) -> Array:
    largest = np.max(z, axis=axes, keepdims=True)
    return np.log(np.sum(np.exp(z - largest), axis=axes)) + np.squeeze(largest)


def _spread(c: Array, z: Array, axes: Any) -> Array:
    """Return a cotangent of the sum with its axes put back, in the shape of `z`."""
    kept = np.sum(z, axis=axes, keepdims=True).shape
    return np.broadcast_to(np.reshape(c, kept), z.shape)


def _softmax(z: Array, axes: Any) -> Array:
    powers = np.exp(z)
    return powers / np.sum(powers, axis=axes, keepdims=True)


def _over_all(z: Array, axes: Any) -> Array:
    """Return what has been shifted by the maximum over some axes and divided by the sum over all."""
    powers = np.exp(z - np.max(z, axis=axes, keepdims=True))
    return powers / np.sum(powers)


def _spread_right(c: Array, z: Array, axes: Any) -> Array:
    return np.broadcast_to(c, z.shape) * _softmax(z, axes)


FORWARD = {
    "LogSumExp": [
        Mistake(
            "logsumexp-squeezed",
            "every axis of size 1 is squeezed away; only the summed ones vanish",
            formula(lambda z, axes: np.squeeze(_kept(z, axes))),
        ),
        Mistake(
            "logsumexp-keepdims",
            "the summed axes are kept with size 1",
            formula(lambda z, axes: _kept(z, axes)),
        ),
        Mistake(
            "logsumexp-all-axes",
            "everything is summed whatever the axes",
            formula(lambda z, axes: _lse(z, None)),
        ),
        Mistake(
            "logsumexp-last-axis",
            "the last axis is summed whatever the axes",
            formula(lambda z, axes: _lse(z, -1)),
        ),
        Mistake(
            "logsumexp-log-missing",
            "the logarithm is missing",
            formula(lambda z, axes: np.sum(np.exp(z), axis=axes)),
        ),
        Mistake(
            "logsumexp-exp-missing",
            "the exponential is missing: it is the logarithm of the sum",
            formula(lambda z, axes: np.log(np.sum(z, axis=axes))),
        ),
        Mistake(
            "logsumexp-maximum", "it is the maximum alone", formula(lambda z, axes: np.max(z, axis=axes))
        ),
        Mistake(
            "logsumexp-maximum-not-added",
            "the maximum that was subtracted is not added again",
            formula(lambda z, axes: _lse(z, axes) - np.max(z, axis=axes)),
        ),
        Mistake(
            "logsumexp-maximum-of-all",
            "the maximum that is added again is that of the whole array: add the one over the same axes",
            formula(lambda z, axes: _lse(z, axes) - np.max(z, axis=axes) + np.max(z)),
        ),
        Mistake(
            "logsumexp-maximum-squeezed",
            "the maximum loses every axis of size 1, not only the summed ones, before it is added",
            formula(lambda z, axes: _squeezed_maximum(z, axes)),
        ),
        Mistake(
            "logsumexp-mean",
            "the mean of the exponentials is taken, not their sum",
            formula(lambda z, axes: np.reshape(_kept(z, axes, mean=True), np.sum(z, axis=axes).shape)),
        ),
    ],
    "LogSoftmax": [
        Mistake(
            "logsoftmax-softmax",
            "the logarithm is missing: it is the softmax",
            formula(lambda z: _softmax(z, 1)),
        ),
        Mistake(
            "logsoftmax-axis", "it is taken over axis 0; axis 1 is meant", formula(lambda z: z - _kept(z, 0))
        ),
        Mistake(
            "logsoftmax-all-axes",
            "it is taken over the whole array; each row is meant",
            formula(lambda z: z - _kept(z, None)),
        ),
        Mistake("logsoftmax-negated", "the sign is wrong", formula(lambda z: _kept(z, 1) - z)),
        Mistake(
            "logsoftmax-sum-only",
            "it is the logarithm of the sum, without the input",
            formula(lambda z: np.broadcast_to(_kept(z, 1), z.shape)),
        ),
        Mistake(
            "logsoftmax-maximum-only",
            "only the maximum is subtracted, not the logarithm of the sum",
            formula(lambda z: z - np.max(z, axis=1, keepdims=True)),
        ),
        Mistake(
            "logsoftmax-maximum-axis",
            "the maximum is taken over axis 0: each row has its own (axis 1)",
            formula(lambda z: z - np.max(z, 0) - _kept(z - np.max(z, 0), 1)),
        ),
        Mistake(
            "logsoftmax-shift-twice",
            "the maximum is subtracted once from the input and once more with the logarithm of the sum",
            formula(lambda z: z - np.max(z, axis=1, keepdims=True) - _kept(z, 1)),
        ),
    ],
}

GRADIENT = {
    "LogSumExp": [
        Mistake(
            "logsumexp-gradient-exp",
            "out_grad is multiplied by exp(Z), which is not divided by its sum",
            _pulled(lambda c, z, axes: _spread(c, z, axes) * np.exp(z)),
        ),
        Mistake(
            "logsumexp-gradient-all-axes",
            "the softmax is taken over all axes, not over the axes of the op",
            _pulled(lambda c, z, axes: _spread(c, z, axes) * _softmax(z, None)),
        ),
        Mistake(
            "logsumexp-gradient-sum-of-all",
            "the exponentials are divided by the sum of the whole array: sum them over the axes of the op",
            _pulled(lambda c, z, axes: _spread(c, z, axes) * _over_all(z, axes)),
        ),
        Mistake(
            "logsumexp-gradient-last-axis",
            "the softmax is taken over the last axis, not over the axes of the op",
            _pulled(lambda c, z, axes: _spread(c, z, axes) * _softmax(z, -1)),
        ),
        Mistake(
            "logsumexp-gradient-spread",
            "out_grad is spread over all elements without the softmax",
            _pulled(_spread),
        ),
        Mistake(
            "logsumexp-gradient-sum",
            "out_grad is divided by the sum of the exponentials, not multiplied by exp(Z)",
            _pulled(lambda c, z, axes: _spread(c, z, axes) / np.sum(np.exp(z), axis=axes, keepdims=True)),
        ),
        Mistake(
            "logsumexp-gradient-out-grad-summed",
            "the softmax is multiplied by the sum of out_grad: each sum has its own element of it",
            _pulled(lambda c, z, axes: np.sum(c) * _softmax(z, axes)),
        ),
        Mistake(
            "logsumexp-gradient-axes-not-back",
            "out_grad is broadcast without putting the summed axes back",
            _pulled(_spread_right),
        ),
    ],
    "LogSoftmax": [
        Mistake(
            "logsoftmax-gradient-row-sum",
            "the softmax is subtracted without the row's sum of out_grad",
            _pulled(lambda c, z: c - _softmax(z, 1)),
        ),
        Mistake(
            "logsoftmax-gradient-diagonal",
            "it is out_grad * (1 - softmax): softmax is multiplied by the sum of out_grad over the row, not "
            "by out_grad itself",
            _pulled(lambda c, z: c * (1 - _softmax(z, 1))),
        ),
        Mistake(
            "logsoftmax-gradient-softmax",
            "it is the gradient of the softmax, not of its logarithm",
            _pulled(lambda c, z: _softmax(z, 1) * (c - np.sum(c * _softmax(z, 1), axis=1, keepdims=True))),
        ),
        Mistake(
            "logsoftmax-gradient-whole-sum",
            "out_grad is summed over the whole array, not over each row (axis 1, and the axis kept)",
            _pulled(lambda c, z: c - _softmax(z, 1) * np.sum(c)),
        ),
        Mistake(
            "logsoftmax-gradient-axis",
            "out_grad is summed over the batch (axis 0), not over each row",
            _pulled(lambda c, z: c - _softmax(z, 1) * np.sum(c, axis=0)),
        ),
        Mistake(
            "logsoftmax-gradient-log",
            "the op's output stands in the place of the softmax: the softmax is its exp",
            _pulled(lambda c, z: c - (z - _kept(z, 1)) * np.sum(c, axis=1, keepdims=True)),
        ),
        Mistake(
            "logsoftmax-gradient-added",
            "softmax times the row's sum of out_grad is added, not subtracted",
            _pulled(lambda c, z: c + _softmax(z, 1) * np.sum(c, axis=1, keepdims=True)),
        ),
        Mistake(
            "logsoftmax-gradient-exp",
            "exp(Z) is subtracted, which is not divided by its row's sum",
            _pulled(lambda c, z: c - np.exp(z) * np.sum(c, axis=1, keepdims=True)),
        ),
    ],
}
