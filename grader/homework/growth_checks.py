"""The checks that no training step keeps nodes of the steps before, and the sentence that says who does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.trial import Trial
from grader.judge.failure import Failure

STEPS = 6
SETTLED = 2  # after this many steps every state exists
RATE = {"lr": 0.125}
LEAST = 4  # nodes of a forward pass: Linear, ReLU, Linear and the loss have an op each
HELP = "detach what survives a step: `.detach()` or `.data` is the value without the graph behind it"


def growth(question: str, name: str) -> tuple[Check, ...]:
    """Return the checks of an optimiser without and with each norm."""
    make = partial(Check, question, name, target=f"needle.optim.{name}.step")
    first, plain = f"{question}.{name}.values", f"{question}.{name}.graph"
    return (
        make(
            "graph",
            "no step keeps nodes of the steps before",
            partial(_growth, name, ""),
            needs=(first,),
            weight=2.0,
        ),
        *(
            make(
                f"graph_{norm.lower().removesuffix('1d')}",
                f"no step with {norm} keeps nodes of the steps before",
                partial(_growth, name, norm),
                needs=(first, plain),
            )
            for norm in ("BatchNorm1d", "LayerNorm1d")
        ),
    )


def _growth(name: str, norm: str, trial: Trial) -> None:
    regular = {"momentum": 0.9} if name == "SGD" else {"beta1": 0.5}
    for keywords in [{}, {**regular, "weight_decay": 0.25}][1 if norm else 0 :]:
        values = _ask(trial, name, norm, keywords)
        alive = values["alive"]
        trial.measurements |= {"alive_per_step": alive, "made_per_step": values["made"]}
        demand_seen(values["made"])
        if max(alive[SETTLED:]) > alive[SETTLED - 1]:
            raise _leak(trial, name, norm, keywords, values)


def demand_seen(made: dict[str, int]) -> None:
    """Raise a failure for fewer nodes than any graph has: what is not seen cannot be counted."""
    if made.get("forward", 0) < LEAST:
        raise Failure(
            f"{made.get('forward', 0)} nodes are seen in a forward pass, the least is {LEAST}: some are made "
            "out of sight",
            help="every node is made by way of Value._init: put back what was given",
            group="unseen",
        )


def _ask(trial: Trial, name: str, norm: str, keywords: dict[str, Any]) -> dict[str, Any]:
    rng = np.random.default_rng(STEPS)
    batches = [rng.uniform(-1, 1, (3, 4)).astype(np.float32) for _ in range(STEPS)]
    arguments = {"class": name, "norm": norm, "keywords": RATE | keywords}
    return trial.ask("optim.growth", arguments, batches).values


def _leak(trial: Trial, name: str, norm: str, keywords: dict[str, Any], values: dict[str, Any]) -> Failure:
    failure = leak(name, values, per_step(values["alive"]))
    failure.counterexample = {
        "model": f"Linear, {norm + ', ' if norm else ''}ReLU, Linear",
        "optimiser": f"{name}({', '.join(f'{k}={v}' for k, v in (RATE | keywords).items())})",
    }
    if norm and per_step(_ask(trial, name, "", keywords)["alive"]) <= 0:
        failure.message += f"; {name} without {norm} keeps none"
    return failure


def per_step(alive: Sequence[int]) -> float:
    """Return the growth per step of a list of readings, one per step."""
    return (alive[-1] - alive[SETTLED - 1]) / (len(alive) - SETTLED)


def leak(who: str, account: dict[str, Any], growth: float) -> Failure:
    """Return the failure for growth by so many nodes per step: who holds them, and the line that made them.

    `account` is that of a watch: `holders` and `lines`. `who` is named where no holder was found.
    """
    holders = account.get("holders") or []
    most = holders[0]["nodes"] if holders else 0
    names = [one["name"] for one in holders if 2 * one["nodes"] >= most]
    lines = account.get("lines") or []
    place = holders[0]["place"] if holders else (lines[0] if lines else None)
    holder = " and ".join(names[:2]) or f"{who}: something out of sight (a closure, a global)"
    verb = "keep" if len(names[:2]) > 1 else "keeps"
    return Failure(
        f"{holder} {verb} {growth:.3g} nodes more alive with every step",
        help=HELP,
        location={key: place[key] for key in ("file", "line", "function")} if place else None,
        measurements={"growth_per_step": growth, "holders": holders, "made_by": lines},
        group="growth",
    )
