"""Text as Markdown that is only text, and blocks of code, for the summaries of GitHub."""

from __future__ import annotations

import html
import re

from grader.report.escape import terminal as clean

_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def text(content: str) -> str:
    """Return text without a meaning in Markdown or HTML, on one line; control characters are written out.

    Every mark of ASCII punctuation has a backslash before it (CommonMark 0.31, section 2.4), but for those
    that need to be entities. Blanks around it, which can make code, are left out.
    """
    return _PUNCTUATION.sub(_written, clean(content).strip())


def block(lines: list[str]) -> str:
    """Return lines as they are, in type of one width."""
    inside = "\n".join(html.escape(clean(line)) for line in lines)
    return f"<pre>\n{inside}\n</pre>"


def cell(content: str) -> str:
    """Return the text of one cell of a table."""
    return text(content) or " "


def _written(match: re.Match[str]) -> str:
    mark = match.group()
    # a mention, a reference, a link or a formula would be made of the text that the backslash leaves
    return f"&#{ord(mark)};" if mark in "&<>@#:$" else f"\\{mark}"
