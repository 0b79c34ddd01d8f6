"""What blame wants to know of a submission's sources: shared attributes, edits of what was given, places."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from grader.worker import load

Answer = tuple[dict[str, Any], list[np.ndarray]]
Function = ast.FunctionDef
# Fields of the syntax that change nothing of what it does.
WORDING = ("returns", "annotation", "kind", "type_comment")


def sharing(submission: load.Submission, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Answer:
    """Return those of some classes of which one method alone cannot be replaced.

    `classes` maps a path to the attributes that the other methods read. An attribute that one method
    other than `__init__` sets and another one reads is private to the class; so is the state of a class
    that does not have those attributes.
    """
    nodes = {name: node for name, node in _definitions(submission) if isinstance(node, ast.ClassDef)}
    found = []
    for path, read in json.loads(arrays[0].tobytes()).items():
        node = nodes.get(path.rpartition(".")[2])
        if node is not None and (_shares(node) or not _made(node).issuperset(read)):
            found.append(path)
    return {"sharing": found}, []


def edited(submission: load.Submission, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Answer:
    """Return which of some definitions (name, source; JSON in an array of bytes) are others here.

    Wording does not count: docstrings, comments, annotations. What is missing here is not an edit.
    """
    asked = {name: ast.parse(source).body for name, source in json.loads(arrays[0].tobytes())}
    here: dict[str, list[ast.stmt]] = {}
    for name, node in _definitions(submission):
        if name in asked:
            here.setdefault(name, []).append(node)
    found = [
        name
        for name, theirs in asked.items()
        if name in here and not all(any(_same(one, node) for node in here[name]) for one in theirs)
    ]
    return {"edited": found}, []


def places(submission: load.Submission, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Answer:
    """Return where the functions and classes at some paths are defined, None for what is not here."""
    return {"places": [_place(submission, path) for path in arguments["paths"]]}, []


def _place(submission: load.Submission, path: str) -> dict[str, Any] | None:
    return submission.definition(path) or submission.definition(full_path(path))


def full_path(path: str) -> str:
    """Return the path of what a package does not hand on, `_private` of `from .module import *`.

    The package has to be imported. What is not below it keeps its path.
    """
    package, _, name = path.rpartition(".")
    for below, module in list(sys.modules.items()):
        if below.startswith(f"{package}.") and name in vars(module):
            return f"{below}.{name}"
    return path


def _definitions(submission: load.Submission) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for tree in submission.trees.values():
        yield from _named(tree.body, "")


def _named(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from _named(node.body, f"{prefix}{node.name}.")


def _shares(node: ast.ClassDef) -> bool:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    made = {one.name: _attributes(one, ast.Store) for one in methods if one.name != "__init__"}
    return any(
        made[one.name] & _attributes(other, ast.Load)
        for one in methods
        if one.name in made
        for other in methods
        if other is not one
    )


def _made(node: ast.ClassDef) -> set[str]:
    """Return the attributes that a class has: set in its methods, or its methods themselves."""
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    return {one.name for one in methods}.union(*(_attributes(one, ast.Store) for one in methods))


def _attributes(method: Function, context: type[ast.expr_context]) -> set[str]:
    """Return the attributes of `self` that a method sets, or reads."""
    first = method.args.args[0].arg if method.args.args else ""
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, context)
        and isinstance(node.value, ast.Name)
        and node.value.id == first
    }


def _same(ours: Any, theirs: Any) -> bool:
    """Tell whether two pieces of syntax do the same, apart from what is only wording."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, list):
        left, right = ([one for one in side if not _is_text(one)] for side in (ours, theirs))
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(ours, ast.AST):
        return all(
            _same(getattr(ours, name, None), getattr(theirs, name, None))
            for name in ours._fields
            if name not in WORDING
        )
    return bool(ours == theirs)


def _is_text(node: Any) -> bool:
    """Tell whether a statement is a docstring, or holds the place of one."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


PROBES = {"blame.sharing": sharing, "blame.edited": edited, "blame.places": places}
