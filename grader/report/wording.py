"""How values, places and points are worded in every rendering."""

from __future__ import annotations

from typing import Any


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


def last_lines(output: str) -> str:
    """Return the end of what a submission printed, on one line."""
    return " / ".join(output.strip().splitlines()[-3:])[:200]


def points(number: float) -> str:
    """Return points with one decimal, none for whole ones."""
    return f"{number:.1f}".removesuffix(".0")
