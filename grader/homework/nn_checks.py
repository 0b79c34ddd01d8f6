"""The table of hw2's modules, but for the normalisations and Dropout, which have files of their own."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import dropout_checks, layouts, linear_checks, nn_layer_checks, norm_checks
from grader.homework.check import Check
from grader.homework.nn_given import dtype_check, modules_check
from grader.homework.nn_layer import Layer
from grader.homework.nn_sample import Sample, sample, single
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.source import Source, shape_of
from grader.oracle import mistakes_nn
from grader.oracle import nn as truth
from grader.oracle.ops import relu

STEPS = [("own.Scale", 2.0), ("own.Shift", 3.0), ("own.Square", 0.0), ("own.Scale", -0.5)]


def _plain_of(shape: tuple[int, ...], out: tuple[int, ...], source: Source) -> Sample:
    return sample(source, (), source.values(shape, -2.0, 2.0, 0.25), out)


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
    return sample(source, tuple(_spoken(steps)), x, shape, settings=(steps,))


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
        *linear_checks.first(question),
        *nn_layer_checks.checks(linear_checks.LINEAR, question),
        dtype_check(question, "Linear", (2, 3), ("weight", "bias")),
        *nn_layer_checks.checks(FLATTEN, question),
        *nn_layer_checks.checks(RELU, question),
        *nn_layer_checks.checks(SEQUENTIAL, question),
        modules_check(question),
        *nn_layer_checks.checks(SOFTMAX_LOSS, question),
        *norm_checks.batch_norm(question),
        *norm_checks.layer_norm(question),
        *dropout_checks.dropout(question),
        *nn_layer_checks.checks(RESIDUAL, question),
        *_modes(question),
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
