"""The table of hw2's modules, but for the normalisations and Dropout, which have files of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import dropout_checks, layouts, nn_layer, norm_checks
from grader.homework.check import Check
from grader.homework.nn_given import dtype_check, modules_check
from grader.homework.nn_layer import Layer, single
from grader.homework.nn_params import Shapes, demand_listing, inspected
from grader.homework.nn_sample import Sample
from grader.homework.trial import Trial
from grader.judge import compare
from grader.judge.failure import Failure
from grader.judge.source import Source, plain, shape_of
from grader.oracle import init, mistakes_nn
from grader.oracle import nn as truth
from grader.oracle.ops import relu

STEPS = [("own.Scale", 2.0), ("own.Shift", 3.0), ("own.Square", 0.0), ("own.Scale", -0.5)]
SEEDED_SHAPES = [(3, 2), (2, 5), (4, 4), (1, 3), (2, 2)]


def _sample(
    source: Source, call: tuple[Any, ...], x: np.ndarray, out: tuple[int, ...], **more: Any
) -> Sample:
    cotangent = single(source.values(out, -2.0, 2.0, 0.25))
    return Sample(call, (single(x),), more.get("written", {}), more.get("settings", ()), cotangent)


def _linear_of(source: Source, batch: int, rows: int, columns: int, bias: bool) -> Sample:
    written = {"weight": single(source.values((rows, columns), -2.0, 2.0, 0.25))}
    if bias:
        written["bias"] = single(source.values((columns,), -2.0, 2.0, 0.25))
    call = (rows, columns) if bias else (rows, columns, False)
    x = source.values((batch, rows), -2.0, 2.0)
    return _sample(source, call, x, (batch, columns), written=written)


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


def _plain_of(shape: tuple[int, ...], out: tuple[int, ...], source: Source) -> Sample:
    return _sample(source, (), source.values(shape, -2.0, 2.0, 0.25), out)


def _flat(source: Source, shape: tuple[int, ...]) -> Sample:
    return _plain_of(shape, (shape[0], math.prod(shape[1:])), source)


FLATTEN = Layer(
    "Flatten",
    truth.flatten,
    lambda source: [_flat(source, shape) for shape in [(2, 2, 2), (1, 2, 3), (3, 2), (2, 2, 1, 2), (2, 1)]],
    lambda source: _flat(source, shape_of(source, 2, 4)),
    forward_mistakes=mistakes_nn.FLATTEN,
)


def _same_shape(source: Source, shape: tuple[int, ...]) -> Sample:
    return _plain_of(shape, shape, source)


RELU = Layer(
    "ReLU",
    relu,
    lambda source: [_same_shape(source, shape) for shape in [(2, 2), (3, 1), (2, 3, 2)]],
    lambda source: _same_shape(source, layouts.unary(source)[0][0] or (1,)),
    forward_mistakes=mistakes_nn.RELU,
)


def _chain_of(source: Source, steps: tuple[tuple[str, float], ...], shape: tuple[int, ...]) -> Sample:
    x = source.values(shape, -2.0, 2.0, 0.25)
    return _sample(source, tuple(_spoken(steps)), x, shape, settings=(steps,))


def _spoken(steps: Any) -> list[str]:
    return [f"{name.removeprefix('own.').lower()} {number:g}".removesuffix(" 0") for name, number in steps]


def _chain_draw(source: Source, most: int = 4) -> Sample:
    steps = tuple(source.choice(STEPS) for _ in range(source.integer(1, most)))
    return _chain_of(source, steps, shape_of(source, 2, 2))


def _inner(one: Sample) -> list[dict[str, Any]]:
    """Return the chain's modules as the probe builds them."""
    made = []
    for name, number in one.settings[0]:
        made.append({"class": name, "arguments": [] if name == "own.Square" else [number]})
    return made


SEQUENTIAL = Layer(
    "Sequential",
    truth.affine_chain,
    lambda source: [
        _chain_of(source, tuple(STEPS[i:j]), (2, 2)) for i, j in [(0, 2), (0, 4), (1, 4), (0, 1)]
    ],
    _chain_draw,
    forward_mistakes=mistakes_nn.SEQUENTIAL,
    module=lambda one: {"class": "Sequential", "arguments": _inner(one)},
)

