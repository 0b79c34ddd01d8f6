"""Text in columns of a terminal, where a Chinese character is two columns wide.

Lines without wide characters are broken by `textwrap`, as ever. In the others a line can end between any two
Chinese characters, but for punctuation: a comma does not begin a line, an opening bracket does not end one.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from itertools import pairwise

CLOSING = "，。、；：！？）》」』】〕”’…·,.;:!?)]}%"
OPENING = "（《「『【〔“‘([{"
SPACES = re.compile(r"( +)")


def width(text: str) -> int:
    """Return the columns that a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, columns: int) -> str:
    """Return the text filled up with spaces to a number of columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return the text, its end replaced by dots if it is wider."""
    return text if width(text) <= columns else head(text, columns - 3) + "..."


def cut_left(text: str, columns: int) -> str:
    """Return the text, its beginning replaced by dots if it is wider."""
    return text if width(text) <= columns else "..." + tail(text, columns - 3)


def tail(text: str, columns: int) -> str:
    """Return as much of the end as goes into a number of columns."""
    return head(text[::-1], columns)[::-1]


def head(text: str, columns: int) -> str:
    """Return as much of the beginning as goes into a number of columns."""
    used = 0
    for position, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return text[:position]
    return text


def lines(text: str, columns: int, *, first: str = "", later: str = "") -> list[str]:
    """Return the text in lines of at most `columns`, the first behind `first`, the others behind `later`."""
    if width(text) == len(text) and width(first + later) == len(first + later):
        return textwrap.wrap(
            text, columns, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
        )
    found, line, room = [], "", columns - width(first)
    for piece in _pieces(text, columns - max(width(first), width(later))):
        if line and width(line) + width(piece.rstrip()) > room:
            found.append(line.rstrip())
            line, piece, room = "", piece.lstrip(), columns - width(later)
        line += piece
    found += [line.rstrip()] if line.strip() else []
    return [(later if number else first) + one for number, one in enumerate(found)]


def _pieces(text: str, most: int) -> list[str]:
    """Return the parts of a text between which a line may end; none is wider than `most`."""
    pieces: list[str] = []
    for word in SPACES.split(text.strip()):
        if not word:
            continue
        pieces += [word] if word.isspace() else _broken(word, most)
    return pieces


def _broken(word: str, most: int) -> list[str]:
    parts = [word[0]]
    for before, character in pairwise(word):
        seam = _columns(before) == 2 or _columns(character) == 2
        together = character in CLOSING or before in OPENING or unicodedata.combining(character)
        if (seam and not together) or width(parts[-1] + character) > most:
            parts.append(character)
        else:
            parts[-1] += character
    return parts
