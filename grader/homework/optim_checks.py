"""The checks of the optimisers: trajectories over ten steps, skipped parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import growth_checks, run_checks
from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination, demand
from grader.homework.optim_run import BETAS, DECAYS, RATES, STEPS, Run, draw_run, single
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import mistakes_adam, mistakes_optim
from grader.oracle import optim as truth
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.optim import Settings
from grader.sandbox.channel import Reply

RULES = {"SGD": truth.sgd, "Adam": truth.adam}
KEYWORDS = {
    "SGD": ("lr", "momentum", "weight_decay"),
    "Adam": ("lr", "beta1", "beta2", "eps", "weight_decay"),
}
MISTAKES = {"SGD": mistakes_optim.SGD, "Adam": mistakes_adam.ADAM}
DEFAULTS = Settings(lr=0.01)


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
        make("none", "parameters without gradient are skipped", partial(_none, name), needs=first),
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


def _settings(name: str, source: Source) -> list[Settings]:
    """Return every combination of momentum (or betas) and weight decay, each with a rate."""
    if name == "SGD":
        return [Settings(source.choice(RATES), m, decay) for m in (0.0, 0.9, 0.5) for decay in DECAYS]
    return [
        Settings(source.choice(RATES), weight_decay=decay, beta1=b1, beta2=b2)
        for b1, b2 in BETAS
        for decay in DECAYS
    ]


def _ask(trial: Trial, name: str, run: Run) -> Reply:
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


def _right(name: str, run: Run, clock: Any = None) -> list[np.ndarray]:
    more = {"clock": clock} if clock else {}
    return truth.trajectory(RULES[name], run.parameters, run.table(), run.settings, **more)


def _examination(
    trial: Trial, name: str, cases: Sequence[Run], mistakes: Sequence[Mistake] = (), **more: Any
) -> Examination[Run]:
    return Examination(
        function=f"{name}.step",
        cases=cases,
        right=lambda run: _right(name, run),
        names=[],
        shown=partial(_shown, name),
        question=lambda run: Question(run.parameters, (run.settings, run.table())),
        mistakes=mistakes,
        size=Run.size,
        extra=SINGLE,
        **{
            "ask": lambda run: _ask(trial, name, run).arrays,
            "demand": partial(_demand, name, _right),
            **more,
        },
    )


def _demand(
    name: str, right: Callable[[str, Run], list[np.ndarray]], run: Run, mine: Sequence[np.ndarray]
) -> None:
    """Compare trajectories step by step, so that the first wrong step is the one that is told."""
    _same_kind(name, run, mine)
    expected = right(name, run)
    scales = [float(np.max(np.abs(array))) for array in expected]  # what was added up, not what is left of it
    for t in range(len(run.rows)):
        for i, (array, wanted) in enumerate(zip(mine, expected, strict=False)):
            what = f"{name}.step: parameter {i} after step {t + 1}"
            demand([array[t]], [wanted[t]], [what], extra=SINGLE, scale=scales[i])


def _same_kind(name: str, run: Run, mine: Sequence[np.ndarray]) -> None:
    if len(mine) != len(run.parameters):
        raise Failure(f"{name}.step: {len(mine)} parameters came back, expected {len(run.parameters)}")
    for i, (array, given) in enumerate(zip(mine, run.parameters, strict=True)):
        if array.shape != (len(run.rows), *given.shape):
            raise Failure(f"{name}.step: parameter {i} has another shape than before", group="shape")


def _values(name: str, trial: Trial) -> None:
    def ask(run: Run) -> list[np.ndarray]:
        reply = _ask(trial, name, run)
        trial.remember("trajectory", (run, reply))
        return reply.arrays

    source = trial.source
    plain = [draw_run(source, settings, steps=STEPS) for settings in _settings(name, source)]
    more = [draw_run(source, steps=STEPS) for _ in range(2)]
    held = [draw_run(source, settings, steps=STEPS, hold=True) for settings in _settings(name, source)[-2:]]
    cases = [*plain, *more, *held]
    _examination(trial, name, cases, MISTAKES[name], draw=draw_run, ask=ask).run(trial)


def _state(name: str, trial: Trial) -> None:
    settings = _settings(name, trial.source)[-1]
    twins = [draw_run(trial.source, settings, steps=STEPS, twins=True) for _ in range(2)]
    apart = [replace(run, groups=((0,), tuple(range(1, len(run.parameters))))) for run in twins]
    try:
        _examination(trial, name, twins, MISTAKES[name]).run(trial)
    except Failure as failure:
        failure.message += " (with parameters that have equal values)"
        raise
    try:
        _examination(trial, name, apart).run(trial)
    except Failure as failure:
        failure.message = f"{name}: two optimisers at once disturb each other; {failure.message}"
        failure.help = (
            "state belongs to the object: make it in __init__, not on the class or in a default argument"
        )
        raise


def _none(name: str, trial: Trial) -> None:
    """Skip one parameter always, the others at times; t may count steps or a parameter's own steps."""
    for settings in _settings(name, trial.source)[1:]:
        run = draw_run(trial.source, settings, steps=STEPS, twins=True)
        one = replace(run, rows=tuple(_holes(t, row) for t, row in enumerate(run.rows)))
        _examination(trial, name, [one], _SKIPPING[name], demand=partial(_demand_skipped, name)).run(trial)


def _holes(t: int, row: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return tuple(None if i == 0 or (t + i) % 4 == 1 else n for i, n in enumerate(row))


def _demand_skipped(name: str, run: Run, mine: Sequence[np.ndarray]) -> None:
    _same_kind(name, run, mine)
    for i, (array, given) in enumerate(zip(mine, run.parameters, strict=False)):
        for t, row in enumerate(run.rows):
            before = given if t == 0 else array[t - 1]
            if row[i] is None and not np.array_equal(array[t], before):
                raise Failure(
                    f"{name}.step: parameter {i} changes in step {t + 1}, though its gradient is None",
                    help="skip a parameter whose grad is None: weight decay and momentum rest too",
                    expected=words.excerpt(before),
                    actual=words.excerpt(array[t]),
                    group="skipped",
                )
    try:
        _demand(name, _right, run, mine)
    except Failure:
        if name != "Adam":
            raise
        _demand(name, partial(_right, clock=lambda t, position, own: own), run, mine)


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


_SKIPPING = {
    name: [
        Mistake(
            f"{name.lower()}-none-as-zero",
            "a parameter whose grad is None is treated as if its gradient were 0: it has to be skipped",
            _as_zero(rule),
        )
    ]
    for name, rule in RULES.items()
}


def _hygiene(name: str, trial: Trial) -> None:
    """Look at what `values` has seen; short runs tell, where something is wrong or nothing was seen."""
    seen = trial.seen("trajectory")
    if not seen or any(_is_changed(reply) for _, reply in seen):
        short = [draw_run(trial.source, settings, steps=3) for settings in _settings(name, trial.source)]
        seen = [*((run, _ask(trial, name, run)) for run in short), *seen]
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
                counterexample=_shown(name, run),
                group="dtype",
            )
    if reply.values.get("touched"):
        raise Failure(
            f"{name}.step: the gradient of parameter {reply.values['touched'][0]} is changed",
            help="leave p.grad as it is: `g = p.grad + weight_decay * p` in a name of its own",
            counterexample=_shown(name, run),
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
        _examination(trial, name, [run]).run(trial)
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
    _examination(trial, "Adam", cases, mistakes_adam.EPSILON).run(trial)


def _shown(name: str, run: Run) -> dict[str, Any]:
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
