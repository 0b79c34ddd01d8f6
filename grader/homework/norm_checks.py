"""The checks of BatchNorm1d and LayerNorm1d."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import nn_layer_checks
from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.nn_given import dtype_check
from grader.homework.nn_layer import TERMS, Layer
from grader.homework.nn_params import Shapes, demand_listing, demand_start, inspected
from grader.homework.nn_sample import Sample, single
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source, plain
from grader.oracle import mistakes_norm, mistakes_running
from grader.oracle import nn as truth
from grader.oracle.mistakes import Question

EPSILONS = (1e-5, 0.5, 0.125)
MOMENTA = (0.1, 0.25, 0.75)
AFFINE: Shapes = {name: [(3,), (1, 3)] for name in ("weight", "bias")}
STATISTICS = ("running_mean", "running_var")
SHAPES = [(3, 3), (2, 3), (4, 2), (5, 4), (2, 2), (3, 2)]


def spread(source: Source, batch: int, dim: int, axis: int) -> np.ndarray:
    """Return values `(batch, dim)` whose variance along `axis` is far from 0, with a mean far from 0.

    Neighbours along the axis differ by at least 1, so that no division magnifies roundings.
    """
    x = source.values((batch, dim), -0.75, 0.75)
    waves = np.where(np.arange((batch, dim)[axis]) % 2, 1.25, -1.25)
    offset = source.values((1, dim) if axis == 0 else (batch, 1), -2.0, 2.0, 0.5)
    return x + offset + (waves[:, None] if axis == 0 else waves[None, :])


def _affine(source: Source, dim: int) -> dict[str, np.ndarray]:
    names = ("weight", "bias")
    return {name: single(source.values((dim,), -2.0, 2.0, 0.5)) for name in names}


def _norm_of(source: Source, batch: int, dim: int, eps: float, *, axis: int) -> Sample:
    x = single(spread(source, batch, dim, axis))
    call = (dim,) if eps == EPSILONS[0] else (dim, eps)
    cotangent = single(source.values((batch, dim), -2.0, 2.0, 0.25))
    return Sample(call, (x,), _affine(source, dim), (eps,), cotangent)


def _norm_samples(axis: int, source: Source) -> list[Sample]:
    cases = [(shape, EPSILONS[i % 3]) for i, shape in enumerate(SHAPES)]
    return [_norm_of(source, *shape, eps, axis=axis) for shape, eps in cases]


def _norm_draw(axis: int, source: Source) -> Sample:
    sizes = (source.integer(2, 5), source.integer(2, 5))
    return _norm_of(source, *sizes, source.choice(EPSILONS), axis=axis)


def _in_eval(source: Source, sample: Sample) -> Sample:
    dim = sample.call[0]
    mean = single(source.values((dim,), -1.0, 1.0, 0.25))
    var = single(source.values((dim,), 0.5, 2.0, 0.5))
    written = sample.written | dict(zip(STATISTICS, (mean, var), strict=True))
    return replace(sample, written=written, mode="eval")


BATCH_NORM = Layer(
    "BatchNorm1d",
    truth.batch_norm,
    partial(_norm_samples, 0),
    partial(_norm_draw, 0),
    trained=("weight", "bias"),
    kept=STATISTICS,
    forward_mistakes=mistakes_norm.BATCH_NORM,
    gradient_mistakes=mistakes_norm.NORM_GRADIENT,
    factor=8.0,
)
BATCH_NORM_EVAL = Layer(
    "BatchNorm1d",
    truth.batch_norm_eval,
    lambda source: [_in_eval(source, one) for one in _norm_samples(0, source)],
    lambda source: _in_eval(source, _norm_draw(0, source)),
    trained=("weight", "bias"),
    forward_mistakes=mistakes_norm.BATCH_NORM_EVAL,
    factor=8.0,
    suffix="eval",
)
LAYER_NORM = Layer(
    "LayerNorm1d",
    truth.layer_norm,
    partial(_norm_samples, 1),
    partial(_norm_draw, 1),
    trained=("weight", "bias"),
    forward_mistakes=mistakes_norm.LAYER_NORM,
    gradient_mistakes=mistakes_norm.LAYER_NORM_GRADIENT,
    factor=8.0,
)


def batch_norm(question: str) -> tuple[Check, ...]:
    """Return the checks of BatchNorm1d."""
    make = partial(Check, question, "BatchNorm1d", target="needle.nn.BatchNorm1d")
    run = partial(make, target="needle.nn.BatchNorm1d.forward")
    first = (f"{question}.BatchNorm1d.forward",)
    return (
        make("parameters", "its Parameters are weight and bias, the statistics are not", _batch_norm_start),
        *nn_layer_checks.checks(BATCH_NORM, question),
        run("running", "the running statistics over several batches", _running, weight=2.0, needs=first),
        *nn_layer_checks.checks(BATCH_NORM_EVAL, question, needs=first),
        run("graph", "the running statistics keep no graph", _growth, weight=2.0, needs=first),
        dtype_check(question, "BatchNorm1d", (3,), ("weight", "bias", *STATISTICS)),
    )


def layer_norm(question: str) -> tuple[Check, ...]:
    """Return the checks of LayerNorm1d."""
    make = partial(Check, question, "LayerNorm1d", target="needle.nn.LayerNorm1d")
    return (
        make("parameters", "its Parameters are weight and bias", _layer_norm_start),
        *nn_layer_checks.checks(LAYER_NORM, question),
        dtype_check(question, "LayerNorm1d", (3,), ("weight", "bias")),
    )


def _batch_norm_start(trial: Trial) -> None:
    _start(trial, "BatchNorm1d", {"weight": 1, "bias": 0, "running_mean": 0, "running_var": 1})


def _layer_norm_start(trial: Trial) -> None:
    _start(trial, "LayerNorm1d", {"weight": 1, "bias": 0})


def _start(trial: Trial, name: str, constants: dict[str, float]) -> None:
    for dim in (3, 1):
        reply = inspected(trial, name, (dim,), tuple(constants))
        shapes = [(dim,), (1, dim)]
        demand_listing(name, reply, {"weight": shapes, "bias": shapes})
        demand_start(name, reply, constants, dim)


@dataclass(frozen=True)
class Batches:
    """Batches `(n, dim)` that pass in the given modes, from the given statistics.

    `usual`: the module is made without its momentum, which is then the default.
    """

    batches: tuple[np.ndarray, ...]
    modes: tuple[str, ...]
    mean: np.ndarray
    var: np.ndarray
    momentum: float
    usual: bool = False

    def size(self) -> tuple[int, ...]:
        """Order by the number of batches, then of values."""
        return len(self.batches), sum(x.size for x in self.batches)

    def training(self) -> list[np.ndarray]:
        """Return the batches that count."""
        return [x for x, mode in zip(self.batches, self.modes, strict=True) if mode == "train"]

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return mean and variance before, then the batches."""
        return (self.mean, self.var, *self.batches)


