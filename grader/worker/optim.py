"""Probes of the optimisers: parameters after each step, and the nodes that stay alive meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.worker import describe, load, memory
from grader.worker.ops import Answer, Arrays, tensor

WIDTHS = (4, 3, 2)


def parameter(submission: load.Submission, array: np.ndarray) -> Any:
    """Return a Parameter of the submission that holds `array`."""
    made = submission.find("needle.nn.Parameter")(tensor(submission, array))
    if np.asarray(made.realize_cached_data()).dtype != array.dtype:
        made.cached_data = array.copy()
    return made


def run(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Step optimisers over parameters with given gradients; return each parameter after each step.

    `arrays` holds the parameters, then the distinct gradients; `rows` has for each step one entry per
    parameter: the number of a gradient, or None. `groups` lists the positions of the parameters that each
    optimiser has; they step in turn. Also returns which gradients changed.
    """
    count, rows = arguments["parameters"], arguments["rows"]
    parameters = [parameter(submission, array) for array in arrays[:count]]
    gradients = [tensor(submission, array) for array in arrays[count:]]
    chosen = submission.find(f"needle.optim.{arguments['class']}")
    optimisers = [chosen([parameters[i] for i in g], **arguments["keywords"]) for g in arguments["groups"]]
    steps, touched = [], set()
    for t, row in enumerate(rows, 1):
        for one, number in zip(parameters, row, strict=True):
            one.grad = None if number is None else gradients[number]
        for optimiser in optimisers:
            optimiser.step()
        steps.append([_after(one, i, t, arrays[i]) for i, one in enumerate(parameters)])
        touched |= _touched(parameters, gradients, row, arrays[count:])
    out = [np.stack(column) for column in zip(*steps, strict=True)]
    return {"touched": sorted(touched)}, out


def _after(one: Any, position: int, step: int, before: np.ndarray) -> np.ndarray:
    now = describe.array(one, f"parameter {position} after step {step}")
    if now.shape != before.shape:
        raise describe.Unusable(
            f"parameter {position} has shape {now.shape} after step {step}, and had {before.shape}"
        )
    return now


def _touched(parameters: list[Any], gradients: list[Any], row: list[Any], given: Arrays) -> set[int]:
    """Return the positions of parameters whose gradient is not what was set."""
    touched = set()
    for position, (one, number) in enumerate(zip(parameters, row, strict=True)):
        if number is None:
            changed = one.grad is not None
        else:
            values = [describe.array(g, "p.grad") for g in (one.grad, gradients[number]) if g is not None]
            changed = len(values) < 2 or not all(np.array_equal(v, given[number]) for v in values)
        if changed:
            touched.add(position)
    return touched


def growth(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Train a small model for some steps, one array per step; return the nodes alive after each.

    The model is Linear, the norm that is named (if any), ReLU, Linear; its loss the sum of the squares of
    the outputs. Also returns the nodes made per phase of the last step and, where the number grows,
    who holds nodes of past steps, and the lines that made them.
    """
    layers = layers_with(submission, arguments["norm"])
    parameters = [one for layer in layers for one in layer.parameters()]
    optimiser = submission.find(f"needle.optim.{arguments['class']}")(parameters, **arguments["keywords"])
    watch = memory.Watch(submission)
    with watch.on():
        for watch.step, array in enumerate(arrays, 1):
            train(submission, layers, optimiser, array, watch)
            watch.read()
        account = _account(watch, [optimiser, *layers]) if watch.grows() else {}
    return {"alive": watch.readings, "made": watch.phases(watch.step), **account}, []


def _account(watch: memory.Watch, owners: list[Any]) -> dict[str, Any]:
    shared = memory.shared_roots(watch.submission, {type(one) for one in owners})
    return watch.account([*watch.owners(owners), *shared], watch.step - 2)


def layers_with(submission: load.Submission, norm: str) -> list[Any]:
    """Return Linear, the norm that is named (if any), ReLU, Linear."""
    nn = submission.find("needle.nn")
    middle = [getattr(nn, norm)(WIDTHS[1])] if norm else []
    return [nn.Linear(WIDTHS[0], WIDTHS[1]), *middle, nn.ReLU(), nn.Linear(WIDTHS[1], WIDTHS[2])]


def train(submission: load.Submission, layers: list[Any], optimiser: Any, array: Any, watch: Any) -> None:
    """Do one training step on a batch; `watch` is told the phases."""
    watch.phase = "forward"
    x = tensor(submission, array)
    for layer in layers:
        x = layer(x)
    loss = (x * x).sum()
    optimiser.reset_grad()
    watch.phase = "backward"
    loss.backward()
    watch.phase = "step"
    optimiser.step()


PROBES = {"optim.run": run, "optim.growth": growth}
