"""The probe behind the picture: the graph of a training step, and what is left of the steps before.

Within a step every new node is kept until the step is described, so that shapes and inputs can be read;
it is let go before the collector runs, so the readings are those of `optim.growth`.
"""

from __future__ import annotations

import json
import types
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.worker import load, memory, optim, trace
from grader.worker.ops import Answer, Arrays, build, tensor

MOST_NODES = 3000
Root = memory.Root


@dataclass
class Sketch:
    """Describes the nodes of a watch as plain data.

    `nodes` are described by their number in `watch.made`; an input that was there before the watch began
    has the number -1 for the first entry of `given`, -2 for the second.
    """

    watch: memory.Watch
    names: dict[int, str]  # of layers, by identity
    known: dict[int, str]  # of parameters and other tensors of the layers, by identity
    nodes: dict[int, dict[str, Any]] = field(default_factory=dict)
    given: list[dict[str, Any]] = field(default_factory=list)
    _fresh: list[tuple[int, Any, str, int | None]] = field(default_factory=list)
    _given: dict[int, int] = field(default_factory=dict)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Note which layer and which gradient each node comes from; goes inside of `Watch.on`."""

        def note(value: Any, frame: types.FrameType) -> None:
            layer, of = self._context(frame)
            self._fresh.append((len(self.watch.made), value, layer, of))  # the watch notes it next

        with trace.watching(self.watch.submission, note):
            yield

    def _context(self, frame: types.FrameType | None) -> tuple[str, int | None]:
        """Return the layer and the identity of the node whose gradient is being made."""
        layer, of = "", None
        while frame is not None:
            code = frame.f_code
            if code.co_argcount and self.watch.submission.owns(code.co_filename):
                owner = frame.f_locals.get(code.co_varnames[0])
                layer = self.names.get(id(owner), layer)
                if code.co_name == "gradient" and code.co_argcount > 2:
                    of = id(frame.f_locals.get(code.co_varnames[2]))
            frame = frame.f_back
        return layer, of

    def describe(self) -> None:
        """Describe the nodes made since the last call, and let them go."""
        numbers = numbered(self.watch)
        for number, value, layer, of in self._fresh:
            made = self.watch.made[number]
            self.nodes[number] = {
                "n": number,
                "step": made.step,
                "phase": made.phase,
                "op": _op(value),
                "shape": _shape(value),
                "inputs": [self._number(one, numbers) for one in getattr(value, "inputs", None) or ()],
                "layer": layer,
                "of": numbers.get(of) if of is not None else None,
                **made.place,
            }
        self._fresh.clear()

    def _number(self, value: Any, numbers: dict[int, int]) -> int:
        if id(value) in numbers:
            return numbers[id(value)]
        if id(value) not in self._given:
            self.given.append({"name": self.known.get(id(value), ""), "shape": _shape(value)})
            self._given[id(value)] = -len(self.given)
        return self._given[id(value)]


def numbered(watch: memory.Watch) -> dict[int, int]:
    """Return the numbers of the living nodes by their identity."""
    living = ((n, one.reference()) for n, one in enumerate(watch.made))
    return {id(value): n for n, value in living if value is not None}


def step(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Train as `optim.growth` does; describe the nodes of the last step and the living ones before it.

    Returns JSON as bytes in an array: a graph can be longer than a header. `held` are pairs of a holder's
    name and the number of a node that it refers to.
    """
    layers = optim.layers_with(submission, arguments["norm"])
    parameters = [one for layer in layers for one in layer.parameters()]
    optimiser = submission.find(f"needle.optim.{arguments['class']}")(parameters, **arguments["keywords"])
    watch = memory.Watch(submission)
    names = _numbered_names(layers)
    known = {id(v): f"{n}.{k}" for n, one in zip(names, layers, strict=True) for k, v in vars(one).items()}
    sketch = Sketch(watch, {id(one): n for n, one in zip(names, layers, strict=True)}, known)
    with watch.on(), sketch.on():
        for watch.step, array in enumerate(arrays, 1):
            optim.train(submission, layers, optimiser, array, watch)
            sketch.describe()
            watch.read()
        account = (
            _account(watch, [optimiser, *layers], parameters)
            if watch.grows()
            else {"holders": [], "held": []}
        )
    return _sent(sketch, {"layers": names, "alive": watch.readings, **account})


def gradient(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Apply an op and ask for its gradient with a cotangent (the last array); describe all nodes."""
    *inputs, cotangent = [tensor(submission, array) for array in arrays]
    names = [*"ab"[: len(inputs)], "out_grad"]
    known = {id(one): name for one, name in zip([*inputs, cotangent], names, strict=False)}
    watch = memory.Watch(submission, step=1, phase="forward")
    sketch = Sketch(watch, {}, known)
    with watch.on(), sketch.on():
        out = build(submission, arguments)(*inputs)
        sketch.describe()
        watch.phase = "backward"
        kept = out.op.gradient(cotangent, out)
        sketch.describe()
        del kept
    return _sent(sketch, {"layers": [], "alive": [], "holders": [], "held": []})


def _sent(sketch: Sketch, more: dict[str, Any]) -> Answer:
    nodes = list(_worth_drawing(sketch))[-MOST_NODES:]
    drawn = {"step": sketch.watch.step, "given": sketch.given, **more, "nodes": nodes}
    return {}, [np.frombuffer(json.dumps(drawn).encode(), np.uint8)]


def _numbered_names(layers: list[Any]) -> list[str]:
    """Return "Linear 1", "ReLU", "Linear 2": numbers only where a name comes twice."""
    plain = [type(layer).__name__ for layer in layers]
    counts, seen = Counter(plain), Counter[str]()
    names = []
    for name in plain:
        seen[name] += 1
        names.append(f"{name} {seen[name]}" if counts[name] > 1 else name)
    return names


def _worth_drawing(sketch: Sketch) -> Iterator[dict[str, Any]]:
    living = set(numbered(sketch.watch).values())
    for number, node in sketch.nodes.items():
        node["alive"] = number in living
        if node["alive"] or node["step"] == sketch.watch.step:
            yield node


def _account(watch: memory.Watch, owners: list[Any], parameters: list[Any]) -> dict[str, Any]:
    shared = memory.shared_roots(watch.submission, {type(one) for one in owners})
    roots = [*watch.owners(owners), *shared]
    numbers = numbered(watch)
    fences = {id(one) for one in (*owners, *parameters)}  # a moment's key is a parameter, with its own grad
    held = [(name, n) for name, value in roots for n in _held(value, numbers, fences)]
    return {"holders": watch.account(roots, watch.step - 1)["holders"], "held": sorted(set(held))}


def _held(root: Any, numbers: dict[int, int], fences: set[int]) -> Iterator[int]:
    """Yield the nodes that are met first on the walk from a root."""
    seen, queue = {id(root)}, deque([root])
    while queue:
        value = queue.popleft()
        if id(value) in numbers:
            yield numbers[id(value)]
            continue
        for inner in memory.inside(value):
            closed = id(inner) in fences or isinstance(inner, memory.CLOSED)
            if id(inner) not in seen and not closed:
                seen.add(id(inner))
                queue.append(inner)


def _op(value: Any) -> str:
    op = getattr(value, "op", None)
    return "" if op is None else type(op).__name__


def _shape(value: Any) -> list[int] | None:
    """Return the shape of what is computed already, None for what is not."""
    shape = getattr(getattr(value, "cached_data", None), "shape", None)
    return [int(n) for n in shape] if isinstance(shape, tuple) else None


PROBES = {"picture.step": step, "picture.gradient": gradient}
