"""A Python file of a student: its lines, its functions by qualified name, whether they are filled."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.handout.errors import HandoutError
from grader.handout.regions import Region, find_regions, marker


@dataclass(frozen=True)
class Code:
    """A parsed file. `lines` have no line ends, no BOM, and spaces where the indentation held tabs."""

    name: str
    lines: tuple[str, ...]
    tree: ast.Module

    @cached_property
    def frozen_lines(self) -> frozenset[int]:
        """Lines that begin inside a string (0-based): to indent them would change its value."""
        return _lines_inside_strings(self.tree)

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Functions and methods by qualified name; of two with one name the later, as in Python."""
        return {function.name: function for function in _functions(self, self.tree, "")}

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """Classes at the top level."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}


@dataclass(frozen=True)
class Function:
    """A function or method, and the file it stands in. `name` is qualified: `BroadcastTo.gradient`."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    code: Code

    @property
    def statements(self) -> list[ast.stmt]:
        """The body without its docstring."""
        return self.node.body[1:] if ast.get_docstring(self.node, clean=False) is not None else self.node.body

    @property
    def is_one_line(self) -> bool:
        """Whether the body stands on the line of the `def`."""
        return self.node.body[0].lineno <= self.signature_end

    @cached_property
    def signature_end(self) -> int:
        """Index after the last line of the signature (0-based)."""
        first = self.node.lineno - 1
        rest = "\n".join(self.code.lines[first:]) + "\n"
        tokens = tokenize.generate_tokens(io.StringIO(rest).readline)
        return first + next(token.end[0] for token in tokens if token.type == tokenize.NEWLINE)

    @property
    def body(self) -> tuple[int, int]:
        """First and past-last line of what follows signature and docstring (0-based), comments included."""
        has_docstring = len(self.statements) < len(self.node.body)
        docstring_end = self.node.body[0].end_lineno if has_docstring else None
        return docstring_end or self.signature_end, end_of(self.code, self.node)

    @property
    def region(self) -> Region | None:
        """The solution region, when the body holds exactly one with both its markers."""
        start, stop = self.body
        regions = find_regions(list(self.code.lines[start:stop]))
        if not regions or len(regions) != 1:
            return None
        return Region(regions[0].begin + start, regions[0].end + start)

    def split(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The statements inside the region and those around it; all are inside when there is no region."""
        region = self.region
        if region is None:
            return self.statements, []
        inside = [node for node in self.statements if region.begin < node.lineno - 1 < region.end]
        return inside, [node for node in self.statements if node not in inside]

    @property
    def is_filled(self) -> bool:
        """Whether somebody wrote a body: not if `raise NotImplementedError` is reached, or only `pass`.

        A raise left over behind a `return` does not count.
        """
        inside, _ = self.split()
        if all(_is_nothing(node) for node in inside):
            return False
        for node in self.statements:
            if isinstance(node, ast.Return):
                return True
            if _is_not_implemented(node):
                return False
        return True


def parse_code(text: str, name: str) -> Code:
    """Parse `text`, whatever its line ends and tabs. Raises HandoutError on a syntax error."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\f", "")
    try:
        tree = ast.parse(text)
        spaced = _without_tabs(text, tree)
        return Code(name, tuple(spaced.split("\n")), ast.parse(spaced))
    except SyntaxError as error:
        raise HandoutError(f"{name}, line {error.lineno}: {error.msg}; correct it, then try again") from None
    except ValueError as error:
        raise HandoutError(f"{name}: {error}; is it a Python file?") from None


def read_code(path: Path, name: str) -> Code:
    """Read and parse a file; `name` stands in messages. Raises HandoutError if it is not UTF-8 or Python."""
    try:
        return parse_code(path.read_bytes().decode("utf-8"), name)
    except UnicodeDecodeError:
        raise HandoutError(f"{name}: not UTF-8; save it as UTF-8, then try again") from None
    except OSError as error:
        raise HandoutError(f"{name}: {error.strerror}; check the path") from None


def start_of(node: ast.stmt) -> int:
    """First line of a statement (0-based), decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1


def end_of(code: Code, node: ast.stmt) -> int:
    """Index after the last line of a definition (0-based), with the comments indented like it."""
    end = index = node.end_lineno or node.lineno
    while index < len(code.lines):
        line = code.lines[index]
        stripped = line.lstrip()
        if stripped and not (stripped.startswith("#") and len(line) - len(stripped) > node.col_offset):
            break
        index += 1
        end = index if stripped else end
    return end


def block(code: Code, start: int, stop: int, old_indent: int, new_indent: int) -> list[str]:
    """The lines `start` to `stop`, moved from one indentation to another, without markers."""
    shift = new_indent - old_indent
    moved = []
    for index in range(start, stop):
        line = code.lines[index]
        if index in code.frozen_lines:
            moved.append(line)
        elif marker(line) is None:
            moved.append(_moved(line, shift))
    return moved


def _moved(line: str, shift: int) -> str:
    if not line.strip():
        return ""
    if shift >= 0:
        return " " * shift + line
    removable = min(-shift, len(line) - len(line.lstrip(" ")))
    return line[removable:]


def _functions(code: Code, parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[Function]:
    for node in parent.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(prefix + node.name, node, code)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(code, node, f"{prefix}{node.name}.")


def _is_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _lines_inside_strings(tree: ast.Module) -> frozenset[int]:
    inside: set[int] = set()
    for node in ast.walk(tree):
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
        if is_string or isinstance(node, ast.JoinedStr):
            inside.update(range(node.lineno, node.end_lineno or node.lineno))  # type: ignore[attr-defined]
    return frozenset(inside)


def _without_tabs(text: str, tree: ast.Module) -> str:
    """`text` with spaces for its indentation's tabs: 4 where that means the same to Python, else 8."""
    if "\t" not in text:
        return text
    inside = _lines_inside_strings(tree)
    for width in (4, 8):
        lines = [
            line if index in inside else _expanded(line, width) for index, line in enumerate(text.split("\n"))
        ]
        try:
            if ast.dump(ast.parse("\n".join(lines))) == ast.dump(tree):
                break
        except SyntaxError:
            continue
    return "\n".join(lines)


def _expanded(line: str, width: int) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].expandtabs(width) + rest
