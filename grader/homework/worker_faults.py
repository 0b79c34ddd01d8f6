"""What is said of a worker that does not answer, or dies."""

from __future__ import annotations

from typing import Any

HELP = {
    "timeout": "does a loop end? is the work repeated for every path through the graph?",
    "crashed": "the process was ended from inside: exit calls, segmentation faults, too much memory",
}


def death(account: dict[str, Any]) -> str:
    """Return how a worker died, from the kernel's account of it."""
    status = account.get("status")
    if not isinstance(status, int):
        return ""
    if status & 0x7F:
        return f" (signal {status & 0x7F})" if status & 0x7F != 9 else ""
    return f" (exit code {status >> 8})"
