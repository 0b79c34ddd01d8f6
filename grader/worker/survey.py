"""Facts about a submission that grading needs first: what parses, what is imported, what is filled in.

`static` reads the syntax trees that the zygote has parsed, `imports` runs the modules, `typos` looks at
both. All of it happens outside the grader's process: hostile source can crash an interpreter.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import describe, load, scaffold

MAX_FACTS = 60
DTYPE_NAMES = ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bool")


def static(
    submission: load.Submission, arguments: dict[str, Any], _: list[np.ndarray]
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return syntax errors, imports that cannot be resolved, bodies that only raise, likely typos."""
    facts: dict[str, list[Any]] = {
        "errors": submission.errors,
        "unresolved": [],
        "only_raises": [],
        "copies": [],
    }
    for name, tree in submission.trees.items():
        nodes = _Nodes(tree)
        facts["unresolved"] += _unresolved(submission, nodes, name)
        facts["only_raises"] += _only_raises(tree, name)
        facts["copies"] += _copies(nodes, name)
    return {key: found[:MAX_FACTS] for key, found in facts.items()}, []


def imports(
    submission: load.Submission, arguments: dict[str, Any], _: list[np.ndarray]
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Import each module of `arguments["modules"]`; return what failed, and where the `paths` are defined."""
    failed = []
    for name in arguments["modules"]:
        try:
            importlib.import_module(name)
        except BaseException as error:
            failed.append({"module": name, "raised": describe.exception(submission, error)})
    places = [submission.definition(path) for path in arguments["paths"]]
    return {"failed": failed, "places": places}, []


def typos(
    submission: load.Submission, arguments: dict[str, Any], _: list[np.ndarray]
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return names and dtypes that are almost right and stand on lines that may never run."""
    found = []
    modules = {
        getattr(module, "__file__", None): module
        for module in list(sys.modules.values())
        if isinstance(module, types.ModuleType)
    }
    for name, tree in submission.trees.items():
        nodes = _Nodes(tree)
        found += [{"file": name, **typo} for typo in _dtype_typos(nodes)]
        module = modules.get(os.path.join(submission.root, name))
        if module is not None:
            found += [{"file": name, **typo} for typo in _name_typos(nodes, module)]
    return {"typos": found[:MAX_FACTS]}, []


class _Nodes(dict[type, list[Any]]):
    """All nodes of a source by their type: it is walked through once."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__()
        waiting: list[ast.AST] = [tree]
        for node in waiting:
            self.setdefault(type(node), []).append(node)
            if not isinstance(node, scaffold.LEAVES):
                waiting += ast.iter_child_nodes(node)

    def of(self, *types: type) -> list[Any]:
        """Return the nodes of these types, type by type."""
        return [node for one in types for node in self.get(one, ())]


def _imported(nodes: _Nodes) -> Iterator[tuple[ast.stmt, str, str, str]]:
    """Yield (statement, module, imported name, bound name) of the absolute imports."""
    for node in nodes.of(ast.Import):
        for alias in node.names:
            yield node, alias.name, alias.name, alias.asname or alias.name.partition(".")[0]
    for node in nodes.of(ast.ImportFrom):
        if not node.level and node.module:
            for alias in node.names:
                yield node, node.module, alias.name, alias.asname or alias.name


def _copies(nodes: _Nodes, file: str) -> Iterator[dict[str, Any]]:
    """Yield the imports that load needle under a second name, `python.needle` or `hw1.python.needle`."""
    for node, module, name, _ in _imported(nodes):
        full = f"{module}.{name}" if isinstance(node, ast.ImportFrom) else module
        if load.ALIAS.match(full) or load.ALIAS.match(module):
            yield {"file": file, "line": node.lineno, "module": full}


def _unresolved(submission: load.Submission, nodes: _Nodes, file: str) -> list[dict[str, Any]]:
    used = {node.id for node in nodes.of(ast.Name)}
    found = []
    for node, module, name, bound in _imported(nodes):
        problem = _problem(submission, module, name if isinstance(node, ast.ImportFrom) else "*")
        if problem:
            fact = {"file": file, "line": node.lineno, "module": module, "name": name}
            found.append({**fact, "problem": problem, "used": bound in used and name != "*"})
    return found


def _problem(submission: load.Submission, module: str, name: str) -> str:
    """Return "" if `module` (and `name` in a library module) can be had, else what is missing."""
    top = module.partition(".")[0]
    if load.HOMEWORK_FOLDER.match(top) or load.ALIAS.match(module) or _is_own(submission, top):
        return ""
    try:
        if importlib.util.find_spec(module) is None:
            return "module"
    except (ImportError, ValueError, AttributeError):
        return "module"
    if name == "*" or top not in (*sys.stdlib_module_names, "numpy"):
        return ""
    try:
        library = importlib.import_module(module)
    except BaseException:
        return "module"
    if hasattr(library, name) or importlib.util.find_spec(
        f"{module}.{name}" if _is_package(library) else top
    ):
        return "" if hasattr(library, name) or _is_package(library) else "name"
    return "name"


def _is_package(module: types.ModuleType) -> bool:
    return hasattr(module, "__path__")


def _is_own(submission: load.Submission, top: str) -> bool:
    return any(
        os.path.exists(os.path.join(path, top + ending))
        for path in submission.paths
        for ending in ("", ".py")
    )


def _only_raises(tree: ast.Module, file: str) -> list[dict[str, Any]]:
    """Return the functions whose body, docstring aside, always ends in one `raise` of a type."""
    found = []
    for prefix, function in _functions(tree):
        body = [node for node in function.body if not _is_docstring(node)]
        last = body[-1] if body else None
        if isinstance(last, ast.Raise) and not any(isinstance(n, ast.Return) for n in ast.walk(function)):
            raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
            name = raised.id if isinstance(raised, ast.Name) else ""
            found.append(
                {"function": prefix + function.name, "raises": name, "file": file, "line": last.lineno}
            )
        elif body and isinstance(body[0], ast.If) and _branches_raise(body[0]) and len(body) > 1:
            found.append(
                {"function": prefix + function.name, "raises": "guard", "file": file, "line": body[0].lineno}
            )
    return found


def _branches_raise(branch: ast.If) -> bool:
    return len(branch.body) == 1 and isinstance(branch.body[0], ast.Raise)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name + ".", inner) for inner in node.body if isinstance(inner, ast.FunctionDef))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _dtype_typos(nodes: _Nodes) -> Iterator[dict[str, Any]]:
    """Yield strings that stand where a dtype stands and are almost the name of one."""
    for node in nodes.of(ast.Call):
        words = [keyword.value for keyword in node.keywords if keyword.arg == "dtype"]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
            words += node.args[:1]
        for word in words:
            if (
                isinstance(word, ast.Constant)
                and isinstance(word.value, str)
                and word.value not in DTYPE_NAMES
            ):
                close = difflib.get_close_matches(word.value, DTYPE_NAMES, 1, 0.7)
                if close and not hasattr(np, word.value):
                    yield {"line": word.lineno, "text": word.value[:80], "meant": close[0]}


def _name_typos(nodes: _Nodes, module: types.ModuleType) -> Iterator[dict[str, Any]]:
    """Yield `module.name` where the module has no such name, and names that are bound nowhere."""
    for node, text, candidates in [*_missing_attributes(nodes, module), *_unbound_names(nodes, module)]:
        close = difflib.get_close_matches(text.rpartition(".")[2], candidates, 1, 0.7)
        yield {"line": node.lineno, "text": text[:80], "meant": close[0] if close else ""}


def _missing_attributes(nodes: _Nodes, module: types.ModuleType) -> Iterator[tuple[ast.expr, str, list[str]]]:
    rebound = {node.id for node in nodes.of(ast.Name) if not isinstance(node.ctx, ast.Load)}
    rebound |= {node.arg for node in nodes.of(ast.arg)}
    for node in nodes.of(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id not in rebound:
            target = vars(module).get(node.value.id)
            is_read = isinstance(target, types.ModuleType) and isinstance(node.ctx, ast.Load)
            if is_read and not hasattr(target, node.attr):
                yield node, f"{node.value.id}.{node.attr}", dir(target)


def _unbound_names(nodes: _Nodes, module: types.ModuleType) -> Iterator[tuple[ast.expr, str, list[str]]]:
    bound = {*vars(module), *vars(builtins), "__class__"}
    bound |= {node.id for node in nodes.of(ast.Name) if not isinstance(node.ctx, ast.Load)}
    bound |= {node.name for node in nodes.of(ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)}
    bound |= {node.arg for node in nodes.of(ast.arg)}
    bound |= {node.name for node in nodes.of(ast.ExceptHandler, ast.MatchAs, ast.MatchStar) if node.name}
    for node in nodes.of(ast.Import, ast.ImportFrom):
        bound.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    for node in nodes.of(ast.Name):
        if node.id not in bound:
            yield node, node.id, sorted(bound)


PROBES = {"survey.static": static, "survey.imports": imports, "survey.typos": typos}
