"""The check of Dropout in the residual network: it drops in training only, in its place, with its share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grader.homework.mlp_nets import (
    BLOCK,
    DROPPED,
    NORMS,
    RARELY,
    Net,
    arguments_of,
    ask_net,
    demand_given,
    draw_net,
    shown_net,
    split_reply,
)
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.oracle import mlp
from grader.oracle.mlp import Shape


def demand_certain(trial: Trial, name: str, mode: str, one: Net) -> None:
    """Raise a failure if the output depends on the random numbers, though drop_prob is 0."""
    _, (first, second) = split_reply(ask_net(trial, name, mode, one, runs=2), 2)
    if not np.array_equal(first, second, equal_nan=True):
        says = _UNSTEADY if mode == "eval" else _DROPOUT["train", False]
        raise Failure(f"{name}: {says}", counterexample=shown_net(name, one), group="dropout")


def dropout(name: str, trial: Trial) -> None:
    """Two seeds give two outputs in training and one in evaluation; without drop_prob one in both.

    Where the network is made with the submission's own Dropout, also how often, where, and with which share.
    """
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        wanted = [("train", DROPPED, True), ("train", 0.0, False), ("eval", DROPPED, False)]
        for mode, drop, differs in wanted:
            _, runs = split_reply(ask_net(trial, name, mode, one, drop=drop, runs=5), 5)
            if (not all(np.array_equal(run, runs[0]) for run in runs)) != differs:
                demand_certain(trial, name, mode, one)  # or else it is not Dropout that differs
                raise Failure(
                    f"{name}: {_DROPOUT[mode, differs]}",
                    help="Dropout(drop_prob) stands behind the inner ReLU",
                    counterexample=shown_net(name, one) | {"drop_prob": drop, "mode": mode},
                    group="dropout",
                )
    _place(name, trial)


@dataclass(frozen=True)
class Calls:
    """What a network's Dropouts got in a pass: their `p` (None if unknown) and inputs; and its parameters."""

    shares: list[float | None]
    inputs: list[np.ndarray]
    parameters: list[np.ndarray]


def _calls(trial: Trial, name: str, one: Net) -> Calls:
    arguments = {**arguments_of(name, one.shape, RARELY), "seed": one.seed, "mode": "train", "watch": True}
    reply = trial.ask("mlp.forward", arguments, [one.x])
    shares = reply.values["p"]
    end = len(reply.arrays) - len(shares)
    demand_given(name, one, reply.arrays[: max(end - 1, 0)])
    return Calls(shares, reply.arrays[end:], [array.astype(np.float64) for array in reply.arrays[: end - 1]])


def _place(name: str, trial: Trial) -> None:
    """Look at what each Dropout of the network gets; no call means that another way was taken.

    The network is held to its own blocks, so that a fault of theirs is counted once.
    """
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        calls = _calls(trial, name, one)
        inside = Shape(one.shape.hidden, one.shape.hidden // 2, norm=norm)
        inner = Net(inside, one.seed, np.resize(one.x, (len(one.x), inside.dim)))
        says = (
            _block_says(one, calls)
            if name == BLOCK
            else _network_says(one, calls, _calls(trial, BLOCK, inner))
        )
        if calls.shares and says:
            raise Failure(
                f"{name}: {says}",
                help="Dropout(drop_prob) stands behind the inner ReLU",
                counterexample=shown_net(name, one) | {"drop_prob": RARELY, "mode": "train"},
                group="dropout",
            )


def _block_says(one: Net, calls: Calls) -> str:
    if len(calls.shares) > 1:
        return f"Dropout is called {len(calls.shares)} times, expected 1"
    for p, x in zip(calls.shares, calls.inputs, strict=True):
        right = mlp.before_relu(one.x.astype(np.float64), calls.parameters, one.shape.norm, training=True)
        if x.shape != right.shape or not _same_behind_relu(x, right):
            return "Dropout does not stand behind the inner ReLU"
        if p is not None and not math.isclose(p, RARELY, rel_tol=1e-6):
            return f"with drop_prob={RARELY} Dropout has p={p:g}"
    return ""


def _same_behind_relu(mine: np.ndarray, right: np.ndarray) -> bool:
    """Compare what is left behind a ReLU: a Dropout before it drops the same."""
    mine, tolerance = mlp.relu(mine.astype(np.float64)), 1e-3 * np.abs(right).max()
    return bool(np.allclose(mine, mlp.relu(right), rtol=0, atol=tolerance))


def _network_says(one: Net, calls: Calls, block: Calls) -> str:
    wanted = one.shape.blocks * max(1, len(block.shares))
    if len(calls.shares) != wanted:
        return f"Dropout is called {len(calls.shares)} times, expected {wanted}: it stands in the blocks only"
    p = calls.shares[0]
    right = block.shares[0] if block.shares else RARELY
    if p is not None and right is not None and not math.isclose(p, right, rel_tol=1e-6):
        return f"with drop_prob={RARELY} Dropout has p={p:g}, in a ResidualBlock p={right:g}"
    return ""


_UNSTEADY = "in eval mode one input has two outputs: something in it is drawn, or still updated"


_DROPOUT: dict[tuple[str, bool], str] = {
    ("train", True): "nothing is dropped in training with drop_prob=0.5",
    ("train", False): "something is dropped with drop_prob=0: is drop_prob passed on?",
    ("eval", False): "something is still dropped in eval mode",
}
