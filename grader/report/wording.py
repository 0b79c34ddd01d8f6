"""How values, places and points are worded in every rendering."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.report import wrap
from grader.report.language import Speaker

NARROWEST, WIDEST = 10, 26  # columns of labels
HEADS = ("def ", "async ", "class ", "@")


def text(value: Any) -> str:
    """Return a value of a counterexample in words."""
    if isinstance(value, dict) and "text" in value:
        return str(value["text"])
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def place(location: dict[str, Any] | None) -> str:
    """Return `file:line`, "" for no place."""
    return f"{location['file']}:{location['line']}" if location else ""


def spot(location: dict[str, Any] | None, say: Speaker, *, named: bool = True) -> str:
    """Return `file:line`, or where the function begins if no line of it is known to be the wrong one."""
    if not location or not is_head(location):
        return place(location)
    file, line, function = location["file"], location["line"], location.get("function")
    if named and function:
        return say("{function}, {file}, from line {line}", function=function, file=file, line=line)
    return say("{file}, from line {line}", file=file, line=line)


def is_head(location: dict[str, Any]) -> bool:
    """Tell whether a place is the first line of a function: its code says so."""
    excerpt = location.get("excerpt") or {}
    lines, number = excerpt.get("lines", []), location.get("line", 0) - excerpt.get("first", 0)
    return 0 <= number < len(lines) and str(lines[number]).lstrip().startswith(HEADS)


def column(labels: Iterable[str]) -> int:
    """Return the width of a column of labels: that of the longest, within limits."""
    return min(WIDEST, max([NARROWEST, *map(wrap.width, labels)]))


def aligned(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines of label and text, the texts below each other."""
    rows = list(rows)
    wide = column(label for label, _ in rows)
    return [f"{wrap.pad(label, wide)} {said}" for label, said in rows]


def last_lines(output: str) -> str:
    """Return the end of what a submission printed, on one line."""
    return " / ".join(output.strip().splitlines()[-3:])[:200]


def points(number: float) -> str:
    """Return points with one decimal, none for whole ones."""
    return f"{number:.1f}".removesuffix(".0")
