"""The line of progress of a class: rewritten in place on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TextIO

from grader.report.escape import terminal as clean

if TYPE_CHECKING:
    from grader.classroom.meter import Meter
    from grader.classroom.roster import Refusal

WIDTH = 79
ON_TERMINAL, ELSEWHERE = 0.2, 30.0  # seconds between two lines


class Line:
    """Watches a class being graded (`classroom.session.Watcher`)."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.meter: Meter | None = None
        self.shown, self.next = "", 0.0

    def reading(self, number: int, total: int) -> None:
        """Show that submissions are being read."""
        if self.is_terminal and self._due():
            self._show(f"reading {number} of {total}")

    def begin(self, total: int) -> None:
        """Start the clock."""
        from grader.classroom.meter import Meter

        self.meter = Meter(total)
        self.next = 0.0 if self.is_terminal else time.monotonic() + ELSEWHERE

    def graded(self, report: dict[str, Any]) -> None:
        """Count a graded submission."""
        if self.meter is not None:
            self.meter.graded(full_marks=report["complete"] and report["score"] >= report["max_score"])

    def failed(self, refusal: Refusal) -> None:
        """Count one that cannot be graded; the reasons stand at the end."""
        if self.meter is not None:
            self.meter.refused()

    def tick(self) -> None:
        """Show how it is getting on, if it is time."""
        if self.meter is not None and self._due():
            self._show(self.meter.line() if self.is_terminal else self.meter.facts())

    def stopping(self, running: int) -> None:
        """Say that Ctrl-C was understood."""
        self._say(f"stopping: {running} being graded are finished first; Ctrl-C again ends them too")

    def end(self) -> None:
        """Wipe the line."""
        self._wipe()

    def _due(self) -> bool:
        now = time.monotonic()
        if now < self.next:
            return False
        self.next = now + (ON_TERMINAL if self.is_terminal else ELSEWHERE)
        return True

    def _show(self, text: str) -> None:
        if not self.is_terminal:
            self.stream.write(text + "\n")
        else:
            line = text[:WIDTH]
            self.stream.write("\r" + line.ljust(len(self.shown)))
            self.shown = line
        self.stream.flush()

    def _say(self, text: str) -> None:
        self._wipe()
        self.stream.write(clean(text) + "\n")
        self.stream.flush()

    def _wipe(self) -> None:
        if self.shown:
            self.stream.write("\r" + " " * len(self.shown) + "\r")
            self.stream.flush()
            self.shown = ""
