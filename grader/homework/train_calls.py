"""What the calls of `epoch` inside `train_mnist`, and what its optimiser got, tell about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.oracle import mlp
from grader.oracle.mlp import Shape

PIXELS = 784
Call = dict[str, Any]


def seen_whole(calls: Sequence[Call]) -> bool:
    """Tell whether every pass went through the submission's own `epoch`, with a pair as its result."""
    both = any(one["train"] for one in calls) and any(not one["train"] for one in calls)
    return both and all(one["result"] is not None for one in calls)


def result_says(calls: Sequence[Call], results: Sequence[float], samples: int) -> str:
    """Return what is wrong with the four results, or nothing; `samples` is the size of the training set.

    The training's results may also come from another pass over the same data behind the last training.
    """
    last = max(i for i, one in enumerate(calls) if one["train"])
    trained = [one["result"] for one in calls[last:] if one["train"] or one["samples"] == samples]
    tests = [
        (i, one["result"])
        for i, one in enumerate(calls)
        if not one["train"] and one["samples"] != samples and i != last
    ]
    if not tests:
        return ""
    at, tested = tests[-1]
    if any(_same(results, [*one, *tested]) for one in trained):
        return (
            ""
            if at > last
            else "the test pass comes before the training of its epoch: what was learnt last is not tested"
        )
    if any(_same(sorted(results), sorted([*one, *tested])) for one in trained):
        return "the results are not train error, train loss, test error, test loss in this order"
    return "the results are not those of the last epoch"


def test_steps(calls: Sequence[Call], samples: int) -> bool:
    """Tell whether a pass over other data than the training set, of `samples`, got the optimiser."""
    return any(one["train"] and one["samples"] != samples for one in calls)


def last_results(calls: Sequence[Call]) -> list[float]:
    """Return the pairs of the last training pass and of the last pass without an optimiser."""
    pairs = [[one["result"] for one in calls if one["train"] is train][-1] for train in (True, False)]
    return [*pairs[0], *pairs[1]]


def _same(mine: Sequence[float], right: Sequence[float]) -> bool:
    return bool(np.allclose(mine, right, rtol=1e-4, atol=1e-6))


def order_says(calls: Sequence[Call], labels: Sequence[int]) -> str:
    """Return what is wrong with the order of the training data, whose file has these labels, or nothing."""
    in_order = any(
        one["train"] and one["in_order"] and one["labels"] and _begins(labels, one["labels"]) for one in calls
    )
    return "the training data are not shuffled: `DataLoader(..., shuffle=True)`" if in_order else ""


def test_data_say(calls: Sequence[Call], train: Sequence[int], test: Sequence[int]) -> str:
    """Return what is wrong with the data of the test passes, or nothing; the files have these labels."""
    passes = [one for one in calls if not one["train"] and one["labels"]]
    if passes and all(one["samples"] == len(train) and _begins(train, one["labels"]) for one in passes):
        return (
            "the test pass goes over the training data: is its DataLoader made of the training set, or the "
            "test set of the files train-*?"
        )
    tests = [one for one in passes if one["samples"] == len(test)]
    if any(_begins(train, one["labels"]) and not _begins(test, one["labels"]) for one in tests):
        return "the test images get the labels of the training set: theirs are in t10k-labels-idx1-ubyte.gz"
    return ""


def _begins(whole: Sequence[int], first: Sequence[int]) -> bool:
    return list(whole[: len(first)]) == list(first)


def shapes_say(shapes: Sequence[Sequence[int]], hidden: int) -> str:
    """Return what is wrong with the parameters that the optimiser got, or nothing."""
    right = Shape(PIXELS, hidden)
    mine, wanted = _sorted(shapes), _sorted(mlp.network_shapes(right))
    for blocks in (1, 2, 4, 5):
        if mine == _sorted(mlp.network_shapes(replace(right, blocks=blocks))):
            return f"the network has blocks: {blocks}, expected {right.blocks}"
    if len(mine) != len(wanted):
        return f"the optimiser gets {len(mine)} parameters of the network, expected {len(wanted)}"
    if mine != wanted:
        return "the network is not `MLPResNet(784, hidden_dim)` with its defaults"
    return ""


def _sorted(shapes: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return shapes in an order of their own, a vector as `(n,)`."""
    return sorted(tuple(one[1:]) if len(one) == 2 and one[0] == 1 else tuple(one) for one in shapes)
