"""Tells whether a file in a handout's place holds work that writing the handout would lose."""

from __future__ import annotations

from grader.handout.errors import HandoutError
from grader.handout.parsed import parse_code
from grader.handout.regions import empty


def has_solution(present: bytes | None, stub: bytes, name: str) -> bool:
    """Whether a function that is empty in `stub` is filled in `present`; for C++, whether a region is."""
    if present is None or not name.endswith((".py", ".cpp")):
        return False
    try:
        text = present.decode("utf-8-sig").replace("\r\n", "\n")
        if name.endswith(".cpp"):
            return text.rstrip() != empty(text, name).rstrip()
        written = parse_code(text, name).functions
    except (HandoutError, UnicodeDecodeError):
        return True  # nothing we wrote ourselves, so somebody's work
    empty_ones = [
        function for function in parse_code(stub.decode(), name).functions.values() if not function.is_filled
    ]
    return any(function.name in written and written[function.name].is_filled for function in empty_ones)
