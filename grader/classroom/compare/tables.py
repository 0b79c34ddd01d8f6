"""A comparison as CSV: one line for each submission, or one for each submission and check."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from grader.classroom.compare.mistakes import Mistake, members_of
from grader.classroom.compare.rows import Row, Table

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
WORDS = {
    "p": "passed",
    "f": "failed",
    "e": "error",
    "t": "timeout",
    "c": "crashed",
    "b": "blocked",
    "n": "not-run",
    "u": "not written",
}


def safe(text: str) -> str:
    """Return a text cell that no spreadsheet takes for a formula: an apostrophe stands before it."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) or text.startswith(FORMULA) else text


def wide(table: Table, found: Sequence[Mistake]) -> str:
    """Return a line for each submission: score, points of each question, faults, a column for each check."""
    head = ["student", "submission", "homework", "score", "max_score", "complete"]
    head += [f"points {question}" for question in table.questions]
    head += ["nodes", "nodes of the reference", "seconds", "mistakes", *table.checks]
    places = members_of(found, len(table.rows))
    return _written(
        head, (_wide(one, mine, table, found) for one, mine in zip(table.rows, places, strict=True))
    )


def _wide(one: Row, mine: Sequence[int], table: Table, found: Sequence[Mistake]) -> list[object]:
    said = "; ".join(" and ".join(found[place].functions) or "does not import" for place in mine)
    return [
        safe(one.student),
        safe(one.submission),
        one.homework,
        one.score,
        one.max_score,
        "yes" if one.complete else "no",
        *(one.points.get(question, "") for question in table.questions),
        "" if one.work.nodes is None else one.work.nodes,
        "" if one.work.reference is None else one.work.reference,
        one.work.seconds,
        safe(said),
        *(WORDS.get(one.verdicts.get(check, ""), "") for check in table.checks),
    ]


def long(table: Table) -> str:
    """Return a line for each check of each submission, with its message."""
    head = ["student", "homework", "question", "check", "verdict", "max_points", "advice", "message"]
    return _written(head, _long(table))


def _long(table: Table) -> Iterator[list[object]]:
    for one in table.rows:
        for name, letter in one.verdicts.items():
            check = table.checks[name]
            said = one.failures[name].message if name in one.failures else ""
            advice = "yes" if check.advice else "no"
            verdict = WORDS.get(letter, letter)
            start = [safe(one.student), one.homework, check.question, name]
            yield [*start, verdict, check.max_points, advice, safe(said)]


def _written(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows(lines)
    return out.getvalue()
