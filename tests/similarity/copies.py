"""Copies as people make them to hide that they are: names, order and comments changed."""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Mapping

Files = Mapping[str, bytes]


def renamed(text: str) -> str:
    """Return a source whose local variables have other names, function by function."""
    local = {
        node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    bound = {
        part.arg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) for part in node.keywords
    }
    top = {name for node in ast.parse(text).body for name in _names(node)}
    chosen = sorted(local - bound - top - set(keyword.kwlist))
    new = {name: f"my_{name}_{place}" for place, name in enumerate(chosen)}
    return re.sub(r"(?<![\w.'\"])[A-Za-z_]\w*", lambda found: new.get(found[0], found[0]), text)


def _names(node: ast.stmt) -> list[str]:
    return (
        [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        if isinstance(node, ast.Assign)
        else []
    )


def reordered(text: str) -> str:
    """Return a source with its functions, and the methods of each class, in the opposite order."""
    tree = ast.parse(text)
    lines = text.splitlines()
    return "\n".join(_turned(tree, lines, 0, len(lines))) + "\n"


def _turned(node: ast.Module | ast.ClassDef, lines: list[str], start: int, stop: int) -> list[str]:
    functions = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    if not functions:
        return lines[start:stop]
    firsts = [min([one.lineno, *(mark.lineno for mark in one.decorator_list)]) - 1 for one in functions]
    ends = [*firsts[1:], stop]
    out = lines[start : firsts[0]]
    for one, first, end in reversed(list(zip(functions, firsts, ends))):
        out += _turned(one, lines, first, end) if isinstance(one, ast.ClassDef) else lines[first:end]
    return out


def recommented(text: str) -> str:
    """Return a source whose own comments are gone, with others in their place; marks stay."""
    out = []
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    comments = {token.start: token.string for token in tokens if token.type == tokenize.COMMENT}
    for number, line in enumerate(text.splitlines(), 1):
        column = next((place[1] for place in comments if place[0] == number), None)
        if column is not None and "YOUR" not in line:
            line = f"{line[:column]}# as I thought of it ({number})".rstrip()
        out.append(line)
        if line.rstrip().endswith("return") is False and re.match(r"\s+return ", line):
            indent = line[: len(line) - len(line.lstrip())]
            out[-1:] = [f"{indent}# done with this part", line]
    return "\n".join(out) + "\n"


def copied(files: Files) -> dict[str, bytes]:
    """Return a submission's files after all three changes."""
    out = {}
    for name, data in files.items():
        if name.endswith(".py") and not name.endswith("__init__.py"):
            text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n").expandtabs(4)
            data = reordered(renamed(recommented(text))).encode()
        out[name] = data
    return out
