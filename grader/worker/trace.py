"""Records the graph nodes that a submission makes: op, creating function and line.

`Value._init`, through which every constructor of a Tensor goes, is wrapped while a recording is on, and so
is that of every class of nodes which has its own.
The submission's own counter (`TENSOR_COUNTER`) is never read.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grader.worker import load

# Functions of the scaffold that only pass a node on: their caller is who made it.
PLUMBING = ("Value.", "Tensor.", "TensorOp.", "TensorTuple.", "TensorTupleOp.", "Op.")


@dataclass
class Node:
    """A node made during a recording, with the place in the submission that made it."""

    value: Any
    place: dict[str, Any]

    @property
    def op(self) -> str:
        """Return the name of the op, "" for a leaf."""
        op = getattr(self.value, "op", None)
        return "" if op is None else type(op).__name__

    def as_dict(self) -> dict[str, Any]:
        """Return the node as plain data."""
        return {"op": self.op, **self.place}


@contextmanager
def recording(submission: load.Submission) -> Iterator[list[Node]]:
    """Yield the list that every node made inside the block is appended to, in order."""
    nodes: list[Node] = []

    def note(value: Any, frame: types.FrameType) -> None:
        nodes.append(Node(value, maker(submission, frame)))

    with watching(submission, note):
        yield nodes


@contextmanager
def watching(submission: load.Submission, note: Callable[[Any, types.FrameType], None]) -> Iterator[None]:
    """Call `note` with every node that is made inside the block, before it is, and its maker's frame."""
    value_class = submission.find("needle.autograd.Value")
    name = "_init" if "_init" in vars(value_class) else "__init__"
    saved = [(one, vars(one)[name]) for one in node_classes(submission) if name in vars(one)]
    begun: set[int] = set()

    def wrapped(original: Any) -> Any:
        def noted(self: Any, *arguments: Any, **keywords: Any) -> Any:
            if id(self) in begun:  # a class hands on to the one above it
                return original(self, *arguments, **keywords)
            begun.add(id(self))
            try:
                note(self, sys._getframe(1))
                return original(self, *arguments, **keywords)
            finally:
                begun.discard(id(self))

        return noted

    if not saved:
        saved = [(value_class, value_class.__init__)]
    for owner, original in saved:
        setattr(owner, name, wrapped(original))
    try:
        yield
    finally:
        for owner, original in saved:
            setattr(owner, name, original)


def node_classes(submission: load.Submission) -> list[type]:
    """Return `Value` and every class below it."""
    found = [submission.find("needle.autograd.Value")]
    for one in found:
        found += [below for below in type.__subclasses__(one) if below not in found]
    return found


def maker(submission: load.Submission, frame: types.FrameType | None) -> dict[str, Any]:
    """Return the innermost place in the submission that is not plumbing."""
    found = None
    while frame is not None:
        kind = _KINDS.get(id(frame.f_code)) or _judged(submission, frame)
        if kind == MAKES:
            found = frame
            break
        if kind == PASSES:
            found = frame
        frame = frame.f_back
    if found is None:
        return {"file": "", "line": 0, "function": ""}
    key = id(found.f_code), found.f_lasti  # the line would be looked up in a table each time
    if key not in _PLACES:
        _PLACES[key] = submission.place(found.f_code, found.f_lineno)
    return _PLACES[key]


# What is known of code objects, by identity (their hash reads all of their code); they are kept alive.
FOREIGN, PASSES, MAKES = 1, 2, 3
_KINDS: dict[int, int] = {}
_PLACES: dict[tuple[int, int], dict[str, Any]] = {}
_KEPT: list[types.CodeType] = []


def _judged(submission: load.Submission, frame: types.FrameType) -> int:
    """Tell whether a frame's code is not the submission's, only passes nodes on, or makes them."""
    code, kind = frame.f_code, FOREIGN
    if submission.owns(code.co_filename):
        name = submission.qualified(code)
        kind = PASSES if name.startswith(PLUMBING) or _is_op_function(name, frame) else MAKES
    _KINDS[id(code)] = kind
    _KEPT.append(code)
    return kind


def _is_op_function(name: str, frame: types.FrameType) -> bool:
    """Tell whether a frame is `def summation(a, axes): return Summation(axes)(a)` or the like."""
    if "." in name:
        return False
    module = frame.f_globals.get("__name__", "")
    return isinstance(module, str) and ".ops" in module and name.islower() and len(frame.f_code.co_code) < 80
