"""Elements of HTML as text. What is not `Markup` is text, and is escaped; nothing else writes tags."""

from __future__ import annotations

import html
from collections.abc import Iterable

from grader.report.escape import terminal as clean

VOID = frozenset({"br", "hr", "meta"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *inside: str | None, **attributes: str | int | bool | None) -> Markup:
    """Return an element; an attribute's `_` stands for `-`, one at its end for nothing (`class_`).

    An attribute that is None or False is left out, one that is True has no value; so is an inside of None.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(inside)}</{name}>")


def text(content: str, *, lines: bool = False) -> Markup:
    """Return text that is only text in HTML; control and bidirectional characters are written out."""
    return Markup(html.escape(clean(content, lines=lines), quote=True))


def prose(sentence: str) -> Markup:
    """Return a sentence in which what stands between backticks is code."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one is left over
        return text(sentence)
    return joined(element("code", part) if i % 2 else part for i, part in enumerate(parts))


def joined(parts: Iterable[str | None]) -> Markup:
    """Return parts one after another, those that are text escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else text(part) for part in parts if part is not None)
    )
