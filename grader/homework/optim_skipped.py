"""The check that an optimiser skips parameters without a gradient, and goes on with the others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from grader.homework.optim_run import STEPS, Run, draw_run, every_setting
from grader.homework.optim_trial import RULES, ask, demand_run, examination, right, same_kind
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.oracle import optim as truth
from grader.oracle.mistakes import Mistake, Question


def skips(name: str, trial: Trial) -> None:
    """Skip one parameter always, the others at times; t may count steps or a parameter's own steps."""
    for settings in every_setting(name, trial.source)[1:]:
        examination(
            trial,
            name,
            [_with_holes(draw_run(trial.source, settings, steps=STEPS, twins=True))],
            SKIPPING[name],
            ask=partial(_ask, trial, name),
            demand=partial(_demand_skipped, name),
            draw=lambda source: _with_holes(draw_run(source, twins=True)),
        ).run(trial)


SKIP = "skip a parameter whose grad is None: weight decay and momentum rest too"


def _ask(trial: Trial, name: str, run: Run) -> list[np.ndarray]:
    try:
        return ask(trial, name, run).arrays
    except Failure as failure:
        if "NoneType" in failure.message:
            failure.help = SKIP
        raise


def _with_holes(run: Run) -> Run:
    return replace(run, rows=tuple(_holes(t, row) for t, row in enumerate(run.rows)))


def _holes(t: int, row: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return tuple(None if i == 0 or (t + i) % 4 == 1 else n for i, n in enumerate(row))


def _demand_skipped(name: str, run: Run, mine: Sequence[np.ndarray]) -> None:
    same_kind(name, run, mine)
    for i, (array, given) in enumerate(zip(mine, run.parameters, strict=False)):
        for t, row in enumerate(run.rows):
            before = given if t == 0 else array[t - 1]
            if row[i] is None and not np.array_equal(array[t], before):
                raise Failure(
                    f"{name}.step: parameter {i} changes in step {t + 1}, though its gradient is None",
                    help=SKIP,
                    expected=words.excerpt(before),
                    actual=words.excerpt(array[t]),
                    group="skipped",
                )
    try:
        demand_run(name, right, run, mine)
    except Failure:
        if name != "Adam":
            raise
        demand_run(name, partial(right, clock=lambda t, position, own: own), run, mine)


STATE = {"SGD": "u is kept", "Adam": "m and v are kept"}


def _as_zero(rule: truth.Rule) -> Callable[[Question], list[np.ndarray]]:
    """Make the mistake of treating a missing gradient as zero."""

    def wrong(q: Question) -> list[np.ndarray]:
        settings, table = q.parameters
        filled = [
            [np.zeros(p.shape) if g is None else g for p, g in zip(q.inputs, row, strict=True)]
            for row in table
        ]
        return truth.trajectory(rule, q.inputs, filled, settings)

    return wrong


def _ended(rule: truth.Rule) -> Callable[[Question], list[np.ndarray]]:
    """Make the mistake of ending the step at the first parameter without gradient."""

    def wrong(q: Question) -> list[np.ndarray]:
        settings, table = q.parameters
        cut = [_until_none(row) for row in table]
        return truth.trajectory(rule, q.inputs, cut, settings)

    return wrong


def _until_none(row: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
    begin = list(itertools.takewhile(lambda one: one is not None, row))
    return [*begin, *[None] * (len(row) - len(begin))]


def _by_place(rule: truth.Rule) -> Callable[[Question], list[np.ndarray]]:
    """Make the mistake of keeping state by the place among the parameters that have a gradient."""

    def wrong(q: Question) -> list[np.ndarray]:
        settings, table = q.parameters

        def place(position: int, grad: np.ndarray, t: int) -> int:
            return sum(g is not None for g in table[t - 1][:position])

        return truth.trajectory(rule, q.inputs, table, settings, key=place)

    return wrong


SKIPPING = {
    name: [
        Mistake(
            f"{name.lower()}-state-by-place",
            f"{STATE[name]} by the place among parameters that have a gradient: it belongs to the parameter",
            _by_place(rule),
        ),
        Mistake(
            f"{name.lower()}-none-as-zero",
            "a parameter whose grad is None is treated as if its gradient were 0: it has to be skipped",
            _as_zero(rule),
        ),
        Mistake(
            f"{name.lower()}-none-ends-the-step",
            "the step ends at the first parameter whose grad is None: go on with the others (`continue`)",
            _ended(rule),
        ),
    ]
    for name, rule in RULES.items()
}
