"""The outcomes on a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from grader.official.model import FAILED, NOT_RUN, PASSED, Outcome, Results
from grader.report import language, wrap
from grader.report.escape import terminal as clean
from grader.report.wording import place

WIDTH = 80
MARKS = {PASSED: "ok", FAILED: "no", NOT_RUN: "--"}


def render(results: Results, lang: str = language.ENGLISH) -> str:
    """Return the whole page."""
    return "\n".join(_lines(results, language.speaker(lang))) + "\n"


def _lines(results: Results, say: language.Speaker) -> Iterator[str]:
    names = {"submission": clean(results.submission), "tests": clean(results.tests)}
    yield f"{results.homework}  " + say("{submission}  with the tests in {tests}", **names)
    file = None
    for one in results.outcomes:
        if one.file != file:
            file = one.file
            yield from ("", clean(file))
        yield f"  {MARKS[one.verdict]}  {clean(one.function):<40} {say.text(_tally(one))}".rstrip()
        yield from _evidence(one, say)
    yield ""
    yield from (line for note in results.notes for line in wrap.lines(say.text(note), WIDTH))
    yield say.text(_sum(results))


def _tally(one: Outcome) -> str:
    if one.verdict == NOT_RUN:
        return "not run"
    values = f"{one.values} value{'' if one.values == 1 else 's'}"
    return values if one.verdict == PASSED else f"case {one.case}, after {one.values} right"


def _evidence(one: Outcome, say: language.Speaker) -> Iterator[str]:
    if one.verdict == PASSED:
        return
    message = one.message.removeprefix("not run: ") if one.verdict == NOT_RUN else one.message
    yield from _labelled("", say.text(message))
    if one.verdict == FAILED:
        yield from _labelled(say.text("yours"), one.actual if one.actual != one.message else "")
        yield from _labelled(say.text("expected"), one.expected)
        yield from _labelled(say.text("at"), place(one.location))


def _labelled(label: str, value: str) -> list[str]:
    head = f"      {wrap.pad(label, 10)} " if label else "      "
    return wrap.lines(clean(value)[:600], WIDTH, first=head, later=" " * wrap.width(head))


def _sum(results: Results) -> str:
    passed, failed, left = (results.count(one) for one in (PASSED, FAILED, NOT_RUN))
    parts = [f"{passed} of {len(results.outcomes)} functions pass"]
    parts += [f"{failed} fail"] if failed else []
    parts += [f"{left} could not be run"] if left else []
    return ", ".join(parts)
