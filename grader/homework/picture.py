"""What the picture of a graph shows: which model or op is drawn, and what its worker tells of it.

A worker's answer is taken apart into plain numbers and short texts here; nothing else goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.homework import carried, log_checks
from grader.homework.op import Case, Op
from grader.judge.source import seeded
from grader.report.model import CheckResult
from grader.sandbox.channel import Raised, Reply, Worker, WorkerFault

NORMS = {"graph_batchnorm": "BatchNorm1d", "graph_layernorm": "LayerNorm1d", "graph": ""}
STEPS = 6
SETTLED = 2  # after this many steps every state exists
MOST_BYTES = 4 << 20
MOST = 4000  # nodes, inputs, holders
LONGEST = 120
SECONDS = 10.0
OPS = {op.name: op for op in (*carried.OPS, *log_checks.OPS)}
Fresh = Callable[[], AbstractContextManager[Worker]]


class NoPicture(Exception):
    """The worker has no graph to draw; says why."""


@dataclass(frozen=True)
class Subject:
    """What is drawn: a training step of Linear, the norm, ReLU, Linear; or one op, when it is named."""

    optimiser: str = "Adam"
    norm: str = "BatchNorm1d"
    op: str = ""

    @property
    def model(self) -> str:
        """Return the model in words."""
        return ", ".join(one for one in ("Linear", self.norm, "ReLU", "Linear") if one)


def subject(results: Iterable[CheckResult]) -> Subject:
    """Return what the failed checks make worth drawing: a leak before a budget; else the Adam model."""
    failed = [one.id.split(".") for one in results if one.verdict == "failed"]
    for question, name, kind in (parts for parts in failed if len(parts) == 3):
        if question == "optim" and name in ("SGD", "Adam") and kind in NORMS:
            return Subject(name, NORMS[kind])
        if question == "nn" and kind == "graph" and name in NORMS.values():
            return Subject(norm=name)
    for _, name, kind in (parts for parts in failed if len(parts) == 3):
        op = kind if name == "graph" else name if kind == "graph" else ""
        if op in OPS:
            return Subject(op=op)
    return Subject()


def collect(results: Iterable[CheckResult], fresh: Fresh, reference: Fresh | None) -> dict[str, Any]:
    """Return the picture as plain data; `fresh` and `reference` give new workers.

    Raises `NoPicture` where the submission's code has no graph to show.
    """
    chosen = subject(results)
    trained = _trained(chosen, fresh)
    drawn = _widest(chosen.op, fresh) if chosen.op else trained
    alive = trained["alive"]
    growth = (alive[-1] - alive[SETTLED - 1]) / (len(alive) - SETTLED) if len(alive) > SETTLED else 0.0
    return {
        **drawn,
        "model": chosen.model,
        "optimiser": chosen.optimiser,
        "subject": chosen.op,
        "alive": alive,
        "growth": max(growth, 0.0),
        "reference": _reference(chosen, reference),
        "budgets": {name: op.gradient_nodes for name, op in OPS.items()},
    }


def _trained(chosen: Subject, fresh: Fresh) -> dict[str, Any]:
    rng = np.random.default_rng(STEPS)
    batches = [rng.uniform(-1, 1, (3, 4)).astype(np.float32) for _ in range(STEPS)]
    keywords = {"momentum": 0.9} if chosen.optimiser == "SGD" else {"beta1": 0.5}
    arguments = {
        "class": chosen.optimiser,
        "norm": chosen.norm,
        "keywords": {"lr": 0.125, "weight_decay": 0.25, **keywords},
    }
    return _asked(fresh, "picture.step", arguments, batches)


def _reference(chosen: Subject, fresh: Fresh | None) -> list[int] | None:
    try:
        return None if fresh is None else _trained(chosen, fresh)["alive"]
    except NoPicture:
        return None


def _widest(name: str, fresh: Fresh) -> dict[str, Any]:
    """Return the picture of an op on that corner case whose gradient makes most nodes."""
    op = OPS[name]
    pictures = [_asked_gradient(op, case, fresh) for case in op.cases(seeded(0, name), random=0)]
    return max(pictures, key=lambda one: len(one["nodes"]))


def _asked_gradient(op: Op, case: Case, fresh: Fresh) -> dict[str, Any]:
    return _asked(fresh, "picture.gradient", op.arguments(case), [*case.inputs, case.cotangent])


def _asked(fresh: Fresh, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> dict[str, Any]:
    try:
        with fresh() as worker:
            worker.allow(SECONDS)
            reply: Reply = worker.ask(probe, arguments, arrays, expect=MOST_BYTES)
        return clean(json.loads(reply.arrays[0].tobytes().decode()))
    except Raised as error:
        place = (error.what.get("frames") or [{}])[-1].get("function", "the submission")
        why = "is not filled in yet" if error.what.get("unfilled") else f"raised {error.what.get('type')}"
        raise NoPicture(f"{place} {why}") from error
    except WorkerFault as error:
        raise NoPicture(str(error)) from error
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NoPicture("the worker's answer is not a graph") from error


def clean(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with every number and text in its kind and within bounds.

    Edges lead to older nodes, and to nodes that are there, only. Raises ValueError, TypeError or KeyError
    for what is no graph.
    """
    nodes = [_node(one) for one in list(answer["nodes"])[:MOST]]
    given = [{"name": _text(one["name"]), "shape": _shape(one["shape"])} for one in answer["given"][:MOST]]
    numbers = {one["n"] for one in nodes}
    for one in nodes:
        is_there = [m for m in one["inputs"] if m in numbers or -len(given) <= m < 0]
        one["inputs"] = [m for m in is_there if m < one["n"]]
        one["of"] = one["of"] if one["of"] in numbers and one["of"] < one["n"] else None
    return {
        "step": _number(answer["step"]),
        "layers": [_text(one) for one in answer["layers"][:MOST]],
        "given": given,
        "alive": [_number(one) for one in answer["alive"][:MOST]],
        "holders": [
            {"name": _text(one["name"]), "nodes": _number(one["nodes"])} for one in answer["holders"][:MOST]
        ],
        "held": [[_text(name), _number(n)] for name, n in answer["held"][:MOST] if n in numbers],
        "nodes": sorted({one["n"]: one for one in nodes}.values(), key=lambda one: one["n"]),
    }


def _node(one: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: _text(one[name]) for name in ("phase", "op", "layer", "file", "function")},
        **{name: _number(one[name]) for name in ("n", "step", "line")},
        "shape": _shape(one["shape"]),
        "inputs": [_number(n) for n in one["inputs"][:MOST]],
        "of": None if one["of"] is None else _number(one["of"]),
        "alive": one["alive"] is True,
    }


def _number(value: Any) -> int:
    if type(value) is not int or abs(value) > 1 << 40:
        raise ValueError("not a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value[:LONGEST]


def _shape(value: Any) -> list[int] | None:
    return None if value is None else [_number(n) for n in value[:16]]
