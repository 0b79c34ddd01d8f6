"""How a class's run is getting on, in one line: how many, how fast, how much longer, what went wrong."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW = 60.0  # seconds over which the rate is taken
BAR = 8


@dataclass
class Meter:
    """Counts; `total` are the submissions to grade in this call."""

    total: int
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    lost: int = 0
    failed: int = 0
    times: deque[float] = field(default_factory=deque)
    started: float = 0.0

    def __post_init__(self) -> None:
        self.started = self.clock()

    def graded(self, *, full_marks: bool) -> None:
        """Count a graded submission."""
        self.lost += not full_marks
        self.done += 1
        self.times.append(self.clock())
        while self.times[0] < self.times[-1] - WINDOW:
            self.times.popleft()

    def refused(self) -> None:
        """Count one that could not be graded; most of those take no time, so the rate does not count them."""
        self.failed += 1
        self.done += 1

    def rate(self) -> float:
        """Return graded submissions a second over the last minute, 0.0 before the first."""
        if not self.times:
            return 0.0
        since = max(self.started, self.clock() - WINDOW)
        return len(self.times) / max(self.clock() - since, 1e-6)

    def left(self) -> float | None:
        """Return the seconds that the rest will take, None before there is a rate."""
        rate = self.rate()
        return (self.total - self.done) / rate if rate else None

    def facts(self) -> str:
        """Return all of it in words, without colours, for a line of a log."""
        parts = [f"{self.done} of {self.total}"]
        left = self.left()
        if left is not None:
            parts += [f"{self.rate():.1f} a second"]
            parts += [f"about {duration(left)} left"] if self.done < self.total else []
        parts += [f"{self.lost} lost points"] if self.lost else []
        parts += [f"{self.failed} not graded"] if self.failed else []
        return " · ".join(parts)

    def line(self) -> str:
        """Return it with a bar and in few words, what went wrong first, for a terminal of 80 columns."""
        filled = BAR * self.done // self.total if self.total else BAR
        left = self.left()
        parts = [f"[{'#' * filled}{'.' * (BAR - filled)}] {self.done}/{self.total}"]
        parts += [f"{self.failed} not graded"] if self.failed else []
        parts += [f"{self.lost} lost points"] if self.lost else []
        parts += [f"{self.rate():.1f}/s", f"{duration(left)} left"] if left else []
        return " · ".join(parts)


def duration(seconds: float) -> str:
    """Return a time in the two largest units that matter."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
