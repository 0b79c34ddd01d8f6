"""Probe that puts a small change of one of the submission's functions in the place of the function."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from grader.worker import load
from grader.worker.mutants import Edit, Function, edits
from grader.worker.substitute import Source, put

Listed = tuple[Function, Edit]
_changed: list[Function] = []  # the function that stands in another form in this process


def mutate(
    submission: load.Submission, arguments: dict[str, Any], arrays: list[np.ndarray]
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Make change `number` of the function at `file` and `line`, or of a method beside it.

    `path` is the function's (`needle.optim.Adam.step`). Returns how many changes there are, up to `most`, and
    the line of this one, 0 if it cannot be made.
    """
    listed = _listed(submission, arguments["file"], arguments["line"], arguments["most"])
    if arguments["number"] >= len(listed):
        return {"count": len(listed), "line": 0}, []
    function, edit = listed[arguments["number"]]
    owner = arguments["path"].rpartition(".")[0]
    try:
        for other in _changed:
            if other is not function:
                _put(submission, owner, other)
        _changed[:] = [function]
        with edit.made():
            _put(submission, owner, function)
    except (SyntaxError, ValueError, TypeError, AttributeError, ImportError, RecursionError):
        return {"count": len(listed), "line": 0}, []
    return {"count": len(listed), "line": edit.line}, []


def _put(submission: load.Submission, owner: str, function: Function) -> None:
    put(submission, f"{owner}.{function.name}", Source(ast.unparse(function), "", {}))


@lru_cache(maxsize=1)
def _listed(submission: load.Submission, file: str, line: int, most: int) -> list[Listed]:
    return list(itertools.islice(_found(submission.trees.get(file), line), most))


def _found(tree: ast.Module | None, line: int) -> Iterator[Listed]:
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            if any(_begins(one, line) for one in methods) or node.lineno == line:
                methods.sort(key=lambda one: not _begins(one, line))
                yield from _of(methods, _attributes(node))
                return
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and _begins(node, line):
            yield from _of([node], [])
            return


def _of(functions: list[Function], attributes: list[str]) -> Iterator[Listed]:
    for function in functions:
        for edit in edits(function, attributes):
            yield function, edit


def _begins(function: Function, line: int) -> bool:
    return line in {function.lineno, *(one.lineno for one in function.decorator_list)}


def _attributes(node: ast.ClassDef) -> list[str]:
    """Return the attributes that a class sets on `self`."""
    stored = (
        one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    )
    return list(
        dict.fromkeys(
            one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self"
        )
    )


PROBES = {"blame.mutate": mutate}
