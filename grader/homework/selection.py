"""Which checks a name or pattern stands for."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable

from grader.homework.check import Check


def is_selected(check: Check, only: str | None, extras: Collection[str]) -> bool:
    """Tell whether a check runs, given the names or patterns asked for (None: all) and the options."""
    if check.option and check.option not in extras:
        return False
    if only is None or check.id in (names := only.split(",")):
        return True
    patterns = [one for name in names for one in (name, f"{name}.*", f"*.{name}", f"*.{name}.*")]
    return any(fnmatch.fnmatchcase(check.id, pattern) for pattern in patterns)


def unknown(word: str, known: Iterable[str]) -> str:
    """Return the error line for a check name that matches nothing, with the nearest names."""
    import difflib

    names = list(known)
    parts = {name: name for name in names} | {part: name for name in names for part in name.split(".")}
    close = difflib.get_close_matches(word, parts, 3, 0.5)
    meant = f"; did you mean {', '.join(close)}?" if close else ""
    return f"{word}: no check has this name{meant}"
