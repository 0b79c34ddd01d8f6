"""The checks of one module, made from its row.

Kinds: forward (equals the oracle), gradient (for the input and every parameter, equals finite differences),
hygiene (inputs unchanged, float32 kept).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination, demand, demand_kind
from grader.homework.nn_again import after_longer, demand_narrow, demand_single, second_batch
from grader.homework.nn_layer import TERMS, Arrays, Layer, Prepared, ask, request
from grader.homework.nn_sample import Sample
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.oracle import finite
from grader.sandbox.channel import Reply

SPREAD = (
    "numpy spreads a smaller array by itself, but then nothing sums its gradient again: `ops.broadcast_to` "
    "it before it meets a larger one"
)


def checks(layer: Layer, question: str, *, needs: tuple[str, ...] = ()) -> list[Check]:
    """Return the checks of a row; `needs` must have passed before the first."""
    suffix = f"_{layer.suffix}" if layer.suffix else ""
    mode = f" in {layer.suffix}" if layer.suffix else ""
    make = partial(Check, question, layer.name, target=f"needle.nn.{layer.name}.forward")
    first = f"{question}.{layer.name}.forward{suffix}"
    return [
        make(
            f"forward{suffix}",
            f"{layer.name}'s output{mode}",
            partial(_forward, layer),
            weight=3.0,
            needs=needs,
        ),
        make(
            f"gradient{suffix}",
            f"{layer.name}'s gradients{mode}, for the input and the parameters",
            partial(_gradient, layer),
            weight=2.0,
            needs=(first,),
        ),
        make(
            f"hygiene{suffix}",
            f"{layer.name} keeps its input and float32{mode}, whatever the batch's size",
            partial(_hygiene, layer),
            needs=(first,),
        ),
    ]


def _forward(layer: Layer, trial: Trial) -> None:
    cases = layer.cases(trial.source)
    prepared = Prepared(layer, trial, cases)
    Examination(
        function=layer.name,
        cases=cases,
        ask=lambda one: _lenient(ask(layer, trial, one, prepared).arrays, layer.value(one).shape),
        right=lambda one: [layer.value(one)],
        names=[f"the output in {layer.suffix}" if layer.suffix else "the output"],
        shown=layer.shown,
        question=layer.question,
        mistakes=layer.forward_mistakes,
        draw=layer.draw,
        size=Sample.size,
        plainer=Sample.plainer,
        extra=SINGLE,
        floor=TERMS,
    ).run(trial)


def _lenient(arrays: Arrays, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return a number of shape (1,) as the scalar it stands for."""
    return [array.reshape(()) if shape == () and array.shape == (1,) else array for array in arrays]


def _gradient(layer: Layer, trial: Trial) -> None:
    cases = layer.cases(trial.source)
    prepared = Prepared(layer, trial, cases, gradient=True)
    Examination(
        function=layer.name,
        cases=cases,
        ask=lambda one: gradients(layer, trial, one, prepared),
        right=lambda one: layer.pullback(one, one.cotangent),
        names=[],
        shown=partial(layer.shown, with_cotangent=True),
        question=layer.question,
        mistakes=layer.gradient_mistakes,
        draw=layer.draw,
        size=Sample.size,
        plainer=Sample.plainer,
        extra=SINGLE + compare.DIFFERENCE,
        demand=partial(demand_gradients, layer),
    ).run(trial)


def gradients(layer: Layer, trial: Trial, one: Sample, prepared: Prepared | None = None) -> list[np.ndarray]:
    """Return the submission's gradients; a parameter's gradient may have the shape it gave the parameter."""
    reply = ask(layer, trial, one, prepared, gradient=True)
    _demand_kept(layer, one, reply)
    made = dict(zip(one.written, [tuple(shape) for shape in reply.values["shapes"]], strict=True))
    found = []
    for (name, position), array in zip(layer.differentiated(one), reply.arrays[1:], strict=True):
        right = one.arrays()[position].shape
        found.append(array.reshape(right) if position and array.shape == made[name] else array)
    return found


