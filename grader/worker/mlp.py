"""Probes of the network in `apps/mlp_resnet.py`: its parameters, outputs, and the nodes it keeps."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import describe, load, memory, trace
from grader.worker.mlp_training import descent
from grader.worker.ops import Answer, Arrays, tensor


def structure(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build a network; return the shapes of its parameters in order, and how many are different objects."""
    model, made = _build(submission, arguments)
    parameters = _parameters(model, made, arguments["shapes"])
    shapes = [list(np.shape(one.realize_cached_data())) for one in parameters]
    return {"shapes": shapes, "distinct": len({id(one) for one in parameters})}, []


def forward(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build a network, fill its parameters, run it on each `(batch, ...)` input.

    Returns the parameters, then the outputs.

    The parameters get values from a generator seeded with `seed`, in the shapes that they have.
    `mode` is "train" or "eval"; numpy's global generator is seeded with 1, 2, ... before the runs. With
    `watch` the calls of `nn.Dropout` too: each one's `p` among the values, its input behind the outputs.
    """
    model, made = _build(submission, arguments)
    rng = np.random.RandomState(arguments["seed"])
    parameters = _parameters(model, made, arguments["shapes"])
    for one in parameters:
        one.cached_data = _drawn(rng, np.shape(one.realize_cached_data()))
    values = [describe.array(one, "a parameter") for one in parameters]
    getattr(model, "eval" if arguments["mode"] == "train" else "train")()
    getattr(model, arguments["mode"])()
    outputs: Arrays = []
    calls: list[tuple[float | None, np.ndarray]] = []
    with _dropouts(submission, calls) if arguments.get("watch") else contextlib.nullcontext():
        for number, array in enumerate(arrays, 1):
            np.random.seed(number)
            outputs.append(describe.array(model(tensor(submission, array)), "the output"))
    facts = {"p": [p for p, _ in calls]} if arguments.get("watch") else {}
    return facts, [*values, *outputs, *(array for _, array in calls)]


@contextlib.contextmanager
def _dropouts(submission: load.Submission, calls: list[tuple[float | None, np.ndarray]]) -> Iterator[None]:
    """Note the `p` and the input of each call of the submission's Dropout inside the block."""
    dropout = submission.find("needle.nn.Dropout")
    original = dropout.forward

    def noted(module: Any, x: Any) -> Any:
        p = getattr(module, "p", None)
        number = float(p) if isinstance(p, (int, float)) else None
        calls.append((number, np.array(describe.array(x, "the input of Dropout"))))
        return original(module, x)

    dropout.forward = noted
    try:
        yield
    finally:
        dropout.forward = original


def _parameters(model: Any, made: list[Any], shapes: list[list[int]]) -> list[Any]:
    """Return the parameters in the order of the data, which `shapes` tells.

    That is the order of `parameters()`, or, where attributes have another order, the one they were made in.
    """
    listed = model.parameters()
    places = {id(one): place for place, one in enumerate(made)}
    orders = [listed, sorted(listed, key=lambda one: places.get(id(one), len(made)))]
    ordered = [_weights_first(model, order) for order in orders]
    fitting = [order for order in ordered if [_vector(one) for one in order] == shapes]
    return [*fitting, *ordered][0]


def _vector(parameter: Any) -> list[int]:
    """Return a parameter's shape, that of a vector written as `(1, n)` as `(n,)`."""
    shape = [int(size) for size in np.shape(parameter.realize_cached_data())]
    return shape[1:] if len(shape) == 2 and shape[0] == 1 else shape


def _weights_first(model: Any, parameters: list[Any]) -> list[Any]:
    """Return parameters with the weight before the bias in each layer, whichever was made first there."""
    owners: dict[int, tuple[int, str]] = {}
    for module in [model, *model._children()]:
        for name, value in vars(module).items():
            owners.setdefault(id(value), (id(module), name))
    ordered: list[Any] = []
    for owner, group in itertools.groupby(parameters, lambda one: owners.get(id(one), (0, ""))[0]):
        layer = list(group)
        is_pair = owner and sorted(owners[id(one)][1] for one in layer) == ["bias", "weight"]
        ordered += sorted(layer, key=lambda one: owners[id(one)][1], reverse=True) if is_pair else layer
    return ordered


def _drawn(rng: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Return values that neither vanish nor explode: matrices by their height, vectors around 0.5."""
    scale = 1.5 / np.sqrt(shape[0]) if len(shape) > 1 and shape[0] > 1 else 1.0
    shift = 0.5 if scale == 1.0 else 0.0
    return (rng.uniform(-1, 1, shape) * scale + shift).astype(np.float32)


def _build(submission: load.Submission, arguments: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Return the model, and all nodes that were made for it, in order."""
    function = submission.find(f"mlp_resnet.{arguments['function']}")
    norm = getattr(submission.find("needle.nn"), arguments["norm"])
    with trace.recording(submission) as nodes:
        model = function(*arguments["sizes"], norm=norm, **arguments["keywords"])
    if not isinstance(model, submission.find("needle.nn.Module")):
        kind = "None" if model is None else f"a {type(model).__name__}"
        raise describe.Unusable(f"{arguments['function']} returned {kind}, not a Module")
    return model, [node.value for node in nodes]


def growth(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run a network on each `(batch, dim)` input, in training with a step; return the nodes alive after each.

    `mode` is "train" or "eval". The optimiser is the grader's own; the loss the sum of the outputs' squares.
    """
    model, _ = _build(submission, arguments)
    getattr(model, arguments["mode"])()
    optimiser = descent(submission, model.parameters(), 2.0**-10)
    watch = memory.Watch(submission)
    with watch.on():
        for watch.step, array in enumerate(arrays, 1):
            _pass(submission, model, optimiser if arguments["mode"] == "train" else None, array)
            watch.read()
        roots = [
            *watch.owners([model]),
            *memory.shared_roots(submission, {type(one) for one in model._children()}),
        ]
        account = watch.account(roots, watch.step - 2) if watch.grows() else {}
    return {"alive": watch.readings, **account}, []


def _pass(submission: load.Submission, model: Any, optimiser: Any, array: np.ndarray) -> None:
    out = model(tensor(submission, array))
    if optimiser is not None:
        optimiser.reset_grad()
        (out * out).sum().backward()
        optimiser.step()


PROBES = {"mlp.structure": structure, "mlp.forward": forward, "mlp.growth": growth}
