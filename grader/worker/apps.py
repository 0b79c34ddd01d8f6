"""Probes of `apps/simple_ml.py`: the loss and the training epoch on needle Tensors."""

from __future__ import annotations

import weakref
from typing import Any

from grader.worker import describe, load, memory, trace
from grader.worker.ops import Answer, Arrays, tensor


def softmax_loss(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Return the loss of logits and one-hot labels, its shape, and with `gradient` its gradient for Z."""
    logits, one_hot = (tensor(submission, array) for array in arrays)
    loss = submission.find("simple_ml.softmax_loss")(logits, one_hot)
    if not isinstance(loss, submission.find("needle.autograd.Tensor")):
        raise describe.Unusable(f"softmax_loss returned a {type(loss).__name__}, not a Tensor")
    out = [describe.array(loss, "the loss")]
    if arguments.get("gradient"):
        loss.backward()
        if logits.grad is None:
            raise describe.Unusable("Z.grad is None after loss.backward(): the loss is not connected to Z")
        out.append(describe.array(logits.grad, "Z.grad"))
    return {}, out


def nn_epoch(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run one epoch; return the new weights, whether the inputs changed, and nodes alive after it."""
    images, labels, *weights = arrays
    first, second = (tensor(submission, weight) for weight in weights)
    function = submission.find("simple_ml.nn_epoch")
    with memory.collector_off():
        with trace.recording(submission) as nodes:
            result = function(images, labels, first, second, arguments["lr"], arguments["batch"])
        alive, lines = _alive(nodes)
        alive = max(alive, len(memory.new_nodes(submission)))
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise describe.Unusable(f"nn_epoch returned {_kind(result)}, not (W1, W2)")
    out = [describe.array(one, f"W{i + 1}") for i, one in enumerate(result)]
    tensor_class = submission.find("needle.autograd.Tensor")
    kinds = [_kind(one) for one in result if not isinstance(one, tensor_class)]
    return {"kinds": kinds, "alive": alive, "made": len(nodes), "lines": lines}, [*out, images, labels]


def _alive(nodes: list[trace.Node]) -> tuple[int, list[dict[str, Any]]]:
    """Drop the recording's own references, collect, and count the nodes that something still holds."""
    watched = [(weakref.ref(node.value), node.as_dict()) for node in nodes]
    nodes.clear()
    memory.collect()
    alive = [place for reference, place in watched if reference() is not None]
    distinct = {(place["file"], place["line"]): place for place in alive}
    return len(alive), list(distinct.values())[:32]


def _kind(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


PROBES = {"apps.softmax_loss": softmax_loss, "apps.nn_epoch": nn_epoch}