def _demand_kept(layer: Layer, one: Sample, reply: Reply) -> None:
    """Raise a failure if the backward pass has changed what it was given: others may hold it too."""
    changed = reply.values.get("changed") or []
    if changed:
        what = "its input" if min(changed) < len(one.inputs) else "out_grad"
        raise Failure(
            f"{layer.name}: the backward pass changes {what} in place",
            help="several nodes may share one gradient: to add to it, make a new Tensor with `+`",
            group="changed",
        )


def demand_gradients(layer: Layer, one: Sample, mine: Arrays) -> None:
    """Compare along a random direction; pay for all elements only when that fails."""
    arrays, function = one.arrays(), layer.function(one)
    for (name, position), gradient in zip(layer.differentiated(one), mine, strict=True):
        title = f"{layer.name}: the gradient of {name}"
        right_of = partial(finite.gradient, function, arrays, position, one.cotangent)
        if gradient.shape != arrays[position].shape:
            raise _of_another_shape(title, name, one, gradient, right_of())
        demand_kind(gradient, arrays[position].shape, right_of, title)
        terms = layer.factor * float(np.max(np.abs(one.cotangent), initial=0.0))
        if not _projects(function, arrays, position, one.cotangent, gradient, terms):
            right = finite.arbitrated(function, arrays, position, one.cotangent, gradient)
            scale = max(terms, float(np.max(np.abs(right), initial=0.0)))
            demand([gradient], [right], [title], extra=SINGLE + compare.DIFFERENCE, scale=scale)


def _of_another_shape(title: str, name: str, one: Sample, mine: np.ndarray, right: np.ndarray) -> Failure:
    return Failure(
        f"{title} has shape {mine.shape}, unlike {name} itself",
        help=SPREAD if mine.shape == one.cotangent.shape else "",
        expected=words.excerpt(right),
        actual=words.excerpt(mine),
        group="shape",
        arrays=(mine, right),
    )


def _projects(
    function: Callable[..., np.ndarray],
    arrays: list[np.ndarray],
    position: int,
    cotangent: np.ndarray,
    mine: np.ndarray,
    terms: float,
) -> bool:
    direction = np.random.default_rng(mine.size + position).uniform(0.5, 1.5, mine.shape)
    direction *= np.where(np.arange(mine.size).reshape(mine.shape) % 2, -1.0, 1.0)
    slope = finite.projection(function, arrays, position, direction, cotangent)
    products = mine.astype(np.float64) * direction
    scale = float(np.sum(np.abs(products))) + abs(slope) + terms
    extra = SINGLE + compare.DIFFERENCE
    return abs(float(np.sum(products)) - slope) <= compare.tolerance(
        mine, np.asarray(slope), extra=extra, scale=scale
    )


def _hygiene(layer: Layer, trial: Trial) -> None:
    cases = layer.cases(trial.source, random=1)[-3:]
    for one in cases:
        reply = ask(layer, trial, one, traced=True)
        if reply.values.get("changed"):
            raise Failure(
                f"{layer.name} changes its input in place",
                group="changed",
                counterexample=layer.shown(one),
                help="work on new tensors",
            )
        demand_single(layer.name, reply.arrays[0], reply.values.get("widened"), layer.shown(one))
        demand_narrow(layer.name, layer.kept, reply.arrays[1:])
    _second_batch(layer, trial, cases[0])


def _second_batch(layer: Layer, trial: Trial, one: Sample) -> None:
    asked = after_longer(request(layer, one), len(one.inputs))
    right = layer.value(one)
    with second_batch(layer.name, len(one.inputs[0]), layer.shown(one)):
        out = trial.ask(asked.probe, asked.arguments, asked.arrays).arrays[1:2]
        demand(_lenient(out, right.shape), [right], ["the output"], extra=SINGLE, floor=TERMS)
