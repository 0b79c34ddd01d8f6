"""Attacks by sources that are small and cost much to read."""

from __future__ import annotations

from tests.hostile.attack import Attack


def _finallies(depth: int) -> str:
    """A function whose bytecode has each `finally` three times: a kilobyte, then gigabytes."""
    lines = ["def f(x):"]
    for level in range(1, depth + 1):
        indent = "  " * level
        lines += [f"{indent}try:", f"{indent}  return x", f"{indent}finally:"]
    return "\n".join([*lines, "  " * (depth + 1) + "x = 1", ""])


BOMB = {"python/needle/late.py": _finallies(19)}
IN_USE = "import needle.late"

READING = [
    Attack(
        "compile-bomb", 0, "a kilobyte that compiles to gigabytes, in a file that nobody imports", files=BOMB
    ),
    Attack("compile-bomb-used", 0, "the same, imported", IN_USE, files=BOMB),
    Attack(
        "syntax-bomb",
        0,
        "two megabytes whose syntax takes two gigabytes",
        files={"python/needle/late.py": "x\n" * (1 << 20)},
    ),
]
