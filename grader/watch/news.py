"""What has changed between two sets of verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from grader.report import escape, wrap
from grader.report.model import NOT_RUN, CheckResult

Results = Mapping[str, CheckResult]
WIDTH = 80


@dataclass
class News:
    """Checks by what became of them; `failing` counts those that failed before and still do."""

    fixed: list[CheckResult] = field(default_factory=list)
    broken: list[CheckResult] = field(default_factory=list)
    reworded: list[CheckResult] = field(default_factory=list)
    same: int = 0
    failing: int = 0

    def lines(self, text: Callable[[str], str] = str) -> list[str]:
        """Return what has changed as lines of a terminal; `text` puts messages into the reader's language."""
        lines = [f"  fixed   {one.id}" for one in self.fixed]
        for label, results in (("broken", self.broken), ("else", self.reworded)):
            for one in results:
                lines += [f"  {label:<7} {one.id}", f"          {_cut(text(one.message))}"]
        return lines

    def rest(self) -> str:
        """Return the line about what is as it was."""
        still = f", {self.failing} of them still fail" if self.failing else ""
        return f"  same    {self.same}{still}"


def news(before: Results, after: Iterable[CheckResult]) -> News:
    """Compare results with earlier ones; a check that was never run is no news if it passes."""
    found = News()
    for one in after:
        was = before.get(one.id)
        passed, passed_before = _is_fine(one), was is None or _is_fine(was)
        if passed and not passed_before:
            found.fixed.append(one)
        elif passed_before and not passed:
            found.broken.append(one)
        elif not passed and was is not None and (was.message, was.verdict) != (one.message, one.verdict):
            found.reworded.append(one)
        else:
            found.same += 1
            found.failing += not passed
    return found


def _is_fine(one: CheckResult) -> bool:
    return one.passed or one.verdict == NOT_RUN


def _cut(text: str) -> str:
    line = " ".join(escape.terminal(text).split())
    return wrap.cut(line, WIDTH - 10)


def standing(results: Results) -> str:
    """Return the score, and what comes first of what is left."""
    counted = [one for one in results.values() if one.counts]
    points, most = sum(one.points for one in counted), sum(one.max_points for one in counted)
    failed = [one for one in counted if not one.passed]
    score = f"{_number(points)} / {_number(most)}"
    if not failed:
        return f"  {score}, all checks pass"
    first = next((one for one in failed if not one.blocked_by), failed[0])
    return f"  {score}, {len(failed)} checks left; next: {first.id}"


def _number(points: float) -> str:
    return f"{points:.1f}".removesuffix(".0")
