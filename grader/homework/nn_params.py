"""The parameters of a module held against the list that the homework asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import plain
from grader.sandbox.channel import Reply

Shapes = dict[str, list[tuple[int, ...]]]


def inspected(
    trial: Trial,
    name: str,
    call: tuple[Any, ...],
    attributes: tuple[str, ...],
    inputs: Sequence[np.ndarray] = (),
) -> Reply:
    """Return a module's parameters, kinds and values of attributes, once `inputs` passed in training."""
    module = {"class": name, "arguments": plain(call)}
    asked = {"module": module, "attributes": list(attributes), "seed": 1}
    reply = trial.ask("nn.inspect", asked, list(inputs))
    reply.values["attributes"] = dict(zip(attributes, reply.values["kinds"], strict=True))
    return reply


def demand_listing(name: str, reply: Reply, right: Shapes) -> None:
    """Raise a failure unless the parameters have the right names and shapes (any of those listed)."""
    found = [(one["name"], tuple(one["shape"])) for one in reply.values["parameters"]]
    for attribute, kind in reply.values["attributes"].items():
        if attribute in right and kind != "Parameter" and attribute not in dict(found):
            raise Failure(
                f"{name}.{attribute} is a {kind}, expected a Parameter: it is never trained",
                group="parameters",
                **_beside(found, right),
            )
    surplus = [attribute for attribute, _ in found if attribute not in right]
    missing = [attribute for attribute in right if attribute not in dict(found)]
    wrong = [attribute for attribute, shape in found if shape not in right.get(attribute, [shape])]
    if surplus or missing or wrong or len(found) != len(right):
        raise Failure(
            f"{name} has the parameters {_listed(found)}, expected {_listed(_first(right))}",
            help=_advice(surplus, missing),
            group="parameters",
            **_beside(found, right),
        )


def _advice(surplus: list[str], missing: list[str]) -> str:
    if any(name.startswith("running") for name in surplus):
        return "running statistics are plain Tensors: no optimiser may change them"
    if surplus:
        return f"{surplus[0]} is not to be trained"
    return f"{missing[0]} is missing among parameters()" if missing else ""


def _first(right: Shapes) -> list[tuple[str, tuple[int, ...]]]:
    return [(name, shapes[0]) for name, shapes in right.items()]


def _listed(found: list[tuple[str, tuple[int, ...]]]) -> str:
    return (
        words.listing(
            [f"{name} {shape}" for name, shape in sorted(found, key=lambda one: one[0] != "weight")]
        )
        or "none"
    )


def _beside(found: list[tuple[str, tuple[int, ...]]], right: Shapes) -> dict[str, Any]:
    return {"expected": _listed(_first(right)), "actual": _listed(found)}


def demand_start(name: str, reply: Reply, constants: dict[str, float], dim: int) -> None:
    """Raise a failure unless each attribute holds one number `dim` times, in float32."""
    for (attribute, constant), array in zip(constants.items(), reply.arrays, strict=True):
        if array.shape not in ((dim,), (1, dim)):
            raise Failure(f"{name}.{attribute} has shape {array.shape}, expected ({dim},)", group="shape")
        if not np.all(array == constant):
            raise Failure(
                f"{name}.{attribute} starts at {array.ravel()[0]:.6g}, expected {constant:g}",
                group="start",
                actual=words.excerpt(array),
            )
        if array.dtype != np.float32:
            raise Failure(f"{name}.{attribute} is {array.dtype}, expected float32", group="dtype")
