"""Probes of `find_topo_sort` and `compute_gradient_of_variables` on graphs made of the grader's own ops.

The ops below are subclasses of the submission's `TensorOp` whose `compute` and `gradient` are ours and
right, so that a fault in a submission's op is not taken for one in its autograd.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from grader.worker import describe, load, memory, trace
from grader.worker.ops import Answer, Arrays, evaluate, tensor


def op_family(submission: load.Submission) -> dict[str, Any]:
    """Return ops by name, closed under differentiation: add, multiply, scale, sine, cosine."""
    base = submission.find("needle.autograd.TensorOp")

    class Add(base):  # type: ignore[misc,valid-type]
        def compute(self, a: Any, b: Any) -> Any:
            return a + b

        def gradient(self, out_grad: Any, node: Any) -> Any:
            return out_grad, out_grad

    class Multiply(base):  # type: ignore[misc,valid-type]
        def compute(self, a: Any, b: Any) -> Any:
            return a * b

        def gradient(self, out_grad: Any, node: Any) -> Any:
            a, b = node.inputs
            return Multiply()(out_grad, b), Multiply()(out_grad, a)

    class Scale(base):  # type: ignore[misc,valid-type]
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def compute(self, a: Any) -> Any:
            return a * self.factor

        def gradient(self, out_grad: Any, node: Any) -> Any:
            return Scale(self.factor)(out_grad)

    class Sine(base):  # type: ignore[misc,valid-type]
        def compute(self, a: Any) -> Any:
            return np.sin(a)

        def gradient(self, out_grad: Any, node: Any) -> Any:
            return Multiply()(out_grad, Cosine()(node.inputs[0]))

    class Cosine(base):  # type: ignore[misc,valid-type]
        def compute(self, a: Any) -> Any:
            return np.cos(a)

        def gradient(self, out_grad: Any, node: Any) -> Any:
            return Multiply()(out_grad, Scale(-1.0)(Sine()(node.inputs[0])))

    return {"add": Add, "multiply": Multiply, "scale": Scale, "sine": Sine, "cosine": Cosine}


def run(submission: load.Submission, program: list[list[Any]], leaves: list[Any]) -> list[Any]:
    """Build the graph of a program: instructions `[op, [input positions], parameters…]` after the leaves."""
    family = op_family(submission)
    nodes = list(leaves)
    for name, inputs, *parameters in program:
        nodes.append(family[name](*parameters)(*[nodes[i] for i in inputs]))
    return nodes


def sort(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Sort the graph of a program from some outputs; return positions in the order that came back.

    -1 stands for something that is not a node of the graph. With `count`, `steps` is how many lines
    of the submission's own functions ran, loops included: they grow like the graph, not like its paths.
    """
    find_topo_sort = submission.find("needle.autograd.find_topo_sort")
    nodes = run(submission, arguments["program"], [tensor(submission, array) for array in arrays])
    position = {id(node): i for i, node in enumerate(nodes)}
    steps = [0]
    with _counting(submission, steps) if arguments.get("count") else nullcontext():
        order = find_topo_sort([nodes[i] for i in arguments["outputs"]])
    if not isinstance(order, (list, tuple)):
        raise describe.Unusable(f"find_topo_sort returned a {type(order).__name__}, not a list")
    return {"order": [position.get(id(node), -1) for node in order[:2000]], "steps": steps[0]}, []


@contextmanager
def _counting(submission: load.Submission, steps: list[int]) -> Iterator[None]:
    """Add to `steps` the lines that the submission's own functions run inside the block.

    Lines, not instructions: Python 3.12 and later report instructions from the second call on only. The
    collector rests meanwhile: it would run `__del__` of nodes from earlier graphs.
    """

    def line(frame: types.FrameType, event: str, _: Any) -> Any:
        steps[0] += event == "line"
        return line

    def called(frame: types.FrameType, event: str, _: Any) -> Any:
        return line if submission.owns(frame.f_code.co_filename) else None

    with memory.collector_off():  # a `__del__` would be counted too
        sys.settrace(called)
        try:
            yield
        finally:
            sys.settrace(None)


def gradients(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Differentiate the last node of a program; return the gradients of its leaves (and inner nodes).

    The last array is the cotangent. `wanted` lists positions; `missing` those whose `.grad` was not set.
    With `twice`, the gradient of the first leaf is differentiated in its turn, by a second call with the
    same cotangent; the gradients are those after that call. With `again`, the gradient graph is evaluated
    at the other point that `arrays` ends with.
    """
    leaves_count = arguments["leaves"]
    leaves = [tensor(submission, array) for array in arrays[:leaves_count]]
    cotangent = tensor(submission, arrays[leaves_count])
    nodes = run(submission, arguments["program"], leaves)
    with trace.recording(submission) as made:
        _differentiate(submission, nodes[-1], cotangent, arguments.get("by", "function"))
    if arguments.get("twice") and leaves[0].grad is not None:
        _differentiate(submission, leaves[0].grad, cotangent, "function")
    found = [getattr(nodes[i], "grad", None) for i in arguments["wanted"]]
    missing = [i for i, grad in zip(arguments["wanted"], found, strict=True) if grad is None]
    present = [grad for grad in found if grad is not None]
    if arguments.get("again"):
        others = arrays[leaves_count + 1 :]
        values = {id(leaf): other for leaf, other in zip([*leaves, cotangent], others, strict=True)}
        present = [evaluate(grad, values) for grad in present]
    out = [describe.array(grad, "a gradient") for grad in present]
    return {"missing": missing, "made": len(made), "nodes": [node.as_dict() for node in made[:64]]}, out


def _differentiate(submission: load.Submission, output: Any, cotangent: Any, by: str) -> None:
    if by == "backward":
        output.backward(cotangent)
    elif by == "default":
        output.backward()
    else:
        submission.find("needle.autograd.compute_gradient_of_variables")(output, cotangent)


PROBES = {"autograd.sort": sort, "autograd.gradients": gradients}
