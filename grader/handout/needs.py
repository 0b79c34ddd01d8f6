"""What carried functions need beside themselves: imports, helpers and constants of their module."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from grader.handout.names import bindings
from grader.handout.package import Package, absolute, dotted, relative
from grader.handout.parsed import Code, block, end_of, start_of


@dataclass(frozen=True)
class Need:
    """How a name gets into the target: a line that imports it, or the statement that defines it."""

    imports: str | None = None
    statement: ast.stmt | None = None


def need(name: str, source: Package, source_path: str, target: Package, target_path: str) -> Need | None:
    """Where `name`, used by code that comes from `source_path`, is to come from in `target_path`.

    None when nobody can tell.
    """
    code = source.files[source_path]
    node = bindings(code).get(name)
    if isinstance(node, ast.Import):
        return Need(imports=_single(node, name))
    if isinstance(node, ast.ImportFrom):
        line = _import_from(node, name, source_path, target, target_path)
        return Need(imports=line) if line else _elsewhere(name, target, target_path)
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
        return None
    elsewhere = _elsewhere(name, target, target_path)
    if elsewhere is not None or node is None:
        return elsewhere
    return Need(statement=node)


def definition(code: Code, node: ast.stmt, indent: int = 0) -> list[str]:
    """The lines of a statement with its decorators and trailing comments, at another indentation."""
    return block(code, start_of(node), end_of(code, node), node.col_offset, indent)


def _elsewhere(name: str, target: Package, target_path: str) -> Need | None:
    """An import from the module of the target that defines the name."""
    for path, code in target.files.items():
        node = bindings(code).get(name)
        if path != target_path and node is not None and not isinstance(node, (ast.Import, ast.ImportFrom)):
            return Need(imports=_relative_import(dotted(path), ast.alias(name), target_path))
    return None


def _single(node: ast.Import | ast.ImportFrom, name: str) -> str:
    alias = next(a for a in node.names if (a.asname or a.name.split(".")[0]) == name)
    alone = (
        ast.Import([alias])
        if isinstance(node, ast.Import)
        else ast.ImportFrom(node.module, [alias], node.level)
    )
    return ast.unparse(alone)


def _import_from(
    node: ast.ImportFrom, name: str, source_path: str, target: Package, target_path: str
) -> str | None:
    module = absolute(node, source_path)
    if module is None:
        return _single(node, name) if node.level == 0 else None
    alias = next(a for a in node.names if (a.asname or a.name) == name)
    if not _gives(target, module, alias.name):
        return None
    return _relative_import(module, alias, target_path)


def _relative_import(module: str, alias: ast.alias, target_path: str) -> str:
    level, name = relative(module, target_path)
    return ast.unparse(ast.ImportFrom(name or None, [alias], level))


def _gives(target: Package, module: str, name: str) -> bool:
    """Whether `from module import name` works in the target."""
    if target.has_module(f"{module}.{name}".lstrip(".")):
        return True
    base = module.replace(".", "/")
    path = next((p for p in (f"{base}.py", f"{base}/__init__.py") if p in target.files), None)
    return path is not None and name in target.names(path)
