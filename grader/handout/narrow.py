"""Imports that a homework does without: hw1's `needle/__init__.py` must not ask for `needle.nn`."""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath


def narrow_imports(text: str, path: str, files: AbstractSet[str]) -> str:
    """`text` of a package's `__init__.py` without the relative imports of modules that are not in `files`.

    `path` and `files` are relative to the homework's root, with forward slashes.
    """
    lines = text.splitlines()
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            kept = _kept_names(node, PurePosixPath(path).parent, files)
            if len(kept) < len(node.names):
                lines[node.lineno - 1 : node.end_lineno] = _rewritten(node, kept)
    return "\n".join(lines) + "\n"


def _kept_names(node: ast.ImportFrom, package: PurePosixPath, files: AbstractSet[str]) -> list[ast.alias]:
    if node.module is not None:
        return node.names if _is_module(package, node.module, files) else []
    return [alias for alias in node.names if _is_module(package, alias.name, files)]


def _is_module(package: PurePosixPath, name: str, files: AbstractSet[str]) -> bool:
    base = package / name.replace(".", "/")
    return f"{base}.py" in files or f"{base}/__init__.py" in files


def _rewritten(node: ast.ImportFrom, kept: list[ast.alias]) -> list[str]:
    if not kept:
        return []
    return [ast.unparse(ast.ImportFrom(module=node.module, names=kept, level=node.level))]