def _batches(source: Source, modes: tuple[str, ...], dim: int, momentum: float) -> Batches:
    sizes = [source.integer(2, 4) for _ in modes]
    return Batches(
        tuple(single(spread(source, n, dim, 0)) for n in sizes),
        modes,
        single(source.values((dim,), 2.25, 3.75)),  # neither is near the other, or as it is at first
        single(source.values((dim,), 1.5, 2.0)),
        momentum,
    )


RUNS = [
    ("train",),
    ("train", "train"),
    ("train", "eval", "train"),
    ("train", "train", "eval"),
    ("train",) * 4,
]


def _draw_batches(source: Source) -> Batches:
    return _batches(source, source.choice(RUNS), source.integer(1, 4), source.choice(MOMENTA))


def _running_cases(source: Source) -> list[Batches]:
    made = [_batches(source, modes, 2 + i % 2, MOMENTA[i % 3]) for i, modes in enumerate(RUNS)]
    return made + [_draw_batches(source) for _ in range(3)]


def _running(trial: Trial) -> None:
    _examine_running(trial, _running_cases(trial.source), _draw_batches)
    try:
        _examine_running(trial, [_draw_usual(trial.source)], _draw_usual)
    except Failure as failure:
        failure.message = f"BatchNorm1d: the default of momentum is not {MOMENTA[0]}; {failure.message}"
        failure.help = "the defaults in the signature of __init__ stay as the starter gives them"
        raise
    _still_plain(trial)


