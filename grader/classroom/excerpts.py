"""Adds to the places of a report the lines of source around them, so that a page can show the code.

A worker names file and line; what is read is the grader's own copy of the submission, in it only, as text.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grader.report.model import Cause, CheckResult

BEFORE, AFTER = 3, 7  # lines: what is wrong is told at the head of a function, or below it
LONGEST = 200  # characters of a line
LARGEST = 1 << 20  # bytes of a file
MOST = 60  # excerpts of a report

Excerpt = dict[str, Any]


def add(root: Path, checks: Iterable[CheckResult], causes: Iterable[Cause]) -> None:
    """Give locations and causes an `excerpt`: `{"first": line, "lines": [text, ...]}`, where there is one."""
    reader = _Reader(root)
    for cause in causes:
        cause.excerpt = reader.excerpt(cause.file, cause.line)
    for check in checks:
        if check.location is not None and not check.passed:
            found = reader.excerpt(check.location.get("file"), check.location.get("line"))
            check.location = check.location | ({"excerpt": found} if found else {})


def relative(root: Path, checks: Iterable[CheckResult]) -> None:
    """Have what a submission printed name its files as it knows them; what it raised does so already."""
    for check in checks:
        check.output = check.output.replace(f"{root}{os.sep}", "")


class _Reader:
    """Reads each file once, and gives no more than `MOST` excerpts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: dict[str, list[str]] = {}
        self.excerpts: dict[tuple[str, int], Excerpt] = {}

    def excerpt(self, file: Any, line: Any) -> Excerpt | None:
        """Return the lines around a place, None for a place that is not in the submission."""
        if not isinstance(file, str) or type(line) is not int or not file:
            return None
        if (file, line) not in self.excerpts and len(self.excerpts) < MOST:
            if file not in self.texts:
                self.texts[file] = lines(self.root, file)
            text = self.texts[file]
            if 1 <= line <= len(text):
                first = max(1, line - BEFORE)
                shown = [one[:LONGEST] for one in text[first - 1 : line + AFTER]]
                self.excerpts[file, line] = {"first": first, "lines": shown}
        return self.excerpts.get((file, line))


def lines(root: Path, file: str) -> list[str]:
    """Return the lines of a file of the submission; nothing for a link, a device, or what lies outside."""
    try:
        path = root / file
        if not path.resolve().is_relative_to(root) or path.is_symlink():
            return []
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return []
            data = stream.read(LARGEST)
    except (OSError, ValueError):
        return []
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")
