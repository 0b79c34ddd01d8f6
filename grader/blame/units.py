"""The units of blame: the functions and classes of reference/ that a student writes.

A unit is one function for ops, autograd, initialisers and apps, a whole class for modules, optimisers
and data, whose methods share private attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

BEGIN = "### BEGIN YOUR SOLUTION"


@dataclass(frozen=True)
class Unit:
    """A function or class of the reference: its public path, its source, the modules its names mean."""

    path: str
    source: str
    imports: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Return the name as it is written in the source: `BroadcastTo.gradient`, `BatchNorm1d`."""
        parts = self.path.split(".")
        return ".".join(part for i, part in enumerate(parts) if part[:1].isupper() or i == len(parts) - 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the unit as a probe takes it."""
        return {"path": self.path, "source": self.source, "imports": dict(self.imports)}


@dataclass(frozen=True)
class Home:
    """A place in the reference where units are found: files, the public module, whether whole classes."""

    pattern: str
    module: str
    whole: bool


HOMES = {
    "hw1": (
        Home("python/needle/ops/*.py", "needle.ops", False),
        Home("python/needle/autograd.py", "needle.autograd", False),
        Home("apps/simple_ml.py", "simple_ml", False),
    ),
    "hw2": (
        Home("python/needle/ops/*.py", "needle.ops", False),
        Home("python/needle/autograd.py", "needle.autograd", False),
        Home("python/needle/init/*.py", "needle.init", False),
        Home("python/needle/nn/*.py", "needle.nn", True),
        Home("python/needle/optim.py", "needle.optim", True),
        Home("python/needle/data/**/*.py", "needle.data", True),
        Home("apps/mlp_resnet.py", "mlp_resnet", False),
    ),
}


@cache
def units(homework: str, reference: Path) -> tuple[Unit, ...]:
    """Return the units of a homework, () where there is no reference."""
    found: dict[str, Unit] = {}
    for home in HOMES.get(homework, ()):
        for file in sorted(reference.glob(home.pattern)):
            for unit in _in_file(file.read_text(encoding="utf-8"), home):
                found.setdefault(unit.path, unit)
    return tuple(found.values())


def _in_file(text: str, home: Home) -> list[Unit]:
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    imports = tuple(_module_names(tree))
    found = []
    for name, node in _definitions(tree, home.whole):
        source = _source(lines, node)
        if BEGIN in source:
            found.append(Unit(f"{home.module}.{name}", source, imports))
    return found


def _definitions(tree: ast.Module, whole: bool) -> Iterator[tuple[str, ast.stmt]]:
    """Yield functions, and classes as a whole or method by method, with their names."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not whole:
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
            yield from ((f"{node.name}.{one.name}", one) for one in methods)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, node


def _source(lines: list[str], node: ast.stmt) -> str:
    """Return the whole lines of a definition (`ast.get_source_segment` splits the file anew each time)."""
    return "".join(lines[node.lineno - 1 : node.end_lineno])


def _module_names(tree: ast.Module) -> list[tuple[str, str]]:
    """Return (name, module) for the names of a file that stand for modules."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [(alias.asname or alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "needle":
            found += [(alias.asname or alias.name, f"needle.{alias.name}") for alias in node.names]
    return found
