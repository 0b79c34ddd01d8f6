"""Finds edits of the scaffold's own classes that touch what the memory questions measure by.

Real starters of several years differ from ours in wording, so sources are not compared line by line: what a
definition *touches* is (the counter of tensors, equality, `__del__`, `detach`, `numpy()`, the collector), and
what the handout touches too is no edit. Type hints, docstrings and further methods touch nothing.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.worker import load

CLASSES = frozenset(
    "Value Tensor TensorTuple Op TensorOp TensorTupleOp Module Parameter Optimizer".split(),  # noqa: SIM905
)
NODES = frozenset({"Tensor", "TensorTuple", "Parameter"})
EQUALITY = frozenset({"__eq__", "__ne__", "__hash__", "__bool__", "__getattribute__", "__class__"})
READERS = frozenset({"detach", "numpy", "realize_cached_data"})
CONSTRUCTORS = frozenset({"_init", "__new__"})  # of a class below Value; what makes nodes counts them
MAKERS = CONSTRUCTORS | {"__init__", "make_const", "make_from_op"}
COUNTER = "TENSOR_COUNTER"
COLLECTOR = frozenset({"gc", "weakref"})
# what starters of some year call there, and what cannot hide anything
HARMLESS = frozenset(
    {"make_const", "realize_cached_data", "compute", "numpy", "cpu", "isinstance", "len", "tuple"}
    | {"NotImplementedError"}
)
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop)
MOST = 20


@dataclass(frozen=True)
class Touch:
    """What is touched, by which definition or statement; the line does not count when two are compared."""

    what: str
    how: str


def edits(
    submission: load.Submission, arguments: dict[str, Any], arrays: list[np.ndarray]
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return what the submission's sources touch and the handout's (JSON in an array of bytes) do not.

    Counting that the handout does and the submission does not is an edit too.
    """
    given = {touch for text in json.loads(arrays[0].tobytes()) for touch, _ in touches(ast.parse(text))}
    found, seen, classes = [], set(), set()
    for name, tree in submission.trees.items():
        classes |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        for touch, line in touches(tree):
            seen.add(touch)
            if touch not in given:
                found.append({"file": name, "line": line, "what": touch.what, "how": touch.how})
    for touch in sorted(given - seen, key=lambda one: one.how):
        if touch.what == COUNTER and touch.how.partition(".")[0] in classes:
            found.append({"file": "", "line": 0, "what": touch.what, "how": f"no longer {touch.how}"})
    return {"edits": found[:MOST]}, []


def touches(tree: ast.Module) -> Iterator[tuple[Touch, int]]:
    """Yield what a source touches, and the lines."""
    for node, owner in _owned(tree, ""):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _imports(node)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
            yield from _assignment(node, owner)
        elif isinstance(node, ast.Call):
            yield from _patch(node)
        if isinstance(node, ast.FunctionDef):
            yield from _method(node, owner)


def _owned(tree: ast.Module, owner: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes of a source, level by level, each with the definition that it stands in."""
    waiting: list[tuple[ast.AST, str]] = [(tree, owner)]
    for node, owner in waiting:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            owner = f"{owner}.{node.name}".strip(".")
        below = [(child, owner) for child in ast.iter_child_nodes(node) if not isinstance(child, LEAVES)]
        yield from below
        waiting += below


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[Touch, int]]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    for name in names:
        if name in COLLECTOR:
            yield Touch("the collector", f"imports {name}"), node.lineno


def _assignment(node: ast.Assign | ast.AugAssign | ast.Delete, owner: str) -> Iterator[tuple[Touch, int]]:
    for target in _single([node.target] if isinstance(node, ast.AugAssign) else node.targets):
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name == COUNTER and (owner or isinstance(target, ast.Attribute)):
            sign = type(node.op).__name__ if isinstance(node, ast.AugAssign) else "set"
            yield Touch(COUNTER, f"{owner} counts ({sign})".strip()), node.lineno
        if (
            isinstance(target, ast.Attribute)
            and _class(target.value)
            and name in EQUALITY | READERS | MAKERS | {"__del__"}
        ):
            yield Touch(name, f"replaces {_class(target.value)}.{name}"), node.lineno
        if owner in CLASSES and name in EQUALITY | {"__del__"}:
            yield Touch("equality", f"defines {owner}.{name}"), node.lineno


def _single(targets: Sequence[ast.expr]) -> Iterator[ast.expr]:
    """Yield what is assigned to, one by one: `a` and `b` of `a, b = ...`."""
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from _single(target.elts)
        else:
            yield target.value if isinstance(target, ast.Starred) else target


def _patch(node: ast.Call) -> Iterator[tuple[Touch, int]]:
    """Yield `setattr(Tensor, "numpy", ...)` and the like."""
    is_setting = isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr")
    if is_setting and node.args and _class(node.args[0]):
        yield Touch("setattr", f"replaces attributes of {_class(node.args[0])}"), node.lineno


def _class(node: ast.expr) -> str:
    """Return the name of the scaffold's class that an expression names, "" if it names none."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name if name in CLASSES else ""


def _method(node: ast.FunctionDef, owner: str) -> Iterator[tuple[Touch, int]]:
    if owner not in CLASSES:
        return
    if node.name in EQUALITY:
        yield Touch("equality", f"defines {owner}.{node.name}"), node.lineno
    if node.name in CONSTRUCTORS and owner in NODES:
        yield Touch("counting", f"defines {owner}.{node.name}"), node.lineno
    if node.name == "__del__" and owner != "Value":
        yield Touch("__del__", f"defines {owner}.__del__"), node.lineno
    if node.name in READERS | {"__del__"}:
        for name in sorted(_called(node) - HARMLESS - CLASSES):
            yield Touch(node.name, f"{owner}.{node.name} calls {name}"), node.lineno


def _called(node: ast.FunctionDef) -> set[str]:
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return {
        one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "a computed name") for one in calls
    }


PROBES = {"survey.scaffold": edits}
