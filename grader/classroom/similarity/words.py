"""Pairs that resemble each other on a terminal of 80 columns, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from grader.classroom.compare.tables import safe
from grader.classroom.similarity.baseline import percent
from grader.classroom.similarity.found import Similar
from grader.report import wrap
from grader.report.escape import terminal as clean

WIDTH = 80
SHOWN = 15
NAME = 32


def summary(found: Similar) -> str:
    """Return the pairs with the highest shares, and how they are to be read."""
    return "\n".join(_summary(found)) + "\n"


def _summary(found: Similar) -> Iterator[str]:
    count = len(found.found) - found.own
    earlier = f" and {count} of earlier years" if count else ""
    yield f"{found.homework}: {found.own} submissions{earlier}"
    yield from wrap.lines(clean(found.text()), WIDTH)
    above = found.above()
    shown = above[:SHOWN] or found.pairs[:3]
    yield ""
    yield f"{'share':>7}  {'submission':<{NAME}}  resembles"
    for pair in shown:
        first, second = (clean(found.name(place)) for place in (pair.first, pair.second))
        mark = "" if pair.share > found.line else "  (below)"
        name = wrap.pad(wrap.cut(first, NAME), NAME)
        yield f"{percent(pair.share):>5} %  {name}  {wrap.cut(second, NAME - 8)}{mark}"
    if len(above) > len(shown):
        yield f"and {len(above) - len(shown)} more pairs above the baseline"


def table(found: Similar) -> str:
    """Return CSV with a line for each pair above the baseline, or for the few that come next."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["submission", "resembles", "share in %", "baseline in %", "above", "earlier year"])
    for pair in found.above() or found.shown():
        line = [safe(found.name(pair.first)), safe(found.name(pair.second)), percent(pair.share)]
        flags = [pair.share > found.line, pair.second >= found.own]
        writer.writerow([*line, percent(found.line), *("yes" if flag else "no" for flag in flags)])
    return out.getvalue()
