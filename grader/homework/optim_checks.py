"""The checks of the optimisers: trajectories over ten steps, skipped parameters."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from grader.homework import growth_checks, run_checks
from grader.homework.check import Check
from grader.homework.optim_run import STEPS, Run, draw_run, every_setting, single
from grader.homework.optim_skipped import skips
from grader.homework.optim_trial import DEFAULTS, KEYWORDS, ask, examination, shown
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.oracle import mistakes_adam, mistakes_optim
from grader.oracle.optim import Settings
from grader.sandbox.channel import Reply

MISTAKES = {"SGD": mistakes_optim.SGD, "Adam": mistakes_adam.ADAM}


def optim(question: str) -> tuple[Check, ...]:
    """Return the checks of SGD and Adam."""
    return (
        *_checks(question, "SGD"),
        *growth_checks.growth(question, "SGD"),
        *_checks(question, "Adam"),
        _epsilon(question),
        *growth_checks.growth(question, "Adam"),
        *run_checks.training_run(question),
    )


def _checks(question: str, name: str) -> tuple[Check, ...]:
    make = partial(Check, question, name, target=f"needle.optim.{name}.step")
    first = (f"{question}.{name}.values",)
    return (
        make("values", f"parameters over {STEPS} steps", partial(_values, name), weight=4.0),
        make(
            "state",
            "each parameter and each optimiser has a state of its own",
            partial(_state, name),
            needs=first,
        ),
        make("none", "parameters without gradient are skipped", partial(skips, name), needs=first),
        make(
            "hygiene",
            "gradients and defaults stay as they are, parameters stay float32",
            partial(_hygiene, name),
            needs=first,
        ),
    )


def _epsilon(question: str) -> Check:
    return Check(
        question,
        "Adam",
        "eps",
        "eps is added to the root of the corrected v",
        _eps,
        target="needle.optim.Adam.step",
        needs=(f"{question}.Adam.values",),
    )


def _values(name: str, trial: Trial) -> None:
    def kept(run: Run) -> list[np.ndarray]:
        reply = ask(trial, name, run)
        trial.remember("trajectory", (run, reply))
        return reply.arrays

    source = trial.source
    plain = [draw_run(source, settings, steps=STEPS) for settings in every_setting(name, source)]
    more = [draw_run(source, steps=STEPS) for _ in range(2)]
    held = [
        draw_run(source, settings, steps=STEPS, hold=True) for settings in every_setting(name, source)[-2:]
    ]
    cases = [*plain, *more, *held]
    examination(trial, name, cases, MISTAKES[name], draw=draw_run, ask=kept).run(trial)


def _state(name: str, trial: Trial) -> None:
    settings = every_setting(name, trial.source)[-1]
    twins = [draw_run(trial.source, settings, steps=STEPS, twins=True) for _ in range(2)]
    apart = [replace(run, groups=((0,), tuple(range(1, len(run.parameters))))) for run in twins]
    try:
        examination(trial, name, twins, MISTAKES[name]).run(trial)
    except Failure as failure:
        failure.message += " (with parameters that have equal values)"
        raise
    try:
        examination(trial, name, apart).run(trial)
    except Failure as failure:
        failure.message = f"{name}: two optimisers at once disturb each other; {failure.message}"
        failure.help = (
            "state belongs to the object: make it in __init__, not on the class or in a default argument"
        )
        raise


def _hygiene(name: str, trial: Trial) -> None:
    """Look at what `values` has seen; short runs tell, where something is wrong or nothing was seen."""
    seen = trial.seen("trajectory")
    if not seen or any(_is_changed(reply) for _, reply in seen):
        short = [draw_run(trial.source, settings, steps=3) for settings in every_setting(name, trial.source)]
        seen = [*((run, ask(trial, name, run)) for run in short), *seen]
    for run, reply in seen:
        _demand_unchanged(name, run, reply)
    _defaults(name, trial)


def _is_changed(reply: Reply) -> bool:
    return bool(reply.values.get("touched")) or any(array.dtype != np.float32 for array in reply.arrays)


def _demand_unchanged(name: str, run: Run, reply: Reply) -> None:
    for i, array in enumerate(reply.arrays):
        if array.dtype != np.float32:
            raise Failure(
                f"{name}.step: parameter {i} turns {array.dtype}; it was float32",
                help="numpy scalars, np.sqrt(2) say, make float64 of float32; Python floats do not",
                counterexample=shown(name, run),
                group="dtype",
            )
    if reply.values.get("touched"):
        raise Failure(
            f"{name}.step: the gradient of parameter {reply.values['touched'][0]} is changed",
            help="leave p.grad as it is: `g = p.grad + weight_decay * p` in a name of its own",
            counterexample=shown(name, run),
            group="changed",
        )


def _defaults(name: str, trial: Trial) -> None:
    """Leave out what has a default, now that it is right where it is given.

    After the first step the gradients are small, so that it matters for how long that step is remembered.
    """
    steps = tuple((min(t, 1),) for t in range(STEPS))
    start, gradients = single(np.array([1.0, -0.5])), [np.array([1.0, -1.0]), np.array([0.125, 0.125])]
    run = Run((start,), tuple(single(g) for g in gradients), steps, DEFAULTS)
    try:
        examination(trial, name, [run]).run(trial)
    except Failure as failure:
        listed = ", ".join(f"{keyword}={getattr(DEFAULTS, keyword):g}" for keyword in KEYWORDS[name])
        failure.message = f"{name}: the defaults are not those of the starter; {failure.message}"
        failure.help = f"the starter has `{listed}`"
        raise


def _eps(trial: Trial) -> None:
    cases = []
    for eps in (0.25, 0.5, 1.0):
        run = draw_run(trial.source, Settings(0.5, beta1=0.5, beta2=0.75, eps=eps), steps=STEPS)
        zero = tuple(np.where(np.arange(g.size).reshape(g.shape) == 0, 0, g) for g in run.gradients)
        cases.append(replace(run, gradients=tuple(single(g) for g in zero)))
    examination(trial, "Adam", cases, mistakes_adam.EPSILON).run(trial)
