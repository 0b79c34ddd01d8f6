"""The row of Linear, and what is asked of its parameters: shapes, first values, the order of the draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from grader.homework.check import Check
from grader.homework.nn_layer import Layer
from grader.homework.nn_params import Shapes, demand_listing, inspected
from grader.homework.nn_sample import Sample, sample, single
from grader.homework.trial import Trial
from grader.judge import compare
from grader.judge.failure import Failure
from grader.judge.source import Source, plain
from grader.oracle import init, mistakes_nn
from grader.oracle import nn as truth

SEEDED_SHAPES = [(3, 2), (2, 5), (4, 4), (1, 3), (2, 2)]


def _linear_of(source: Source, batch: int, rows: int, columns: int, bias: bool) -> Sample:
    written = {"weight": single(source.values((rows, columns), -2.0, 2.0, 0.25))}
    if bias:
        written["bias"] = single(source.values((columns,), -2.0, 2.0, 0.25))
    call = (rows, columns) if bias else (rows, columns, False)
    x = source.values((batch, rows), -2.0, 2.0)
    return sample(source, call, x, (batch, columns), written=written)


def _linear_draw(source: Source) -> Sample:
    batch, rows, columns = (source.integer(1, 4) for _ in range(3))
    return _linear_of(source, batch, rows, columns, bias=bool(source.integer(0, 3)))


def _linear_samples(source: Source) -> list[Sample]:
    sizes = [(2, 3, 4), (3, 3, 3), (1, 2, 3), (4, 2, 1)]
    return [_linear_of(source, *one, bias=True) for one in sizes] + [_linear_of(source, 2, 3, 3, bias=False)]


LINEAR = Layer(
    "Linear",
    truth.linear,
    _linear_samples,
    _linear_draw,
    trained=("weight", "bias"),
    forward_mistakes=mistakes_nn.LINEAR,
    gradient_mistakes=mistakes_nn.LINEAR_GRADIENT,
)


def first(question: str) -> list[Check]:
    """Return the checks of what a new Linear holds."""
    make = partial(Check, question, "Linear", target="needle.nn.Linear")
    return [
        make("parameters", "weight and bias are its Parameters", _linear_parameters, weight=2.0),
        make(
            "init",
            "weight and bias start from kaiming_uniform",
            _linear_init,
            needs=("init.kaiming_uniform.values",),
        ),
        make(
            "order",
            "the weight is drawn first, then the bias",
            _linear_order,
            weight=0.0,
            needs=(f"{question}.Linear.init",),
        ),
    ]


def _linear_parameters(trial: Trial) -> None:
    for rows, columns in [(2, 3), (3, 1), (2, 2)]:
        right: Shapes = {"weight": [(rows, columns)], "bias": [(1, columns), (columns,)]}
        reply = inspected(trial, "Linear", (rows, columns), ("weight", "bias"))
        demand_listing("Linear", reply, right)
        _demand_shapes(reply.arrays, rows, columns)
        _demand_drawn(reply.arrays[0])
        bare = inspected(trial, "Linear", (rows, columns, False), ())
        demand_listing("Linear(bias=False)", bare, {"weight": [(rows, columns)]})


def _demand_shapes(arrays: Sequence[np.ndarray], rows: int, columns: int) -> None:
    """Raise a failure for a weight or bias that is not as large as it is said to be."""
    for name, array, right in zip(("weight", "bias"), arrays, ((rows, columns), (columns,)), strict=True):
        if array.shape not in (right, (1, *right)):
            raise Failure(f"Linear.{name} has shape {array.shape}, expected {right}", group="shape")


def _demand_drawn(weight: np.ndarray) -> None:
    """Raise a failure for a weight that cannot be trained: one number everywhere, or not float32."""
    if weight.dtype != np.float32:
        raise Failure(f"Linear.weight is {weight.dtype}, expected float32", group="dtype")
    if not np.all(np.isfinite(weight)) or np.ptp(weight) == 0:
        raise Failure(
            f"Linear.weight starts at {weight.ravel()[0]:.6g} everywhere, expected random numbers",
            help="with equal weights all units stay equal: draw them with init.kaiming_uniform",
            group="start",
        )


def _linear_drawn(trial: Trial, seed: int, rows: int, columns: int) -> list[np.ndarray]:
    module = {"class": "Linear", "arguments": plain((rows, columns))}
    asked = {"module": module, "seed": seed, "attributes": ["weight", "bias"]}
    weight, bias = trial.ask("nn.inspect", asked, []).arrays
    _demand_shapes((weight, bias), rows, columns)
    return [weight, bias.reshape(-1)]


def _linear_order_found(trial: Trial, seed: int, rows: int, columns: int) -> str:
    """Return which draw came first, weight or bias; raises `Failure` when the values are neither's."""
    mine = _linear_drawn(trial, seed, rows, columns)
    for first, flag in (("weight", False), ("bias", True)):
        right = init.linear(seed, rows, columns, bias_first=flag)
        if all(compare.same(a, b, extra=1e-5) for a, b in zip(mine, right, strict=True)):
            return first
    names = mistakes_nn.linear_start(mine, seed, rows, columns)
    raise Failure(
        f"Linear: {names.says if names else 'weight and bias are not draws of kaiming_uniform'}",
        help="weight: kaiming_uniform(in_features, out_features); bias: kaiming_uniform(out_features, 1), "
        "reshaped to (1, out_features)",
        known_mistake=names.id if names else None,
        counterexample={"call": f"np.random.seed({seed}); Linear({rows}, {columns})"},
        group="init",
    )


def _linear_init(trial: Trial) -> None:
    for seed, (rows, columns) in enumerate(SEEDED_SHAPES):
        _linear_order_found(trial, seed, rows, columns)


def _linear_order(trial: Trial) -> None:
    first = _linear_order_found(trial, 0, *SEEDED_SHAPES[0])
    if first != "weight":
        raise Failure(
            "Linear draws the bias first, expected the weight first",
            known_mistake="linear-bias-drawn-first",
            help="every later random number depends on the order: yours differ from everybody's for a seed",
            group="order",
        )
