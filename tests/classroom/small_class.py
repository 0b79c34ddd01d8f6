"""A class of hw1 that is graded quickly, and what is needed to watch it being graded."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.support import build

WRONG = {"Negate.compute": "def compute(self, a):\n    return a"}


def make(folder: Path, size: int, *, wrong: bool = False) -> Path:
    """`size` submissions, right ones (the quickest) or with a wrong function; each is another text."""
    for number in range(size):
        note = {"NAME.txt": f"{number}\n"}
        build(folder / f"student{number}", "hw1", solutions=WRONG if wrong else None, extra_files=note)
    return folder


def wait_for(what: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
