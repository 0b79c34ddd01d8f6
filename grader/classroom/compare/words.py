"""A comparison on a terminal of 80 columns: what the class gets wrong, or what changed in one submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from grader.classroom.compare import examples
from grader.classroom.compare.changes import DOWN, UP, Change, Step
from grader.classroom.compare.gather import Comparison
from grader.classroom.compare.rows import Row
from grader.classroom.compare.tables import WORDS
from grader.report import wrap
from grader.report.escape import terminal as clean
from grader.report.wording import points

WIDTH = 80
SHOWN = 5
BLOCKED = "b"
INDENT = "   "


def summary(found: Comparison) -> str:
    """Return the class in a few lines: scores, the commonest mistakes, how many changed."""
    return "\n".join(_summary(found)) + "\n"


def _summary(found: Comparison) -> Iterator[str]:
    rows = found.table.rows
    figures = found.figures()
    yield clean(found.title)
    yield (
        f"median {points(figures.median)} of {points(found.most)}, middle half "
        f"{points(figures.quarter)} to {points(figures.three_quarters)}, {figures.full} with full marks"
    )
    mistakes = [one for one in found.mistakes if not one.advice]
    names = examples.Names(found.table)
    for one in mistakes[:SHOWN]:
        told = examples.told(one, names)
        yield ""
        yield f"{one.count:>4} of {len(rows)}  {clean(' and '.join(one.functions) or 'the whole')}"
        yield from wrap.lines(clean(told.sentence), WIDTH, first=INDENT, later=INDENT)
    if len(mistakes) > SHOWN:
        yield ""
        yield f"and {len(mistakes) - SHOWN} rarer ones"
    if found.old is not None:
        yield ""
        yield from _changed(found)


def _changed(found: Comparison) -> Iterator[str]:
    differ = [one for one in found.changes if one.differs]
    higher, lower = (sum(sign * (one.after - one.before) > 0 for one in differ) for sign in (1, -1))
    yield f"since the run before: {higher} higher, {lower} lower, {len(found.changes) - len(differ)} the same"
    for causes, count in Counter("; ".join(one.causes) for one in differ).most_common(SHOWN):
        yield from wrap.lines(clean(f"{count:>4}  {causes}"), WIDTH, first=INDENT, later=INDENT + " " * 6)


def difference(change: Change, old: Row, new: Row) -> str:
    """Return what is other in a submission's second report, check by check, with what can be the cause."""
    return "\n".join(_difference(change, old, new)) + "\n"


def _difference(change: Change, old: Row, new: Row) -> Iterator[str]:
    score = f"{points(old.score)} -> {points(new.score)} / {points(new.max_score)}"
    names = dict.fromkeys([clean(old.submission), clean(new.submission)])
    room = WIDTH - len(score) - len(new.homework) - 4
    yield f"{new.homework}  {wrap.pad(wrap.cut(' -> '.join(names), room), room)}  {score}"
    yield from wrap.lines(clean(f"what differs: {'; '.join(change.causes)}"), WIDTH, later=INDENT)
    for way in (UP, DOWN, "other"):
        steps = [step for step in change.steps if step.way == way]
        yield from _steps(way, [step for step in steps if step.after != BLOCKED], new)
        waiting = [step.check for step in steps if step.after == BLOCKED]
        if waiting:
            count = "1 check" if len(waiting) == 1 else f"{len(waiting)} checks"
            said = f"{count} cannot run now, since others fail: {', '.join(waiting)}"
            yield from wrap.lines(said, WIDTH, first=f"{way:<6} ", later=" " * 7)
    yield ""
    yield f"{change.same} {'check is' if change.same == 1 else 'checks are'} the same"
    yield from _apart(old, new)


def _steps(way: str, steps: Sequence[Step], new: Row) -> Iterator[str]:
    if steps:
        yield ""
    for step in steps:
        yield f"{way:<6} {step.check}: {WORDS[step.before]} -> {WORDS[step.after]}"
        if way != UP and step.check in new.failures:
            message = clean(new.failures[step.check].message)
            yield from wrap.lines(message, WIDTH, first=" " * 7, later=" " * 7)


def _apart(old: Row, new: Row) -> Iterator[str]:
    for name, one, other in (("before", old, new), ("now", new, old)):
        only = [check for check in one.verdicts if check not in other.verdicts]
        if only:
            yield f"{len(only)} only {name}: {wrap.cut(', '.join(only), WIDTH - 20)}"
