"""The line of progress of one run."""

from __future__ import annotations

import os


class Dots:
    """A line of progress on a terminal, cleared before the report."""

    def __init__(self, stream: object) -> None:
        is_terminal = getattr(stream, "isatty", lambda: False)() and os.environ.get("TERM") != "dumb"
        self.stream = stream if is_terminal else None
        self.line = ""

    def add(self, check: object) -> None:
        """Show one more finished check."""
        if self.stream is None:
            return
        from grader.report import terminal

        self.line = (self.line + terminal.progress(check))[-72:]  # type: ignore[arg-type]
        self.stream.write(f"\r{self.line}")  # type: ignore[attr-defined]
        self.stream.flush()  # type: ignore[attr-defined]

    def clear(self) -> None:
        """Wipe the line."""
        if self.stream is not None:
            self.stream.write("\r" + " " * len(self.line) + "\r")  # type: ignore[attr-defined]
