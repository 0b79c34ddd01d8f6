"""Known mistakes of the loop over batches in hw0's epochs, around any right gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle.mistakes import Mistake, Question

Array = np.ndarray
Step = Callable[..., tuple[Array, ...]]
Epoch = Callable[..., tuple[Array, ...]]


def mistake_of(epoch: Epoch) -> Callable[[Question], Any]:
    """Make a mistake from a wrong epoch; inputs: X, y, weights; parameters: lr, batch."""

    def wrong(q: Question) -> list[Array]:
        images, labels, *weights = q.inputs
        return list(epoch(images, labels, tuple(weights), *q.parameters))

    return wrong


def steps(gradients: Step) -> Epoch:
    """Make an epoch out of wrong gradients of one batch: `gradients(x, y, *weights)`."""

    def epoch(
        images: Array, labels: Array, weights: tuple[Array, ...], lr: float, batch: int
    ) -> tuple[Array, ...]:
        for start in range(0, len(images), batch):
            x, y = images[start : start + batch], labels[start : start + batch]
            found = gradients(x, y, *weights)
            weights = tuple(w - lr * g for w, g in zip(weights, found, strict=True))
        return weights

    return epoch


def loops(prefix: str, right: Step) -> list[Mistake]:
    """Return the mistakes of the loop around any right gradient."""
    one = steps(right)

    def on_first(x: Array, y: Array, w: Any, lr: float, batch: int) -> tuple[Array, ...]:
        return one(
            np.tile(x[:batch], (len(x) // batch, 1)), np.tile(y[:batch], len(y) // batch), w, lr, batch
        )

    def stale(x: Array, y: Array, w: Any, lr: float, batch: int) -> tuple[Array, ...]:
        start = w
        for i in range(0, len(x), batch):
            step = right(x[i : i + batch], y[i : i + batch], *start)
            w = tuple(a - lr * g for a, g in zip(w, step, strict=True))
        return w

    def by(name: str, says: str, epoch: Epoch) -> Mistake:
        return Mistake(f"{prefix}-{name}", says, mistake_of(epoch))

    return [
        by(
            "ascends",
            "the step goes up the gradient: the sign of the update is wrong",
            lambda x, y, w, lr, batch: one(x, y, w, -lr, batch),
        ),
        by(
            "summed",
            "the gradient is summed over the batch, not averaged",
            lambda x, y, w, lr, batch: one(x, y, w, lr * batch, batch),
        ),
        by(
            "divided-twice",
            "the gradient is divided by the batch size twice",
            lambda x, y, w, lr, batch: one(x, y, w, lr / batch, batch),
        ),
        by(
            "divided-by-all",
            "the gradient is divided by the size of the whole set, not of the batch",
            lambda x, y, w, lr, batch: one(x, y, w, lr * batch / len(x), batch),
        ),
        by(
            "first-batch-only",
            "only the first batch is used",
            lambda x, y, w, lr, batch: one(x[:batch], y[:batch], w, lr, batch),
        ),
        by(
            "last-batch-missing",
            "the last batch is left out, although it is full",
            lambda x, y, w, lr, batch: one(x[:-batch], y[:-batch], w, lr, batch),
        ),
        by("first-batch-again", "every step uses the first batch: the start does not move", on_first),
        by(
            "backwards",
            "the batches are used from the last to the first",
            lambda x, y, w, lr, batch: one(
                np.concatenate([x[i : i + batch] for i in range(0, len(x), batch)][::-1]),
                np.concatenate([y[i : i + batch] for i in range(0, len(y), batch)][::-1]),
                w,
                lr,
                batch,
            ),
        ),
        by(
            "single-samples",
            "each sample is a step of its own: batch is not used",
            lambda x, y, w, lr, batch: one(x, y, w, lr, 1),
        ),
        by(
            "whole-set",
            "the whole set is used as one batch",
            lambda x, y, w, lr, batch: one(x, y, w, lr, len(x)),
        ),
        by(
            "stale",
            "every gradient is taken at the weights that the epoch started with",
            stale,
        ),
        by(
            "lr-ignored",
            "the learning rate is not used: it is 1",
            lambda x, y, w, lr, batch: one(x, y, w, 1.0, batch),
        ),
        by(
            "lr-default",
            "the learning rate is not used: it is always 0.1",
            lambda x, y, w, lr, batch: one(x, y, w, 0.1, batch),
        ),
    ]


def short_batch(prefix: str, right: Step) -> list[Mistake]:
    """Return what people do to a last batch that is short."""
    one = steps(right)

    def full_size(x: Array, y: Array, w: Any, lr: float, batch: int) -> tuple[Array, ...]:
        full = len(x) - len(x) % batch
        w = one(x[:full], y[:full], w, lr, batch)
        return one(x[full:], y[full:], w, lr * (len(x) - full) / batch, batch)

    def dropped(x: Array, y: Array, w: Any, lr: float, batch: int) -> tuple[Array, ...]:
        full = len(x) - len(x) % batch
        return one(x[:full], y[:full], w, lr, batch)

    return [
        Mistake(
            f"{prefix}-short-divided-by-batch",
            "the gradient of the short batch is divided by the full batch size, not by its own",
            mistake_of(full_size),
        ),
        Mistake(f"{prefix}-short-dropped", "the short last batch is dropped", mistake_of(dropped)),
    ]
