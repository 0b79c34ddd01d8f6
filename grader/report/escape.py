"""Makes text that came from a submission safe for the medium it is shown in."""

from __future__ import annotations

import unicodedata


def terminal(text: str, *, lines: bool = False) -> str:
    """Return text whose control, bidirectional and invisible characters are written out.

    With `lines`, newlines and tabs stay.
    """
    return "".join(_shown(character, lines) for character in text)


def _shown(character: str, lines: bool) -> str:
    if character == " " or (lines and character in "\n\t"):
        return character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        code = ord(character)
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character
