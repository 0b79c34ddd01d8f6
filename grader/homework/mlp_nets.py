"""Small residual networks to be tried: how a worker is asked about one, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import mlp
from grader.oracle.mlp import Shape

BLOCK, NETWORK = "ResidualBlock", "MLPResNet"


NORMS = ("BatchNorm1d", "LayerNorm1d")


ODD = 13  # its half is rounded down
DROPPED = 0.5
RARELY = 0.25  # another share than its complement and than its half


@dataclass(frozen=True)
class Net:
    """A network's sizes, the seed of its parameters, and an input `(batch, ...)`."""

    shape: Shape
    seed: int
    x: np.ndarray

    def plainer(self) -> Iterator[tuple[str, Net]]:
        """Yield the network with a default in the place of one of its sizes or its norm; each in words."""
        if self.shape.norm != NORMS[0]:
            yield f"norm is {NORMS[0]}", replace(self, shape=replace(self.shape, norm=NORMS[0]))
        if self.shape.blocks != Shape.blocks:
            yield (
                f"num_blocks is {Shape.blocks}",
                replace(self, shape=replace(self.shape, blocks=Shape.blocks)),
            )
        if self.shape.classes != Shape.classes:
            classes = replace(self.shape, classes=Shape.classes)
            yield f"num_classes is {Shape.classes}", replace(self, shape=classes)

    def size(self) -> tuple[int, ...]:
        """Order by what there is to compute."""
        return self.shape.blocks, self.shape.hidden, self.x.size, self.shape.dim


def draw_shape(source: Source, norm: str, *, drop: float = 0.0) -> Shape:
    """Return small sizes, all different, with one to four blocks."""
    return Shape(
        dim=source.choice([5, 7, 9]),
        hidden=source.choice([4, 6, 8]),
        blocks=source.choice([1, 2, 4]),
        classes=source.choice([3, 2, 11]),
        norm=norm,
        drop=drop,
    )


def draw_net(source: Source, norm: str, *, name: str = NETWORK) -> Net:
    """Return a network (or a block) and an input of two to five rows."""
    shape = draw_shape(source, norm)
    x = source.values((source.integer(2, 5), shape.dim), -2.0, 2.0, 0.25)
    return Net(shape, source.integer(0, 99999), x.astype(np.float32))


def arguments_of(name: str, one: Shape, drop: float) -> dict[str, Any]:
    """Return what a probe is told of a network or block."""
    sizes = [one.dim, one.hidden] if name == BLOCK else [one.dim, one.hidden, one.blocks, one.classes]
    shapes = [list(shape) for shape in right_shapes(name, one)]
    return {
        "function": name,
        "sizes": sizes,
        "norm": one.norm,
        "keywords": {"drop_prob": drop},
        "shapes": shapes,
    }


def right_shapes(name: str, one: Shape) -> list[tuple[int, ...]]:
    """Return the shapes of its parameters in the order of the data."""
    return mlp.block_shapes(one.dim, one.hidden) if name == BLOCK else mlp.network_shapes(one)


def shown_shape(name: str, one: Shape) -> dict[str, Any]:
    """Return its sizes as the report shows them."""
    shown: dict[str, Any] = {"dim": one.dim, "hidden_dim": one.hidden, "norm": one.norm}
    if name == NETWORK:
        shown |= {"num_blocks": one.blocks, "num_classes": one.classes}
    return shown | {"drop_prob": one.drop}


def ask_net(
    trial: Trial, name: str, mode: str, one: Net, *, drop: float | None = None, runs: int = 1
) -> list[np.ndarray]:
    """Return the parameters that the submission's network had, then the outputs."""
    chosen = one.shape.drop if drop is None else drop
    arguments = {**arguments_of(name, one.shape, chosen), "seed": one.seed, "mode": mode}
    arrays = trial.ask("mlp.forward", arguments, [one.x] * runs).arrays
    demand_given(name, one, arrays[: max(len(arrays) - runs, 0)])
    return arrays


def demand_given(name: str, one: Net, parameters: Sequence[np.ndarray]) -> None:
    """Raise a failure unless the parameters are those of `seed`: what is right is told from them.

    The worker fills them with the same numbers; parameters that stay zero or nan would make anything right.
    """
    right = right_shapes(name, one.shape)
    shapes = [mine.shape[1:] if mine.ndim == 2 and len(mine) == 1 else mine.shape for mine in parameters]
    if shapes != right:
        raise Failure(f"{name}: the parameters are not those that it was built with", group="structure")
    rng = np.random.RandomState(one.seed)
    if not all(np.array_equal(mine, drawn(rng, mine.shape)) for mine in parameters):
        raise Failure(f"{name}: its parameters do not keep the values that they are given", group="structure")


def drawn(rng: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Return the values that a worker gives to a parameter: matrices by their height, vectors around 0.5."""
    scale = 1.5 / np.sqrt(shape[0]) if len(shape) > 1 and shape[0] > 1 else 1.0
    shift = 0.5 if scale == 1.0 else 0.0
    return (rng.uniform(-1, 1, shape) * scale + shift).astype(np.float32)


def split_reply(arrays: list[np.ndarray], runs: int = 1) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the parameters and the outputs of a reply."""
    return [one.astype(np.float64) for one in arrays[:-runs]], arrays[-runs:]


def shown_net(name: str, one: Net) -> dict[str, Any]:
    """Return its sizes and its input as the report shows them."""
    return {**shown_shape(name, one.shape), "x": words.excerpt(one.x)}
