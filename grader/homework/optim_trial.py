"""How an optimiser is tried: asked for its trajectory, which is held against the true one step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from grader.homework.examine import SINGLE, Examination, demand
from grader.homework.optim_run import Run
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.oracle import optim as truth
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.optim import Settings
from grader.sandbox.channel import Reply

RULES = {"SGD": truth.sgd, "Adam": truth.adam}
KEYWORDS = {
    "SGD": ("lr", "momentum", "weight_decay"),
    "Adam": ("lr", "beta1", "beta2", "eps", "weight_decay"),
}
DEFAULTS = Settings(lr=0.01)


def ask(trial: Trial, name: str, run: Run) -> Reply:
    """Have the worker do a run; its arrays are the parameters, `(steps, *shape)` each."""
    settings = asdict(run.settings)
    given = KEYWORDS[name] if run.settings != DEFAULTS else ()
    arguments = {
        "class": name,
        "keywords": {keyword: settings[keyword] for keyword in given},
        "parameters": len(run.parameters),
        "rows": [list(row) for row in run.rows],
        "groups": [list(g) for g in run.groups] or [list(range(len(run.parameters)))],
    }
    return trial.ask("optim.run", arguments, run.arrays())


def right(name: str, run: Run, clock: Any = None) -> list[np.ndarray]:
    """Return the true trajectory of each parameter, `(steps, *shape)` float64."""
    more = {"clock": clock} if clock else {}
    return truth.trajectory(RULES[name], run.parameters, run.table(), run.settings, **more)


def examination(
    trial: Trial, name: str, cases: Sequence[Run], mistakes: Sequence[Mistake] = (), **more: Any
) -> Examination[Run]:
    """Return how runs are examined; `more` are further fields of the examination, or others."""
    return Examination(
        function=f"{name}.step",
        cases=cases,
        right=lambda run: right(name, run),
        names=[],
        shown=partial(shown, name),
        question=lambda run: Question(run.parameters, (run.settings, run.table())),
        mistakes=mistakes,
        size=Run.size,
        plainer=Run.plainer,
        extra=SINGLE,
        **{
            "ask": lambda run: ask(trial, name, run).arrays,
            "demand": partial(demand_run, name, right),
            **more,
        },
    )


def demand_run(
    name: str, right: Callable[[str, Run], list[np.ndarray]], run: Run, mine: Sequence[np.ndarray]
) -> None:
    """Compare trajectories step by step, so that the first wrong step is the one that is told."""
    same_kind(name, run, mine)
    expected = right(name, run)
    scales = [float(np.max(np.abs(array))) for array in expected]  # what was added up, not what is left of it
    for t in range(len(run.rows)):
        for i, (array, wanted) in enumerate(zip(mine, expected, strict=False)):
            what = f"{name}.step: parameter {i} after step {t + 1}"
            demand([array[t]], [wanted[t]], [what], extra=SINGLE, scale=scales[i])


def same_kind(name: str, run: Run, mine: Sequence[np.ndarray]) -> None:
    """Demand one trajectory per parameter, in its shape."""
    if len(mine) != len(run.parameters):
        raise Failure(f"{name}.step: {len(mine)} parameters came back, expected {len(run.parameters)}")
    for i, (array, given) in enumerate(zip(mine, run.parameters, strict=True)):
        if array.shape != (len(run.rows), *given.shape):
            raise Failure(f"{name}.step: parameter {i} has another shape than before", group="shape")


def shown(name: str, run: Run) -> dict[str, Any]:
    """Return a run as the report shows it."""
    settings = asdict(run.settings)
    usual = run.settings == DEFAULTS
    given = {k: settings[k] for k in KEYWORDS[name]}
    shown: dict[str, Any] = {"call": f"{name}(parameters)"} if usual else given
    for i, p in enumerate(run.parameters):
        shown[f"p{i}"] = words.excerpt(p)
    for t, row in enumerate(run.table()[:2], 1):
        for i, g in enumerate(row):
            shown[f"p{i}.grad in step {t}"] = "None" if g is None else words.excerpt(g)
    return shown | {"steps": len(run.rows), **_grouping(run)}


def _grouping(run: Run) -> dict[str, Any]:
    return {"optimisers": [[f"p{i}" for i in group] for group in run.groups]} if run.groups else {}
