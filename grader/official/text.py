"""The outcomes on a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from grader.official.model import FAILED, NOT_RUN, PASSED, Outcome, Results
from grader.report.escape import terminal as clean
from grader.report.wording import place

WIDTH = 80
MARKS = {PASSED: "ok", FAILED: "no", NOT_RUN: "--"}


def render(results: Results) -> str:
    """Return the whole page."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Results) -> Iterator[str]:
    yield f"{results.homework}  {clean(results.submission)}  with the tests in {clean(results.tests)}"
    file = None
    for one in results.outcomes:
        if one.file != file:
            file = one.file
            yield from ("", clean(file))
        yield f"  {MARKS[one.verdict]}  {clean(one.function):<40} {_tally(one)}".rstrip()
        yield from _evidence(one)
    yield ""
    yield from (line for note in results.notes for line in textwrap.wrap(note, WIDTH))
    yield _sum(results)


def _tally(one: Outcome) -> str:
    if one.verdict == NOT_RUN:
        return "not run"
    values = f"{one.values} value{'' if one.values == 1 else 's'}"
    return values if one.verdict == PASSED else f"case {one.case}, after {one.values} right"


def _evidence(one: Outcome) -> Iterator[str]:
    if one.verdict == PASSED:
        return
    yield from _labelled("", one.message.removeprefix("not run: ") if one.verdict == NOT_RUN else one.message)
    if one.verdict == FAILED:
        yield from _labelled("yours", one.actual if one.actual != one.message else "")
        yield from _labelled("expected", one.expected)
        yield from _labelled("at", place(one.location))


def _labelled(label: str, value: str) -> list[str]:
    head = f"      {label:<10} " if label else "      "
    return textwrap.wrap(clean(value)[:600], WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _sum(results: Results) -> str:
    passed, failed, left = (results.count(one) for one in (PASSED, FAILED, NOT_RUN))
    parts = [f"{passed} of {len(results.outcomes)} functions pass"]
    parts += [f"{failed} fail"] if failed else []
    parts += [f"{left} could not be run"] if left else []
    return ", ".join(parts)
