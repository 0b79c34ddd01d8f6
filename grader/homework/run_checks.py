"""The checks of a whole training run with Adam: the course's net and sizes, and what its memory check reads.

The run is one pass over 1024 examples in batches of 32: growth is exact, so 32 steps tell what more would.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from grader.homework import budgets
from grader.homework.check import Check
from grader.homework.growth_checks import HELP, demand_seen, leak
from grader.homework.trial import Trial
from grader.judge.failure import Failure

EXAMPLES, BATCH, WIDTHS = 1024, 32, (64, 32, 16)
READ_EVERY = 8
WANTED = (132, 2132)  # the course's test wants its counter within 1132 +- 1000
PHASES = ("forward", "backward", "step")
FIGURES = ("live_nodes", "live_bytes", *(f"{phase}_nodes" for phase in PHASES), "waiting_nodes")
SHOWN = {
    "model": "Linear(64, 32), ReLU, Linear(32, 16), SoftmaxLoss",
    "optimiser": "Adam(lr=0.001)",
    "run": f"{EXAMPLES} examples in batches of {BATCH}: {EXAMPLES // BATCH} steps",
}


def training_run(question: str) -> tuple[Check, ...]:
    """Return the check of the run, and advice on cycles and on the submission's own counter."""
    make = partial(Check, question, "Adam", target="needle.optim.Adam.step")
    before = (f"{question}.Adam.values", f"{question}.Adam.graph")
    first = (f"{question}.Adam.memory",)
    return (
        make("memory", "few nodes and bytes are alive at the end of a training run", _memory, needs=before),
        make(
            "cycles", "a step leaves little for the collector", _cycles, weight=0.0, needs=first
        ),
        make("counter", "TENSOR_COUNTER counts the nodes that are alive", _counter, weight=0.0, needs=first),
    )  # fmt: skip


def ask_run(trial: Trial, probe: str = "optim.learn", *, account: bool = False) -> dict[str, Any]:
    """Have the worker do the training; return what it counted."""
    rng = np.random.default_rng(BATCH)
    arrays: list[np.ndarray] = [
        rng.uniform(-1, 1, (EXAMPLES, WIDTHS[0])).astype(np.float32),
        rng.integers(0, WIDTHS[-1], EXAMPLES).astype(np.uint8),
    ]
    arguments = {"optimiser": "Adam", "batch": BATCH, "widths": list(WIDTHS), "account": account}
    return trial.ask(probe, arguments, arrays).values


def figures(values: dict[str, Any]) -> dict[str, int]:
    """Return the figures of a run that are held against the reference's."""
    made = {f"{phase}_nodes": int(values["made"].get(phase, 0)) for phase in PHASES}
    live = {"live_nodes": int(values["alive"][-1]), "live_bytes": int(values["bytes"])}
    return {**live, **made, "waiting_nodes": round(values["waiting"][-1] / READ_EVERY)}


def _memory(trial: Trial) -> None:
    values = ask_run(trial)
    trial.remember("run", values)
    found = figures(values)
    trial.measurements |= {name: _told(name, value) for name, value in found.items()}
    trial.measurements |= {"alive_at_steps": values["alive"], "peak_rss_mb": round(values["peak"] / 1e6)}
    demand_seen(values["made"])
    if max(values["alive"][1:]) > values["alive"][0]:
        raise _growing(trial, values["alive"])
    for name, unit in (("live_nodes", "nodes"), ("live_bytes", "bytes of arrays")):
        if found[name] > budgets.figure(f"Adam.{name}").budget:
            raise _over(trial, name, unit, found[name])


def _told(name: str, value: int) -> dict[str, Any]:
    figure = budgets.figure(f"Adam.{name}")
    return {"value": value, "reference": figure.reference, "scale": figure.scale(value)}


def _growing(trial: Trial, alive: list[int]) -> Failure:
    """Return the failure for nodes that become more after step 8; a second run tells the places."""
    growth = (alive[-1] - alive[0]) / (READ_EVERY * (len(alive) - 1))
    failure = leak("Adam", ask_run(trial, account=True), growth)
    failure.counterexample = SHOWN
    return failure


def _over(trial: Trial, name: str, unit: str, value: int) -> Failure:
    figure = budgets.figure(f"Adam.{name}")
    account = ask_run(trial, account=True)
    failure = leak("Adam", account, 0.0)
    holder = (account.get("holders") or [{"name": "the last step"}])[0]["name"]
    failure.message = (
        f"after {EXAMPLES // BATCH} steps with Adam {value} {unit} are alive, "
        f"the limit is {figure.budget}; most of the old ones are held by {holder}"
    )
    failure.counterexample, failure.help = SHOWN, HELP
    failure.expected, failure.actual = f"at most {figure.budget}", f"{value}: {figure.scale(value)}"
    return failure


def _cycles(trial: Trial) -> None:
    (values,) = trial.seen("run") or [ask_run(trial)]
    figure, mine = budgets.figure("Adam.waiting_nodes"), figures(values)["waiting_nodes"]
    if mine > figure.budget:
        raise Failure(
            f"each step with Adam leaves {mine} nodes in cycles that only Python's collector frees",
            help="a node is kept by its gradient's graph until `.grad` is reset; fewer nodes in `gradient` "
            f"and in the modules mean less to collect ({figure.scale(mine)})",
            counterexample=SHOWN,
            group="cycles",
        )


def _counter(trial: Trial) -> None:
    """Say what the course's own memory check would read here, and whether its counter can be trusted."""
    (values,) = trial.seen("run") or [ask_run(trial)]
    start, end, collected = values["counter"]
    least, most = values["alive"][-1], values["alive"][-1] + sum(values["waiting"])
    shown = ask_run(trial, "optim.count")["counter"]
    trial.measurements |= {
        "course_counter": {
            "just_collected": least,
            "never_collected": most,
            "shown_here": shown,
            "course_wants": list(WANTED),
        }
    }
    for is_wrong, text in _doubts(start, end, collected, least, values["waiting"][-1]):
        if is_wrong:
            raise Failure(
                f"TENSOR_COUNTER {text}",
                help="the course's memory check reads it: Value._init adds 1, Value.__del__ takes 1 away",
                measurements={"counter": values["counter"]},
                group="counter",
            )


def _doubts(start: int, end: int, collected: int, alive: int, waiting: int) -> list[tuple[bool, str]]:
    """Return what may be wrong with a counter, and the words for it."""
    return [
        (end < 0 or collected < 0, f"is negative ({min(end, collected)})"),
        (start == end == collected, f"stays at {start} through {EXAMPLES // BATCH} steps of training"),
        (
            end - start != alive + waiting or collected - start != alive,
            f"says {collected - start} nodes are alive after training, {alive} are",
        ),
    ]
