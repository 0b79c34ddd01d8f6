"""Looks at the text of a source: one encoding, and nothing that reads otherwise than it runs.

Only bytes and characters are looked at. Parsing other people's source can crash an interpreter, so that is
left to a worker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
BREAKS = re.compile(rb"\r\n|\r|\n")
UTF_8 = frozenset({"utf-8", "utf8", "utf-8-sig"})
LIKE_UTF_8 = frozenset({"ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "cp1252"})  # for ASCII alone
INVISIBLE = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
WORD = re.compile(r"[^\W\d]\w*")
LIGATURES = re.compile("[\ufb00-\ufb06]")  # come with text that was copied from a PDF
MOST = 5  # remarks on one file


def refused(data: bytes) -> str | None:
    """Return why a source is not used: it says that it is in another encoding than UTF-8."""
    name = _cookie(data)
    if name is None or name in UTF_8 or (name in LIKE_UTF_8 and data.isascii()):
        return None
    return f"its encoding is said to be {name[:20]}; save it as UTF-8"


def _cookie(data: bytes) -> str | None:
    """Return the encoding that one of the first two lines declares, as Python reads it."""
    lines = BREAKS.split(data.removeprefix(b"\xef\xbb\xbf")[:4096], maxsplit=2)[:2]
    for line in lines:
        match = COOKIE.match(line)
        if match:
            return match[1].decode("ascii", "replace").lower().replace("_", "-")
        if not BLANK.match(line):
            return None
    return None


def remarks(name: str, data: bytes) -> list[dict[str, Any]]:
    """Return notes on characters that are not seen, and on names that Python reads as others."""
    if data.isascii():
        return []
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    found = [
        {"id": "odd-characters", "file": name, "line": number, "message": f"{name}:{number} {what}"}
        for number, line in enumerate(text.split("\n"), 1)
        if not line.isascii()
        for what in _odd(line)
    ]
    return found[:MOST]


def _odd(line: str) -> Iterator[str]:
    hidden = sorted({f"U+{ord(character):04X}" for character in INVISIBLE.findall(line)})
    if hidden:
        shown = ", ".join(hidden[:3])
        yield f"has characters that are not seen ({shown}): it may read otherwise than it runs"
    for word in WORD.findall(line):
        plain = unicodedata.normalize("NFKC", word)
        is_other = not word.isascii() and word.isidentifier() and plain.isascii()
        if is_other and not LIGATURES.search(word):
            yield f"has a name that Python reads as `{plain[:40]}`, written with other letters"
