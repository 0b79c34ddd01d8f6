"""Probes of one op: call it, ask for its gradient, evaluate the gradient's graph at another point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from grader.worker import describe, load, trace

Arrays = list[np.ndarray]
Answer = tuple[dict[str, Any], Arrays]


def forward(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Apply the op to the arrays; return its output and which inputs it changed."""
    tensors = [tensor(submission, array) for array in arrays]
    out = build(submission, arguments)(*tensors)
    result = describe.array(out, "the output")
    return {"changed": changed_positions(tensors, arrays)}, [result]


def gradient(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Call the op's gradient with a cotangent (the last array); return one array per input.

    Also returns the nodes that the call made, which arrays it changed, and how many gradients came.
    """
    tensors, cotangent, gradients, nodes = _gradients(submission, arguments, arrays)
    out = [describe.array(one, f"the gradient for input {i}") for i, one in enumerate(gradients)]
    changed = changed_positions([*tensors, cotangent], arrays)
    return {"nodes": [node.as_dict() for node in nodes[:64]], "made": len(nodes), "changed": changed}, out


def replay(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Evaluate the graph that `gradient` built at other inputs and another cotangent.

    The first half of `arrays` is the point where the graph is built, the second half the point where
    it is evaluated, by `compute` alone. A gradient made of tensor operations gives the gradient at the
    second point; one made of raw arrays still holds numbers of the first.
    """
    half = len(arrays) // 2
    tensors, cotangent, gradients, nodes = _gradients(submission, arguments, arrays[:half])
    values: dict[int, Any] = {
        id(leaf): other for leaf, other in zip([*tensors, cotangent], arrays[half:], strict=True)
    }
    out = [describe.array(evaluate(one, values), "the gradient") for one in gradients]
    return {"detached": _detached(nodes, gradients)}, out


def _gradients(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Any:
    *inputs, cotangent_array = arrays
    tensors = [tensor(submission, array) for array in inputs]
    out = build(submission, arguments)(*tensors)
    cotangent = tensor(submission, cotangent_array)
    with trace.recording(submission) as nodes:
        gradients = out.op.gradient(cotangent, out)
    return tensors, cotangent, as_tuple(submission, gradients), nodes


def as_tuple(submission: load.Submission, gradients: Any) -> tuple[Any, ...]:
    """Return what a `gradient` returned as a tuple, one entry per input."""
    if isinstance(gradients, (tuple, list)):
        return tuple(gradients)
    if isinstance(gradients, submission.find("needle.autograd.TensorTuple")):
        return tuple(gradients[i] for i in range(len(gradients)))
    return (gradients,)


def tensor(submission: load.Submission, array: np.ndarray) -> Any:
    """Return a leaf Tensor of the submission that holds `array` in the array's own dtype."""
    tensor_class = submission.find("needle.autograd.Tensor")
    made = tensor_class(array, dtype=str(array.dtype))
    if np.asarray(made.realize_cached_data()).dtype != array.dtype:
        made.cached_data = array.copy()
    return made


def build(submission: load.Submission, arguments: dict[str, Any]) -> Any:
    """Return the op instance; lists among its parameters become tuples."""
    op_class = submission.find(f"needle.ops.{arguments['op']}")
    return op_class(*[tuple(p) if isinstance(p, list) else p for p in arguments["parameters"]])


def evaluate(value: Any, values: dict[int, Any]) -> Any:
    """Return the raw array of a node when the leaves in `values` hold other arrays."""
    stack = [value]
    while stack:
        node = stack[-1]
        if id(node) in values:
            stack.pop()
        elif getattr(node, "op", None) is None:
            values[id(node)] = node.realize_cached_data()
        else:
            waiting = [one for one in node.inputs if id(one) not in values]
            if waiting:
                stack += waiting
            else:
                values[id(node)] = node.op.compute(*[values[id(one)] for one in node.inputs])
    return values[id(value)]


def changed_positions(tensors: Iterable[Any], arrays: Arrays) -> list[int]:
    """Return the positions of the tensors that no longer hold what they were given."""
    changed = []
    for position, (one, array) in enumerate(zip(tensors, arrays, strict=True)):
        now = np.asarray(one.realize_cached_data())
        if now.shape != array.shape or not np.array_equal(now, array, equal_nan=True):
            changed.append(position)
    return changed


def _detached(nodes: list[trace.Node], gradients: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Return the leaves that `gradient` itself made from arrays and that its results are built on."""
    reached: set[int] = set()
    stack = list(gradients)
    while stack:
        value = stack.pop()
        if id(value) not in reached:
            reached.add(id(value))
            stack += getattr(value, "inputs", None) or []
    return [node.as_dict() for node in nodes if not node.op and id(node.value) in reached][:8]


PROBES = {"op.forward": forward, "op.gradient": gradient, "op.replay": replay}
