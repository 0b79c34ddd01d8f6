"""Known mistakes of BatchNorm1d's running statistics.

Inputs of a question: mean and variance before, then the batches; parameters: momentum, modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.oracle.mistakes import Array, Mistake, Question

Step = Callable[[Array, Array, float], Array]


def _keep(before: Array, now: Array, momentum: float) -> Array:
    return (1 - momentum) * before + momentum * now


def _reversed(before: Array, now: Array, momentum: float) -> Array:
    return momentum * before + (1 - momentum) * now


def _summed(before: Array, now: Array, momentum: float) -> Array:
    return before + momentum * now


def _replaced(before: Array, now: Array, momentum: float) -> Array:
    return now


def _run(
    step: Step = _keep,
    *,
    ddof: int = 0,
    axis: int | None = 0,
    counted: Sequence[str] = ("train",),
    root: bool = False,
) -> Any:
    """Make a mistake of the running statistics from what differs."""

    def wrong(q: Question) -> list[Array]:
        mean, var, *batches = q.inputs
        momentum, modes = q.parameters
        for x, mode in zip(batches, modes, strict=True):
            if mode in counted:
                spread = np.var(x, axis=axis, ddof=ddof)
                mean = step(mean, np.mean(x, axis=axis), momentum)
                var = step(var, np.sqrt(spread) if root else spread, momentum)
        return [mean, var]

    return wrong


def _one_only(position: int) -> Any:
    """Make the mistake of updating only the mean (0) or only the variance (1)."""

    def wrong(q: Question) -> list[Array]:
        right, before = _run()(q), q.inputs[:2]
        return [right[0], before[1]] if position == 0 else [before[0], right[1]]

    return wrong


def _one_of(step: Step, position: int) -> Any:
    """Make the mistake of a wrong step for the mean (0) or the variance (1) alone."""

    def wrong(q: Question) -> list[Array]:
        right, off = _run()(q), _run(step)(q)
        return [off[0], right[1]] if position == 0 else [right[0], off[1]]

    return wrong


def _of_one(position: int) -> list[Mistake]:
    name = ("running_mean", "running_var")[position]
    short = name.replace("_", "-")
    return [
        Mistake(
            f"{short}-reversed",
            f"momentum is applied the wrong way in {name}: it is the share of the batch, not of the old",
            _one_of(_reversed, position),
        ),
        Mistake(
            f"{short}-summed",
            f"the old {name} is not multiplied by 1 - momentum",
            _one_of(_summed, position),
        ),
        Mistake(
            f"{short}-replaced",
            f"{name} is that of the last batch: momentum is not used",
            _one_of(_replaced, position),
        ),
    ]


def _crossed(
    old_var: Callable[[Array, Array, Array], Array], values: Callable[[Array, Array], tuple[Array, Array]]
) -> Any:
    """Make a mistake of names in the update.

    `old_var(mean, var, new mean)` is what running_var is made from, `values` what the batch gives to the two.
    """

    def wrong(q: Question) -> list[Array]:
        mean, var, *batches = q.inputs
        momentum, modes = q.parameters
        for x in (x for x, mode in zip(batches, modes, strict=True) if mode == "train"):
            to_mean, to_var = values(np.mean(x, axis=0), np.var(x, axis=0))
            new = _keep(mean, to_mean, momentum)
            mean, var = new, _keep(old_var(mean, var, new), to_var, momentum)
        return [mean, var]

    return wrong


def _swapped_mean(q: Question) -> list[Array]:
    mean, var, *batches = q.inputs
    momentum, modes = q.parameters
    for x in (x for x, mode in zip(batches, modes, strict=True) if mode == "train"):
        mean, var = _keep(var, np.mean(x, axis=0), momentum), _keep(var, np.var(x, axis=0), momentum)
    return [mean, var]


RUNNING = [
    *_of_one(0),
    *_of_one(1),
    Mistake(
        "running-unbiased",
        "running_var is updated with the unbiased variance; the tests of the course hold the biased variance",
        _run(ddof=1),
    ),
    Mistake(
        "running-momentum-reversed",
        "momentum is applied the wrong way: it is the share of the new statistics, not of the old",
        _run(_reversed),
    ),
    Mistake(
        "running-unbiased-reversed",
        "momentum is applied the wrong way, and running_var is updated with the unbiased variance",
        _run(_reversed, ddof=1),
    ),
    Mistake("running-never", "the running statistics are never updated", _run(counted=())),
    Mistake(
        "running-replaced",
        "the running statistics are those of the last batch: momentum is not used",
        _run(_replaced),
    ),
    Mistake(
        "running-summed",
        "the old statistics are not multiplied by 1 - momentum",
        _run(_summed),
    ),
    Mistake(
        "running-momentum-fixed",
        "momentum is not used: it is 0.1 whatever is asked",
        _run(lambda before, now, momentum: _keep(before, now, 0.1)),
    ),
    Mistake(
        "running-in-eval", "the running statistics are updated in eval too", _run(counted=("train", "eval"))
    ),
    Mistake(
        "running-only-in-eval",
        "the running statistics are updated in eval, not in training",
        _run(counted=("eval",)),
    ),
    Mistake(
        "running-deviation", "running_var holds the standard deviation, not the variance", _run(root=True)
    ),
    Mistake("running-mean-only", "running_var is never updated", _one_only(0)),
    Mistake("running-var-only", "running_mean is never updated", _one_only(1)),
    Mistake(
        "running-var-of-mean",
        "running_var is made from running_mean (the new one by then), not from its own old value",
        _crossed(lambda mean, var, new: new, lambda m, v: (m, v)),
    ),
    Mistake(
        "running-var-of-old-mean",
        "running_var is made from the old running_mean, not from its own old value",
        _crossed(lambda mean, var, new: mean, lambda m, v: (m, v)),
    ),
    Mistake(
        "running-mean-of-var",
        "running_mean is made from running_var, not from its own old value",
        _swapped_mean,
    ),
    Mistake(
        "running-values-swapped",
        "the batch's mean goes into running_var, its variance into running_mean",
        _crossed(lambda mean, var, new: var, lambda m, v: (v, m)),
    ),
    Mistake(
        "running-var-of-mean-value",
        "running_var is updated with the batch's mean, not with its variance",
        _crossed(lambda mean, var, new: var, lambda m, v: (m, m)),
    ),
    Mistake(
        "running-mean-of-var-value",
        "running_mean is updated with the batch's variance, not with its mean",
        _crossed(lambda mean, var, new: var, lambda m, v: (v, v)),
    ),
]
