"""Probes of modules: build one, write its parameters, run it in a mode, differentiate, look inside."""

from __future__ import annotations

import difflib
import weakref
from typing import Any

import numpy as np

from grader.worker import describe, load, memory, trace
from grader.worker.ops import Answer, Arrays, changed_positions, tensor


def run(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run a module once per entry of `steps` and return outputs, attributes and gradients.

    `arguments`: `module` (see `build`), `seed`, `written` (names of attributes that get the first arrays,
    in the shapes the submission made), `steps` (the mode and the number of inputs of each call), `read`
    (names of attributes to return), `gradients` (attributes whose gradient is wanted; the last array is the
    cotangent of the last output, and the gradient of that call's first input comes first), `trace`.
    """
    module = build(submission, arguments["module"], arguments.get("seed"))
    names = arguments.get("written", [])
    shapes = [write(module, name, array) for name, array in zip(names, arrays, strict=False)]
    rest = [tensor(submission, array) for array in arrays[len(names) :]]
    given, widened = list(rest), None
    outputs, inputs = [], []
    for mode, count in arguments["steps"]:
        getattr(module, mode)()
        inputs, rest = rest[:count], rest[count:]
        if arguments.get("trace"):
            with trace.recording(submission) as nodes:
                outputs.append(module(*inputs))
            widened = _widened(nodes)
        else:
            outputs.append(module(*inputs))
    mode = arguments["steps"][-1][0]
    out = [describe.array(one, f"the output in {mode}") for one in outputs]
    out += [describe.array(attribute(module, name), name) for name in arguments.get("read", [])]
    if "gradients" in arguments:
        outputs[-1].backward(rest[0])
        wanted = [("the input", inputs[0]), *((n, attribute(module, n)) for n in arguments["gradients"])]
        out += [_gradient(name, value) for name, value in wanted]
    moved = changed_positions(given, arrays[len(names) :])
    return {"shapes": [list(shape) for shape in shapes], "changed": moved, "widened": widened}, out


def inspect(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build a module; return its parameters by name, the kind of the named attributes, and their values.

    `arrays` pass through it in training before.
    """
    module = build(submission, arguments["module"], arguments.get("seed"))
    for array in arrays:
        module(tensor(submission, array))
    names = {id(value): name for name, value in vars(module).items()}
    shown = [*arguments["attributes"], *(n for n, v in vars(type(module)).items() if isinstance(v, property))]
    names |= {id(getattr(module, name, None)): name for name in shown}
    parameters = [{"name": names.get(id(one), "?"), "shape": list(one.shape)} for one in module.parameters()]
    values = [attribute(module, name) for name in arguments["attributes"]]
    kinds = [type(value).__name__ for value in values]
    return {"parameters": parameters, "kinds": kinds}, [
        describe.array(value, name) for name, value in zip(arguments["attributes"], values, strict=True)
    ]


def modes(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build nested modules; return each one's `training` after `eval()` and `train()` by its path."""
    module = build(submission, arguments["module"])
    found: dict[str, list[Any]] = {path: [] for path, _ in _walk(module, "module")}
    for switch in ("eval", "train"):
        getattr(module, switch)()
        for path, one in _walk(module, "module"):
            found.setdefault(path, []).append(getattr(one, "training", None))
    return {"training": found, "parameters": len(module.parameters())}, []


def growth(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run forward and backward on each array in training; return the nodes alive after each step.

    Also returns the module's attributes that hold a node with inputs, and lines that made living nodes.
    """
    module = build(submission, arguments["module"])
    module.train()
    counts: list[int] = []
    watched: list[Any] = []
    with memory.collector_off():
        for array in arrays:
            with trace.recording(submission) as nodes:
                module(tensor(submission, array)).backward()
            watched += [(weakref.ref(node.value), node.as_dict()) for node in nodes]
            nodes.clear()
            memory.collect()
            watched = [one for one in watched if one[0]() is not None]
            counts.append(max(len(watched), len(memory.new_nodes(submission))))
    names = [name for name, value in vars(module).items() if getattr(value, "inputs", None)]
    lines = [place for _, place in watched if place["op"]]
    return {"alive": counts, "holders": names, "lines": lines[:4]}, []


def build(submission: load.Submission, what: Any, seed: int | None = None) -> Any:
    """Return a module from its description, seeding numpy first if a seed is given.

    `{"class": name, "arguments": [...]}` is a class of `needle.nn` or one of the grader's own (see
    `_own`); lists, `{"tuple": [...]}` and `{"dict": {...}}` hold further descriptions.
    """
    if seed is not None:
        np.random.seed(seed)
    return _built(submission, _own(submission), what)


def _built(submission: load.Submission, own: dict[str, Any], what: Any) -> Any:
    if isinstance(what, list):
        return [_built(submission, own, one) for one in what]
    if not isinstance(what, dict):
        return what
    if "tuple" in what:
        return tuple(_built(submission, own, one) for one in what["tuple"])
    if "dict" in what:
        return {name: _built(submission, own, one) for name, one in what["dict"].items()}
    name = what["class"]
    made = own[name] if name in own else submission.find(f"needle.nn.{name}")
    keywords = {key: _built(submission, own, one) for key, one in what.get("keywords", {}).items()}
    return made(*[_built(submission, own, one) for one in what.get("arguments", [])], **keywords)


def _own(submission: load.Submission) -> dict[str, Any]:
    """Return small modules of the grader's, so that a fault of a container is a fault of nothing else."""
    base = submission.find("needle.nn.Module")
    parameter = submission.find("needle.nn.Parameter")

    class Scale(base):  # type: ignore[misc, valid-type]
        """`x` times a number."""

        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def forward(self, x: Any) -> Any:
            return x * self.by

    class Shift(Scale):
        """`x` plus a number."""

        def forward(self, x: Any) -> Any:
            return x + self.by

    class Square(base):  # type: ignore[misc, valid-type]
        """`x` times itself."""

        def forward(self, x: Any) -> Any:
            return x * x

    class Holder(base):  # type: ignore[misc, valid-type]
        """A module with one parameter and any attribute."""

        def __init__(self, held: Any = None) -> None:
            super().__init__()
            self.held = held
            self.weight = parameter(np.ones((2, 2), dtype=np.float32))

        def forward(self, x: Any) -> Any:
            return x

    return {"own.Scale": Scale, "own.Shift": Shift, "own.Square": Square, "own.Holder": Holder}


def attribute(module: Any, name: str) -> Any:
    """Return an attribute; raises `Unusable` with the nearest name there is when it is missing."""
    if hasattr(module, name):
        return getattr(module, name)
    close = difflib.get_close_matches(name, list(vars(module)), 1, 0.6)
    meant = f"; did you mean {close[0]}?" if close else ""
    raise describe.Unusable(f"{name} is missing{meant}")


def write(module: Any, name: str, array: np.ndarray) -> tuple[int, ...]:
    """Give an attribute, a Tensor or an array, other values in the shape it has; return that shape."""
    now = attribute(module, name)
    shape = tuple(describe.array(now, name).shape)
    if int(np.prod(shape)) != array.size:
        raise describe.Unusable(f"{name} has shape {shape}, expected {array.shape}")
    values = array.reshape(shape)
    if hasattr(now, "realize_cached_data"):
        now.cached_data = values
    else:
        setattr(module, name, values)
    if not np.array_equal(describe.array(attribute(module, name), name), values):
        _write_behind(module, name, values)
    return shape


def _write_behind(module: Any, name: str, values: np.ndarray) -> None:
    """Write a property that makes a new object of some array or Tensor each time: to what it is made of."""
    for held in list(vars(module).values()):
        is_tensor = hasattr(held, "realize_cached_data")
        array = held.realize_cached_data() if is_tensor else held
        if getattr(array, "shape", None) == values.shape:
            kept = array.copy()
            array[...] = values
            if np.array_equal(describe.array(attribute(module, name), name), values):
                return
            array[...] = kept
    raise describe.Unusable(f"{name} is a property that cannot be written")


def _gradient(name: str, value: Any) -> np.ndarray:
    if getattr(value, "grad", None) is None:
        raise describe.Unusable(
            f"{name} gets no gradient: it is not connected to the output (is it cut off by `.data` or "
            "`.detach()`?)"
        )
    return describe.array(value.grad, f"the gradient of {name}")


def _widened(nodes: list[trace.Node]) -> dict[str, Any] | None:
    """Return the first node of more than float32 whose inputs are none."""
    for node in nodes:
        data = getattr(node.value, "cached_data", None)
        before = [getattr(one, "cached_data", None) for one in getattr(node.value, "inputs", None) or []]
        if str(getattr(data, "dtype", "")) == "float64" and not any(
            str(getattr(one, "dtype", "")) == "float64" for one in before
        ):
            return node.as_dict()
    return None


def _walk(value: Any, path: str) -> list[tuple[str, Any]]:
    """Return modules with their paths: the value itself, then those in its attributes and containers."""
    if isinstance(value, dict):
        return [one for key, held in value.items() for one in _walk(held, f"{path}[{key!r}]")]
    if isinstance(value, (list, tuple)):
        return [one for i, held in enumerate(value) for one in _walk(held, f"{path}[{i}]")]
    if not hasattr(value, "forward"):
        return []
    inner = [one for name, held in vars(value).items() for one in _walk(held, f"{path}.{name}")]
    return [(path, value), *inner]


PROBES = {"nn.run": run, "nn.inspect": inspect, "nn.modes": modes, "nn.growth": growth}