RESIDUAL = Layer(
    "Residual",
    truth.residual,
    lambda source: [_chain_of(source, (one,), (2, 2)) for one in STEPS],
    partial(_chain_draw, most=1),
    forward_mistakes=mistakes_nn.RESIDUAL,
    module=lambda one: {"class": "Residual", "arguments": _inner(one)},
)


def _loss_of(source: Source, n: int, k: int) -> Sample:
    labels = np.array([source.integer(0, k - 1) for _ in range(n)])
    logits = single(source.values((n, k), -3.0, 3.0))
    return Sample((), (logits, labels), {}, (), single(source.values((), -2.0, 2.0, 0.25)))


def _far_loss(source: Source) -> Sample:
    """Return a loss of about 100: exp(100) is more than float32 holds."""
    one = _loss_of(source, 2, 3)
    logits, labels = one.inputs[0].copy(), np.maximum(one.inputs[1], 1)
    logits[:, 0] += 100
    return replace(one, inputs=(logits, labels))


SOFTMAX_LOSS = Layer(
    "SoftmaxLoss",
    truth.cross_entropy,
    lambda source: [
        *(_loss_of(source, n, k) for n, k in [(2, 3), (3, 3), (1, 4), (4, 2)]),
        _far_loss(source),
    ],
    lambda source: _loss_of(source, source.integer(1, 4), source.integer(2, 5)),
    forward_mistakes=mistakes_nn.SOFTMAX_LOSS,
)


def modules(question: str) -> tuple[Check, ...]:
    """Return the checks of all nine modules, and of the modes."""
    return (
        *_linear_first(question),
        *nn_layer.checks(LINEAR, question),
        dtype_check(question, "Linear", (2, 3), ("weight", "bias")),
        *nn_layer.checks(FLATTEN, question),
        *nn_layer.checks(RELU, question),
        *nn_layer.checks(SEQUENTIAL, question),
        modules_check(question),
        *nn_layer.checks(SOFTMAX_LOSS, question),
        *norm_checks.batch_norm(question),
        *norm_checks.layer_norm(question),
        *dropout_checks.dropout(question),
        *nn_layer.checks(RESIDUAL, question),
        *_modes(question),
    )


def _linear_first(question: str) -> list[Check]:
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


def _modes(question: str) -> list[Check]:
    make = partial(Check, question, "modes", target="needle.nn.Module")
    needs = (f"{question}.Sequential.forward", f"{question}.Residual.forward")
    return [
        make("switch", "train() and eval() reach every nested module", _switch, needs=needs, weight=2.0),
        make("parameters", "parameters() finds those of every nested module", _nested, needs=needs),
    ]


def _holder(held: Any = None) -> dict[str, Any]:
    return {"class": "own.Holder", "arguments": [held]}


NESTED = _holder(
    {
        "dict": {
            "list": [_holder(), [_holder()]],
            "tuple": {"tuple": [_holder(), {"class": "Sequential", "arguments": [_holder()]}]},
            "residual": {"class": "Residual", "arguments": [_holder()]},
            "inner": {"dict": {"deep": _holder(_holder())}},
        }
    }
)
HOLDERS = 8


def _switch(trial: Trial) -> None:
    training = trial.ask("nn.modes", {"module": NESTED}, []).values["training"]
    for mode, place, right in (("eval", 0, False), ("train", 1, True)):
        missed = [path for path, flags in training.items() if len(flags) != 2 or flags[place] is not right]
        if missed:
            raise Failure(
                f"Module.{mode}() does not reach {missed[0]}: its training is not {right}",
                help="modules are found in attributes, and in lists, tuples and dicts at any depth",
                group="modes",
                expected=right,
                actual=training[missed[0]],
            )


def _nested(trial: Trial) -> None:
    found = trial.ask("nn.modes", {"module": NESTED}, []).values["parameters"]
    if found != HOLDERS:
        raise Failure(
            f"Module.parameters() finds {found} parameters, expected {HOLDERS}, in lists, tuples and dicts",
            group="parameters",
        )
