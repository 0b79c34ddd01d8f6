"""Known mistakes of the modules, but for the normalisations (`mistakes_norm`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.oracle import init, mistakes_apps, mistakes_ops, nn
from grader.oracle.mistakes import Array, Mistake, Question


def _formula(formula: Callable[..., Any]) -> Any:
    def wrong(q: Question) -> list[Any] | None:
        answer = formula(*q.inputs, *q.parameters)
        return None if answer is None else [answer]

    return wrong


def _square_only(x: Array, weight: Array, bias: Array | None = None) -> Array | None:
    """Multiply by the transposed weight, where shapes let that pass."""
    return nn.linear(x, weight.T, bias) if weight.shape[0] == weight.shape[1] else None


LINEAR = [
    Mistake(
        "linear-bias-missing",
        "the bias is not added",
        _formula(lambda x, w, b=None: None if b is None else x @ w),
    ),
    Mistake("linear-weight-transposed", "x is multiplied by the transposed weight", _formula(_square_only)),
    Mistake(
        "linear-bias-subtracted",
        "the bias is subtracted",
        _formula(lambda x, w, b=None: None if b is None else x @ w - b),
    ),
    Mistake(
        "linear-bias-only",
        "the output is the bias alone",
        _formula(lambda x, w, b=None: None if b is None else np.zeros((len(x), w.shape[1])) + b),
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
    Mistake("flatten-whole", "the batch axis is flattened too", _formula(np.ravel)),
    Mistake(
        "flatten-column-major",
        "the features are in column-major order",
        _formula(lambda x: np.reshape(np.swapaxes(x, 1, -1), (len(x), -1))),
    ),
    Mistake(
        "flatten-batch-last",
        "the batch is the last axis; it stays the first",
        _formula(lambda x: nn.flatten(x).T),
    ),
    Mistake(
        "flatten-last-kept",
        "the last axis is kept, and the others are joined",
        _formula(lambda x: np.reshape(x, (-1, x.shape[-1]))),
    ),
    Mistake("flatten-not", "the input comes back as it is", _formula(lambda x: x)),
]

RELU = [
    *mistakes_ops.FORWARD["ReLU"],
    Mistake("relu-identity", "the input comes back as it is", _formula(lambda a: a)),
]

SEQUENTIAL = [
    Mistake(
        "sequential-reversed",
        "the modules are applied in the reverse order",
        _formula(lambda x, steps: nn.affine_chain(x, steps[::-1])),
    ),
    Mistake(
        "sequential-first-only",
        "only the first module is applied",
        _formula(lambda x, steps: nn.affine_chain(x, steps[:1])),
    ),
    Mistake(
        "sequential-last-only",
        "only the last module is applied, to the input itself",
        _formula(lambda x, steps: nn.affine_chain(x, steps[-1:])),
    ),
    Mistake(
        "sequential-last-missing",
        "the last module is not applied",
        _formula(lambda x, steps: nn.affine_chain(x, steps[:-1])),
    ),
    Mistake(
        "sequential-summed",
        "the modules' outputs are added, each of the input itself",
        _formula(lambda x, steps: sum(nn.affine_chain(x, [one]) for one in steps)),
    ),
    Mistake(
        "sequential-none-applied", "no module is applied: the input comes back", _formula(lambda x, steps: x)
    ),
]

RESIDUAL = [
    Mistake("residual-input-missing", "the input is not added", _formula(nn.affine_chain)),
    Mistake(
        "residual-function-missing", "fn is not applied: the input comes back", _formula(lambda x, steps: x)
    ),
    Mistake(
        "residual-doubled",
        "fn(x) is added to itself, not to the input",
        _formula(lambda x, steps: 2 * nn.affine_chain(x, steps)),
    ),
    Mistake(
        "residual-input-doubled",
        "the input is added to itself, fn is not applied",
        _formula(lambda x, steps: 2 * x),
    ),
    Mistake(
        "residual-subtracted",
        "the input is subtracted",
        _formula(lambda x, steps: nn.affine_chain(x, steps) - x),
    ),
    Mistake(
        "residual-after-addition",
        "fn is applied to x + x, or after the addition",
        _formula(lambda x, steps: nn.affine_chain(2 * x, steps)),
    ),
    Mistake(
        "residual-twice",
        "fn is applied twice",
        _formula(lambda x, steps: nn.affine_chain(nn.affine_chain(x, steps), steps) + x),
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

# Inputs: x (or the cotangent) and which elements of the submission's output are not 0; parameter: p.
DROPOUT = [
    Mistake(
        "dropout-unscaled",
        "the kept elements are not scaled: they are divided by 1 - p",
        _formula(lambda x, kept, p: np.where(kept, x, 0.0)),
    ),
    Mistake(
        "dropout-scaled-by-p",
        "the kept elements are divided by p, not by 1 - p",
        _formula(lambda x, kept, p: np.where(kept, x, 0.0) / p if p else None),
    ),
    Mistake(
        "dropout-multiplied",
        "the kept elements are multiplied by 1 - p, not divided",
        _formula(lambda x, kept, p: np.where(kept, x, 0.0) * (1 - p)),
    ),
    Mistake(
        "dropout-scaled-twice",
        "the kept elements are divided by 1 - p twice",
        _formula(lambda x, kept, p: np.where(kept, x, 0.0) / (1 - p) ** 2),
    ),
    Mistake(
        "dropout-mask-returned",
        "the output is the mask, not the input times the mask",
        _formula(lambda x, kept, p: kept / (1 - p)),
    ),
]

DROPOUT_GRADIENT = [
    Mistake(
        "dropout-gradient-unmasked",
        "the gradient passes through dropped elements: the mask is not part of the graph",
        _formula(lambda c, kept, p: c),
    ),
    Mistake(
        "dropout-gradient-unscaled",
        "the gradient is not scaled by 1 / (1 - p)",
        _formula(lambda c, kept, p: np.where(kept, c, 0.0)),
    ),
]

DROPOUT_EVAL = [
    Mistake(
        "dropout-eval-drops",
        "it still drops in eval",
        _formula(lambda x, kept, p: nn.dropout(x, kept, p) if np.any(kept) and not np.all(kept) else None),
    ),
    Mistake(
        "dropout-eval-scales",
        "it still scales by 1 / (1 - p) in eval",
        _formula(lambda x, kept, p: x / (1 - p)),
    ),
    Mistake(
        "dropout-eval-multiplies", "it multiplies by 1 - p in eval", _formula(lambda x, kept, p: x * (1 - p))
    ),
    Mistake("dropout-eval-zero", "it drops everything in eval", _formula(lambda x, kept, p: 0 * x)),
]

# The share that is dropped instead of p: the parameter is p.
DROPPED = [
    Mistake(
        "dropout-inverted",
        "p is taken for the probability of keeping an element; it is that of dropping it",
        lambda q: 1 - q.parameters[0],
    ),
    Mistake("dropout-never", "nothing is dropped in training", lambda q: 0.0),
    Mistake("dropout-all", "everything is dropped", lambda q: 1.0),
    Mistake("dropout-half", "half is dropped whatever p is", lambda q: 0.5),
]


def dropped(share: float, p: float, band: float) -> Mistake | None:
    """Return the mistake that explains a share of dropped elements, if just one does."""
    found = [one for one in DROPPED if abs(one.wrong(Question((), (p,))) - share) <= band]
    return found[0] if len(found) == 1 else None


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
        "the bias starts at zeros; it is drawn by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), np.zeros(m))),
    ),
    Mistake(
        "linear-bias-fan-one",
        "the bias is drawn with fan_in 1; it is drawn by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), _kaiming(state, 1, 1, m))),
    ),
    Mistake(
        "linear-bias-fan-in",
        "the bias is drawn with fan_in in_features; it is drawn by kaiming_uniform(out_features, 1)",
        _start(lambda state, n, m: (_kaiming(state, n, n, m), _kaiming(state, n, 1, m))),
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
