"""The units of blame: the functions and classes of reference/ that can stand in for a submission's.

A unit is one function for ops, autograd, initialisers and apps, a whole class for modules, optimisers
and data, whose methods share private attributes. What the handout gives is made of units too, function
by function: somebody may have edited it.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

BEGIN = "### BEGIN YOUR SOLUTION"
SELF = re.compile(r"\bself\.(\w+)")
# Functions that others of the reference lean on: a submission may do without them.
HELPERS = {"find_topo_sort": ("topo_sort_dfs",)}


@dataclass(frozen=True)
class Unit:
    """A function or class of the reference: its public path, its source, the modules its names mean.

    `helpers` is source that it needs beside it. `given` units are the handout's own.
    """

    path: str
    source: str
    imports: tuple[tuple[str, str], ...] = ()
    helpers: str = ""
    given: bool = False

    @property
    def name(self) -> str:
        """Return the name as it is written in the source: `BroadcastTo.gradient`, `BatchNorm1d`."""
        return function_name(self.path)

    @property
    def owner(self) -> str:
        """Return the path of the class or module that it is in."""
        return self.path.rpartition(".")[0]

    @property
    def dedented(self) -> str:
        """Return the source as it stands at the start of a line."""
        return textwrap.dedent(self.source)

    def as_dict(self) -> dict[str, Any]:
        """Return the unit as a probe takes it."""
        return {
            "path": self.path,
            "source": self.source,
            "imports": dict(self.imports),
            "helpers": self.helpers,
        }


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


def function_name(path: str) -> str:
    """Return a dotted path without its modules: `needle.ops.MatMul.gradient` is `MatMul.gradient`."""
    parts = path.split(".")
    return ".".join(part for i, part in enumerate(parts) if part[:1].isupper() or i == len(parts) - 1)


def covers(unit: str, target: str) -> bool:
    """Tell whether the unit at a path is a target, the class that it is a method of, or its method."""
    return target == unit or target.startswith(f"{unit}.") or unit.startswith(f"{target}.")


@cache
def units(homework: str, reference: Path) -> tuple[Unit, ...]:
    """Return the units that a student writes, () where there is no reference."""
    found = {unit.path: unit for unit in _all(homework, reference) if BEGIN in unit.source}
    by_name = {unit.name: unit for unit in found.values()}
    return tuple(_with_helpers(unit, by_name) for unit in found.values())


@cache
def given(homework: str, reference: Path) -> tuple[Unit, ...]:
    """Return the units that the handout gives, each function and method by itself."""
    whole = {unit.path for unit in units(homework, reference)}
    found: dict[str, Unit] = {}
    for unit in _all(homework, reference, apart=True):
        if BEGIN not in unit.source and unit.owner not in whole:
            found.setdefault(unit.path, replace(unit, given=True))
    return tuple(found.values())


def helpers_of(unit: Unit, among: Iterable[Unit]) -> list[Unit]:
    """Return the units that a unit leans on, each of which may be at fault alone."""
    wanted = HELPERS.get(unit.name, ())
    return [one for one in among if one.name in wanted]


def states(among: Iterable[Unit]) -> dict[str, list[str]]:
    """Return the classes that have units of single methods, with the attributes that these read."""
    found: dict[str, set[str]] = {}
    for unit in among:
        if unit.owner.rpartition(".")[2][:1].isupper():
            found.setdefault(unit.owner, set()).update(SELF.findall(unit.source))
    return {path: sorted(read) for path, read in found.items()}


def joined(among: Iterable[Unit], classes: Collection[str], given: Iterable[Unit]) -> list[Unit]:
    """Return the units with the methods of each of some classes (by path) as one unit.

    The constructor, which the handout gives, comes with it.
    """
    found: dict[str, Unit] = {}
    constructors = {unit.owner: unit.source for unit in given if unit.path.endswith(".__init__")}
    for unit in among:
        if unit.owner not in classes:
            found[unit.path] = unit
        elif unit.owner not in found:
            head = f"class {unit.owner.rpartition('.')[2]}:\n{constructors.get(unit.owner, '')}\n"
            found[unit.owner] = replace(unit, path=unit.owner, source=head + unit.source)
        else:
            before = found[unit.owner]
            found[unit.owner] = replace(before, source=f"{before.source}\n{unit.source}")
    return list(found.values())


def _with_helpers(unit: Unit, by_name: dict[str, Unit]) -> Unit:
    names = [name for name in HELPERS.get(unit.name, ()) if name in by_name]
    return replace(unit, helpers="\n".join(by_name[name].source for name in names)) if names else unit


@cache
def _all(homework: str, reference: Path, apart: bool = False) -> tuple[Unit, ...]:
    found: dict[str, Unit] = {}
    for home in HOMES.get(homework, ()):
        for file in sorted(reference.glob(home.pattern)):
            text = file.read_text(encoding="utf-8")
            for unit in _in_file(text, home.module, home.whole and not apart):
                found.setdefault(unit.path, unit)
    return tuple(found.values())


def _in_file(text: str, module: str, whole: bool) -> Iterator[Unit]:
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    imports = tuple(_module_names(tree))
    sources: dict[str, str] = {}
    for name, node in _definitions(tree, whole):  # a property has two definitions
        sources[name] = sources.get(name, "") + _source(lines, node)
    for name, source in sources.items():
        yield Unit(f"{module}.{name}", source, imports)


def _definitions(tree: ast.Module, whole: bool) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yield functions, and classes as a whole or method by method, with their names."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not whole:
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
            yield from ((f"{node.name}.{one.name}", one) for one in methods)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, node


def _source(lines: list[str], node: ast.FunctionDef | ast.ClassDef) -> str:
    """Return the whole lines of a definition (`ast.get_source_segment` splits the file anew each time)."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return "".join(lines[first - 1 : node.end_lineno])


def _module_names(tree: ast.Module) -> list[tuple[str, str]]:
    """Return (name, module) for the names of a file that stand for modules."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [(alias.asname or alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "needle":
            found += [(alias.asname or alias.name, f"needle.{alias.name}") for alias in node.names]
    return found
