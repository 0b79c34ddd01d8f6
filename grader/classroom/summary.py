"""What a class's run ends with on the terminal: a pure function of numbers and problems."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.classroom.meter import duration
from grader.classroom.roster import Refusal
from grader.report.escape import terminal as clean

WIDTH = 80
NAMES = 20


@dataclass
class Summary:
    """The figures of a call.

    `scores` are those of all submissions of the run that have a grade, as (score, maximum); `now` were graded
    by this call, in `seconds`; `missing` are names on the list without a submission.
    """

    homework: str
    store: str
    run: int
    seed: str
    scores: list[tuple[float, float]]
    refusals: list[Refusal]
    now: int = 0
    seconds: float = 0.0
    finished: bool = True
    missing: list[str] = field(default_factory=list)


def render(summary: Summary) -> str:
    """Return the lines."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: Summary) -> Iterator[str]:
    count = len(summary.scores)
    head = f"{summary.homework}  {clean(summary.store)} · run {summary.run}"
    tally = f"{count} {'submission' if count == 1 else 'submissions'} with a grade"
    yield f"{head}{tally:>{max(WIDTH - len(head), len(tally) + 2)}}"
    yield from _wrapped(" · ".join(_facts(summary)))
    if count:
        yield from _wrapped(" · ".join(_marks(summary.scores)))
    if summary.refusals:
        yield ""
        yield f"Not graded ({len(summary.refusals)})"
        for refusal in sorted(summary.refusals, key=lambda one: (one.student, one.source)):
            yield from _refusal(refusal)
    if summary.missing:
        shown = ", ".join(map(clean, summary.missing[:NAMES]))
        more = f" and {len(summary.missing) - NAMES} more" if len(summary.missing) > NAMES else ""
        yield ""
        yield from _wrapped(f"No submission from {len(summary.missing)} on the list: {shown}{more}")
    if not summary.finished:
        yield ""
        yield "stopped; all that was graded is stored: the same command goes on from there"


def _facts(summary: Summary) -> Iterator[str]:
    count = len(summary.scores)
    if not summary.now:
        yield "nothing to grade: all of it was graded before" if count else "nothing was graded"
    else:
        before = f", {count - summary.now} before" if count > summary.now else ""
        yield f"graded {summary.now} now{before} in {duration(summary.seconds)}"
        yield f"{summary.now / max(summary.seconds, 1e-6):.1f} a second"
    yield "seed secret" if summary.seed.startswith("secret:") else f"seed {summary.seed}"


def _marks(scores: Sequence[tuple[float, float]]) -> Iterator[str]:
    marks = [score for score, _ in scores]
    full = sum(score >= most for score, most in scores)
    yield f"mean {statistics.fmean(marks):.1f}"
    yield f"median {statistics.median(marks):.1f}"
    yield f"lowest {min(marks):.1f}"
    yield f"full marks {full}"


def _refusal(refusal: Refusal) -> list[str]:
    reason = refusal.reason.removeprefix(f"{refusal.source}: ")
    whose = f"{refusal.student} ({refusal.source})" if refusal.student else refusal.source
    return _wrapped(f"{whose}: {reason}", "  ", "    ")


def _wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(
        clean(text), WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
