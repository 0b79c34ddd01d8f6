"""Replaces whole functions in source files, found by their qualified names.

Solutions map names to source text:

- `"MatMul.gradient"` or `"find_topo_sort"`: replaces that function, or the method of that class;
- `"MatMul.helper"` where `MatMul` has no such method: adds it to the class;
- `"before:MatMul"`: module-level text (helpers, imports) to stand just before that definition.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

Solutions = Mapping[str, str]
Tree = Mapping[str, str]

BEFORE = "before:"
Definition = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Span:
    """Where a definition stands: lines `first` to `last` (from 0, `last` excluded) and its indentation."""

    first: int
    last: int
    indent: int


@lru_cache(maxsize=256)
def spans(source: str) -> dict[str, Span]:
    """Spans of the functions, classes and methods of a file, by qualified name."""
    found = {}
    for statement in ast.parse(source).body:
        for name, node in _named(statement):
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]]) - 1
            found[name] = Span(first, node.end_lineno or first, node.col_offset)
    return found


def _named(node: ast.stmt, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield prefix + node.name, node
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _named(inner, f"{prefix}{node.name}.")


def splice(tree: Tree, solutions: Solutions) -> dict[str, str]:
    """Copy of `tree` (relative path to text) with the solutions in place. KeyError for an unknown name."""
    edits: dict[str, list[tuple[int, int, str]]] = {}
    for name, text in solutions.items():
        file, edit = _edit(tree, name, textwrap.dedent(text).strip("\n"))
        edits.setdefault(file, []).append(edit)
    return {**tree, **{file: _apply(tree[file], changes) for file, changes in edits.items()}}


def _edit(tree: Tree, name: str, text: str) -> tuple[str, tuple[int, int, str]]:
    """The file that a solution belongs to, and the lines it replaces with which text."""
    if name.startswith(BEFORE):
        file, span = locate(tree, name.removeprefix(BEFORE))
        return file, (span.first, span.first, text + "\n\n")
    try:
        file, span = locate(tree, name)
        return file, (span.first, span.last, textwrap.indent(text, " " * span.indent))
    except KeyError:
        file, span = locate(tree, name.rpartition(".")[0])
        return file, (span.last, span.last, "\n" + textwrap.indent(text, "    "))


def _apply(source: str, edits: list[tuple[int, int, str]]) -> str:
    lines = source.splitlines()
    # from the bottom up, so that the line numbers of what is still to do stay right
    for first, last, text in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        lines[first:last] = text.split("\n")
    return "\n".join(lines) + "\n"


def locate(tree: Tree, name: str) -> tuple[str, Span]:
    """File and span of a definition; KeyError when no file has it."""
    for file, source in tree.items():
        if file.endswith(".py") and name in spans(source):
            return file, spans(source)[name]
    raise KeyError(name)


def extract(tree: Tree, name: str) -> str:
    """Source of a definition, without its indentation."""
    file, span = locate(tree, name)
    return textwrap.dedent("\n".join(tree[file].splitlines()[span.first : span.last]))


def remove(source: str, names: set[str]) -> str:
    """`source` without the definitions in `names`."""
    lines = source.splitlines()
    doomed = [span for name, span in spans(source).items() if name in names]
    for span in sorted(doomed, key=lambda span: span.first, reverse=True):
        del lines[span.first : span.last]
    return "\n".join(lines) + "\n"


def read_solutions(path: Path) -> dict[str, str]:
    """Solutions from a file that holds classes with only the methods to replace, and functions.

    A statement that is neither (an import, a constant) and a function whose name starts with an underscore
    go before the definition that follows.
    """
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    found: dict[str, str] = {}
    waiting: list[str] = []
    for statement in ast.parse(source).body[1:]:
        text = _text(statement, lines)
        if not isinstance(statement, Definition) or statement.name.startswith("_"):
            waiting.append(text)
            continue
        if waiting:
            found[BEFORE + statement.name] = "\n\n".join(waiting)
            waiting = []
        found.update(_solutions_of(statement, lines, text))
    return found


def _solutions_of(
    node: ast.FunctionDef | ast.ClassDef, lines: list[str], text: str
) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.FunctionDef):
        yield node.name, text
        return
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef):
            yield f"{node.name}.{inner.name}", textwrap.dedent(_text(inner, lines))


def _text(node: ast.stmt, lines: list[str]) -> str:
    """Source of a statement, with its decorators."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return "\n".join(lines[first - 1 : node.end_lineno])