def _still_plain(trial: Trial) -> None:
    """Look at the parameters again after a pass in training, which replaces the statistics."""
    batch = np.array([[1, 2, 3], [3, 2, 1]], dtype=np.float32)
    reply = inspected(trial, "BatchNorm1d", (3,), tuple(AFFINE), [batch])
    try:
        demand_listing("BatchNorm1d", reply, AFFINE)
    except Failure as failure:
        failure.message += " (after a forward pass in training)"
        raise


def _draw_usual(source: Source) -> Batches:
    """Return one batch in training, with the momentum left out."""
    return replace(_batches(source, ("train",), source.integer(1, 3), MOMENTA[0]), usual=True)


def _examine_running(trial: Trial, cases: list[Batches], draw: Callable[[Source], Batches]) -> None:
    Examination(
        function="BatchNorm1d",
        cases=cases,
        ask=partial(_statistics, trial),
        right=lambda one: list(truth.running_statistics(one.mean, one.var, one.training(), one.momentum)),
        names=list(STATISTICS),
        shown=_shown_batches,
        question=lambda one: Question(one.arrays(), (one.momentum, one.modes)),
        mistakes=() if cases[0].usual else mistakes_running.RUNNING,
        draw=draw,
        size=Batches.size,
        extra=SINGLE,
        floor=TERMS,
    ).run(trial)


def _statistics(trial: Trial, one: Batches) -> list[np.ndarray]:
    dim = len(one.mean)
    given = (dim,) if one.usual else (dim, EPSILONS[0], one.momentum)
    asked = {
        "module": {"class": "BatchNorm1d", "arguments": plain(given)},
        "written": list(STATISTICS),
        "steps": [[mode, 1] for mode in one.modes],
        "read": list(STATISTICS),
    }
    arrays = trial.ask("nn.run", asked, [array.astype(np.float32) for array in one.arrays()]).arrays[-2:]
    return [array.reshape(dim) if array.shape == (1, dim) else array for array in arrays]


def _shown_batches(one: Batches) -> dict[str, Any]:
    given = "" if one.usual else f", momentum={one.momentum}"
    shown: dict[str, Any] = {"call": f"BatchNorm1d({len(one.mean)}{given})"}
    shown |= {"running_mean before": words.excerpt(one.mean), "running_var before": words.excerpt(one.var)}
    steps = enumerate(zip(one.batches, one.modes, strict=True), 1)
    return shown | {f"batch {i} ({mode})": words.excerpt(x) for i, (x, mode) in steps}


def _growth(trial: Trial) -> None:
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(4, 3)).astype(np.float32) for _ in range(6)]
    module = {"class": "BatchNorm1d", "arguments": [3]}
    values = trial.ask("nn.growth", {"module": module}, batches).values
    alive = values["alive"]
    trial.measurements |= {"nodes_alive_after_2_steps": alive[1], "nodes_alive_after_6_steps": alive[5]}
    per_step = (alive[5] - alive[1]) / 4
    if per_step > 0:
        held = [name for name in values["holders"] if name in STATISTICS] or values["holders"]
        holder = f"BatchNorm1d.{held[0]}" if held else "BatchNorm1d"
        raise Failure(
            f"{holder} keeps {per_step:g} nodes per step alive: it holds the graph of every past step",
            help="compute the running statistics from detached values (`mean.data` or `mean.detach()`)",
            location=values["lines"][0] if values["lines"] else None,
            measurements={"nodes_per_step": per_step},
            group="growth",
        )
