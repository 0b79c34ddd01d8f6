"""What to say beyond the wrong numbers, for the ops whose gradients people get wrong in their own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grader.homework.op import Case, Op
from grader.homework.op_truth import ask_gradient, demand_gradient
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure


def _broadcast_detail(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> str:
    """Say which axes had to be summed, and which were, if that can be told from the values."""
    source, target = case.inputs[0].shape, tuple(case.parameters[0])
    right = summed_axes(source, target)
    text = f"from {source} to {target} the axes to sum are {right}"
    mine = gradients[0]
    for axes in _axis_sets(len(target)):
        total = np.sum(case.cotangent, axis=axes) if axes else case.cotangent
        if axes != right and total.size == mine.size and compare.same(mine.ravel(), total.ravel()):
            return f"{text}; yours sums {axes}"
    return text


def summed_axes(source: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of `target` that broadcasting from `source` added or stretched."""
    padded = (0,) * (len(target) - len(source)) + source
    return tuple(i for i, (n, m) in enumerate(zip(padded, target, strict=True)) if n != m)


def _axis_sets(count: int) -> Iterator[tuple[int, ...]]:
    for mask in range(2**count):
        yield tuple(i for i in range(count) if mask >> i & 1)


def _matmul_detail(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> str:
    """Say which operand has batch axes that were broadcast, and must be summed again."""
    out = op.value(case).shape
    said = []
    for name, array in zip("ab", case.inputs, strict=True):
        axes = summed_axes(array.shape[:-2], out[:-2])
        if axes:
            said.append(
                f"operand {name} {array.shape} was broadcast to batch {out[:-2]}: "
                f"sum its gradient over axes {axes}"
            )
    return "; ".join(said)


def _power_detail(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> str:
    """Say which exponents fail and which pass."""
    wrong, right = [], []
    for scalar in (3, -1, 0.5, 1, 0):
        one = op.case(trial.source, (((2,),), (scalar,)))
        try:
            demand_gradient(op, one, ask_gradient(op, trial, one).arrays)
            right.append(str(scalar))
        except Failure:
            wrong.append(str(scalar))
    passing = f"; right for {words.listing(right)}" if right else ""
    return f"wrong for exponent {words.listing(wrong)}{passing}" if wrong else ""


def _sum_detail(op: Op, trial: Trial, case: Case, gradients: Sequence[np.ndarray]) -> str:
    """Say which axes were summed, and along which ones the gradient was spread instead."""
    shape = case.inputs[0].shape
    axes = case.parameters[0] if case.parameters and case.parameters[0] is not None else range(len(shape))
    right = tuple(axes)
    text = f"axes {right} of {shape} were summed: out_grad goes back along exactly those"
    for other in _axis_sets(len(shape)):
        if other != right and _spread(case.cotangent, shape, other, gradients[0]):
            return f"{text}; yours goes along {other}"
    return text


def _spread(cotangent: np.ndarray, shape: tuple[int, ...], axes: tuple[int, ...], mine: np.ndarray) -> bool:
    """Tell whether `mine` is the cotangent with `axes` put back and broadcast to `shape`."""
    kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    if int(np.prod(kept)) != cotangent.size or mine.shape != shape:
        return False
    return compare.same(mine, np.broadcast_to(cotangent.reshape(kept), shape))


DETAILS: dict[str, Callable[[Op, Trial, Case, Sequence[np.ndarray]], str]] = {
    "BroadcastTo": _broadcast_detail,
    "MatMul": _matmul_detail,
    "PowerScalar": _power_detail,
    "Summation": _sum_detail,
}
