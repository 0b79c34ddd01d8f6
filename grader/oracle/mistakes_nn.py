"""Known mistakes of the modules, but for the normalisations (`mistakes_norm`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.oracle import init, mistakes_apps, mistakes_forward, nn
from grader.oracle.mistakes import Array, Mistake, Question, formula


def _square_only(x: Array, weight: Array, bias: Array | None = None) -> Array | None:
    """Multiply by the transposed weight, where shapes let that pass."""
    return nn.linear(x, weight.T, bias) if weight.shape[0] == weight.shape[1] else None


LINEAR = [
    Mistake(
        "linear-bias-missing",
        "the bias is not added",
        formula(lambda x, w, b=None: None if b is None else x @ w),
    ),
    Mistake("linear-weight-transposed", "x is multiplied by the transposed weight", formula(_square_only)),
    Mistake(
        "linear-bias-subtracted",
        "the bias is subtracted",
        formula(lambda x, w, b=None: None if b is None else x @ w - b),
    ),
    Mistake(
        "linear-bias-only",
        "the output is the bias alone",
        formula(lambda x, w, b=None: None if b is None else np.zeros((len(x), w.shape[1])) + b),
    ),
]


def _linear_gradient(change: Callable[[list[Array], Question], list[Array] | None]) -> Any:
    """Make a mistake from the right gradients for x, weight and bias; none on a Linear without bias."""

    def wrong(q: Question) -> list[Array] | None:
        right = q.pullback(np.asarray(q.cotangent))
        return change(right, q) if len(right) == 3 else None

    return wrong


LINEAR_GRADIENT = [
    Mistake(
        "linear-bias-averaged",
        "the bias's gradient is averaged over the batch, not summed",
        _linear_gradient(lambda g, q: [g[0], g[1], g[2] / len(q.inputs[0])]),
    ),
    Mistake(
        "linear-bias-zero",
        "the bias's gradient is zero",
        _linear_gradient(lambda g, q: [g[0], g[1], 0 * g[2]]),
    ),
    Mistake(
        "linear-weight-zero",
        "the weight's gradient is zero",
        _linear_gradient(lambda g, q: [g[0], 0 * g[1], g[2]]),
    ),
]


FLATTEN = [
    Mistake("flatten-whole", "the batch axis is flattened too", formula(np.ravel)),
    Mistake(
        "flatten-column-major",
        "the features are in column-major order",
        formula(lambda x: np.reshape(np.swapaxes(x, 1, -1), (len(x), -1))),
    ),
    Mistake(
        "flatten-batch-last",
        "the batch is the last axis; it stays the first",
        formula(lambda x: nn.flatten(x).T),
    ),
    Mistake(
        "flatten-last-kept",
        "the last axis is kept, and the others are joined",
        formula(lambda x: np.reshape(x, (-1, x.shape[-1]))),
    ),
    Mistake("flatten-not", "the input comes back as it is", formula(lambda x: x)),
]


RELU = [
    *mistakes_forward.FORWARD["ReLU"],
    Mistake("relu-identity", "the input comes back as it is", formula(lambda a: a)),
]


SEQUENTIAL = [
    Mistake(
        "sequential-reversed",
        "the modules are applied in the reverse order",
        formula(lambda x, steps: nn.affine_chain(x, steps[::-1])),
    ),
    Mistake(
        "sequential-first-only",
        "only the first module is applied",
        formula(lambda x, steps: nn.affine_chain(x, steps[:1])),
    ),
    Mistake(
        "sequential-last-only",
        "only the last module is applied, to the input itself",
        formula(lambda x, steps: nn.affine_chain(x, steps[-1:])),
    ),
    Mistake(
        "sequential-last-missing",
        "the last module is not applied",
        formula(lambda x, steps: nn.affine_chain(x, steps[:-1])),
    ),
    Mistake(
        "sequential-summed",
        "the modules' outputs are added, each of the input itself",
        formula(lambda x, steps: sum(nn.affine_chain(x, [one]) for one in steps)),
    ),
    Mistake(
        "sequential-none-applied", "no module is applied: the input comes back", formula(lambda x, steps: x)
    ),
]


RESIDUAL = [
    Mistake("residual-input-missing", "the input is not added", formula(nn.affine_chain)),
    Mistake(
        "residual-function-missing", "fn is not applied: the input comes back", formula(lambda x, steps: x)
    ),
    Mistake(
        "residual-doubled",
        "fn(x) is added to itself, not to the input",
        formula(lambda x, steps: 2 * nn.affine_chain(x, steps)),
    ),
    Mistake(
        "residual-input-doubled",
        "the input is added to itself, fn is not applied",
        formula(lambda x, steps: 2 * x),
    ),
    Mistake(
        "residual-subtracted",
        "the input is subtracted",
        formula(lambda x, steps: nn.affine_chain(x, steps) - x),
    ),
    Mistake(
        "residual-after-addition",
        "fn is applied to x + x, or after the addition",
        formula(lambda x, steps: nn.affine_chain(2 * x, steps)),
    ),
    Mistake(
        "residual-twice",
        "fn is applied twice",
        formula(lambda x, steps: nn.affine_chain(nn.affine_chain(x, steps), steps) + x),
    ),
]


def _on_indices(mistake: Mistake) -> Mistake:
    """Turn a mistake of hw1's loss, which has one-hot labels, into one of SoftmaxLoss."""

    def wrong(q: Question) -> Any:
        logits, labels = q.inputs
        answer = mistake.wrong(Question((logits, np.eye(logits.shape[1])[labels.astype(int)])))
        # shape (1,) passes for a scalar
        return [np.reshape(one, ()) if np.shape(one) == (1,) else one for one in answer]

    return Mistake(f"softmax-{mistake.id}", mistake.says, wrong)


