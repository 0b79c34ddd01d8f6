"""Each known mistake of the network and of `epoch` is named when a program makes it; right ones pass."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.homework import mlp_checks, mlp_nets
from grader.oracle import mistakes_mlp, mlp
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.mlp import Shape
from grader.sandbox.channel import Reply
from tests.homework.fakes import Answer, verdict

CHECKS = mlp_checks.mlp_resnet("mlp_resnet")
SEEDS = range(int(os.environ.get("GRADER_SEEDS", "1")))


def _shape(arguments: dict[str, Any]) -> Shape:
    return Shape(*arguments["sizes"], norm=arguments["norm"], drop=arguments["keywords"]["drop_prob"])


def structured(wrong: Callable[[Question], Any]) -> Answer:
    """A worker whose network has the parameters that `wrong` says."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        shapes = [list(one) for one in wrong(Question((), (_shape(arguments),)))]
        return Reply({"shapes": shapes, "distinct": len(shapes)}, [])

    return answer


STRUCTURES = [
    *(("MLPResNet", mistake) for mistake in mistakes_mlp.STRUCTURE),
    *(("ResidualBlock", mistake) for mistake in mistakes_mlp.BLOCK_STRUCTURE),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "mistake"), STRUCTURES, ids=lambda one: getattr(one, "id", one))
def test_structure_is_named(name: str, mistake: Mistake, seed: int) -> None:
    """Parameters of another network are named."""
    failure = verdict(CHECKS, f"{name}.structure", structured(mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("row", [False, True], ids=["(n,)", "(1, n)"])
@pytest.mark.parametrize("name", ["ResidualBlock", "MLPResNet"])
def test_either_shape_of_a_vector_passes(name: str, row: bool) -> None:
    """A bias may be (n,) or (1, n)."""

    def right(q: Question) -> Any:
        (shape,) = q.parameters
        shapes = mlp_nets.right_shapes(name, shape)
        return [(1, *one) if row and len(one) == 1 else one for one in shapes]

    assert verdict(CHECKS, f"{name}.structure", structured(right)) is None


def computing(name: str, wrong: Callable[[Question], Any]) -> Answer:
    """A worker whose network computes what `wrong` does."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        shape, rng = _shape(arguments), np.random.RandomState(arguments["seed"])
        parameters = [mlp_nets.drawn(rng, one) for one in mlp_nets.right_shapes(name, shape)]
        chosen = None if name == "ResidualBlock" else shape
        training = arguments["mode"] == "train"
        outs = [
            wrong(Question((x.astype(float), *parameters), (chosen, shape.norm, training)))[0] for x in arrays
        ]
        return Reply({}, [*parameters, *(np.asarray(out, np.float32) for out in outs)])

    return answer


WIRED = [
    *(("ResidualBlock.train", mistake) for mistake in mistakes_mlp.BLOCK),
    *(("MLPResNet.train", mistake) for mistake in mistakes_mlp.NETWORK if mistake.id != "block-relu-twice"),
    *((f"{name}.eval", mistakes_mlp.MODES[0]) for name in ("ResidualBlock", "MLPResNet")),
    *((f"{name}.train", mistakes_mlp.MODES[1]) for name in ("ResidualBlock", "MLPResNet")),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("check", "mistake"), WIRED, ids=lambda one: getattr(one, "id", one))
def test_wiring_is_named(check: str, mistake: Mistake, seed: int) -> None:
    """A network that is put together in another way is named."""
    failure = verdict(CHECKS, check, computing(check.partition(".")[0], mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("name", ["ResidualBlock", "MLPResNet"])
def test_right_networks_pass(name: str, mode: str, seed: int) -> None:
    """The oracle's own outputs, rounded to float32, pass."""
    assert verdict(CHECKS, f"{name}.{mode}", computing(name, mistakes_mlp._wired()), seed) is None


def passing(wrong: Callable[[Question], Any], *, steps: bool = True) -> Answer:
    """A worker whose `epoch` returns what `wrong` does; without `steps` the parameters stay."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        batch, lr = arguments["batch"], arguments["lr"]
        pair = wrong(Question(tuple(arrays), (batch, lr)))
        done, weight = mlp.epoch(*arrays, batch, lr)
        calls = "rs" * len(done) if lr and steps else ""
        weight = weight.astype(np.float32) if steps else arrays[2]
        facts = {"modes": [lr is not None], "optimiser": calls, "alive": [5, 5, 5]}
        return Reply(facts, [*(np.asarray(one, np.float32) for one in pair), weight])

    return answer


def by_sample(q: Question) -> Any:
    done, _ = mlp.epoch(*q.inputs, *q.parameters)
    return mlp.error_rate(done), mlp.loss_by_sample(done)


def by_batch(q: Question) -> Any:
    done, _ = mlp.epoch(*q.inputs, *q.parameters)
    return mlp.error_rate(done), mlp.loss_by_batch(done)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", ["evaluation", "training"])
@pytest.mark.parametrize("mistake", mistakes_mlp.EPOCH, ids=lambda one: one.id)
def test_epoch_mistake_is_named(mistake: Mistake, check: str, seed: int) -> None:
    """A pair that is summed up in another way is named."""
    failure = verdict(CHECKS, f"epoch.{check}", passing(mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", ["evaluation", "training"])
@pytest.mark.parametrize("right", [by_sample, by_batch])
def test_right_epochs_pass(right: Callable[[Question], Any], check: str, seed: int) -> None:
    """The loss may be averaged over samples or over batches."""
    assert verdict(CHECKS, f"epoch.{check}", passing(right), seed) is None


def test_epoch_without_steps() -> None:
    """With an optimiser the parameters must have moved; the loss on its own could hide it."""

    def unmoved(q: Question) -> Any:
        return by_sample(Question(q.inputs, (q.parameters[0], None)))

    failure = verdict(CHECKS, "epoch.training", passing(unmoved, steps=False))

    assert failure is not None