SOFTMAX_LOSS = [_on_indices(mistake) for mistake in mistakes_apps.SOFTMAX_LOSS]


def _kaiming(state: np.random.RandomState, fan: int, *shape: int) -> Array:
    return (2 * state.rand(*shape) - 1) * init.kaiming_bound(fan)


def _start(draw: Callable[[np.random.RandomState, int, int], Sequence[Array]]) -> Any:
    """Make a mistake of Linear's first values; parameters: seed, in, out."""
    return lambda q: [
        np.ravel(one) for one in draw(np.random.RandomState(q.parameters[0]), *q.parameters[1:])
    ]


LINEAR_START = [
    Mistake(
        "linear-bias-zeros",
        "the bias starts at zeros: draw it by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), np.zeros(m))),
    ),
    Mistake(
        "linear-bias-fan-one",
        "the bias is drawn with fan_in 1: draw it by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), _kaiming(state, 1, 1, m))),
    ),
    Mistake(
        "linear-bias-fan-in",
        "the bias is drawn with fan_in in_features: draw it by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), _kaiming(state, n, 1, m))),
    ),
    Mistake(
        "linear-weight-turned",
        "the weight is drawn as (out_features, in_features): draw kaiming_uniform(in_features, out_features)",
        _start(lambda state, n, m: (_kaiming(state, m, m, n).T, _kaiming(state, m, m, 1))),
    ),
    Mistake(
        "linear-normal",
        "weight and bias are drawn by kaiming_normal; kaiming_uniform is meant",
        _start(
            lambda state, n, m: (
                state.randn(n, m) * init.kaiming_deviation(n),
                state.randn(m, 1) * init.kaiming_deviation(m),
            )
        ),
    ),
    Mistake(
        "linear-xavier",
        "weight and bias are drawn by xavier_uniform; kaiming_uniform is meant",
        _start(
            lambda state, n, m: (
                (2 * state.rand(n, m) - 1) * init.xavier_bound(n, m, 1.0),
                (2 * state.rand(m, 1) - 1) * init.xavier_bound(m, 1, 1.0),
            )
        ),
    ),
    Mistake(
        "linear-drawn-twice",
        "the weight is drawn more than once: the bias comes from later draws",
        _start(
            lambda state, n, m: (
                _kaiming(state, n, n, m),
                (_kaiming(state, n, n, m), _kaiming(state, m, m, 1))[1],
            )
        ),
    ),
]


def linear_start(values: Sequence[Array], seed: int, rows: int, columns: int) -> Mistake | None:
    """Return the mistake that explains the first weight and bias of a Linear, if just one does."""
    question = Question((), (seed, rows, columns))
    found = []
    for one in LINEAR_START:
        pairs = zip(values, one.wrong(question), strict=True)
        if all(np.allclose(np.ravel(mine), theirs, rtol=1e-4, atol=1e-6) for mine, theirs in pairs):
            found.append(one)
    return found[0] if len(found) == 1 else None
