"""Marks for gradebooks: pure functions from rows and marks to rows.

Canvas takes back its own export: Student, ID, SIS User ID, SIS Login ID, Section and the columns to change,
"Name (id)", with a second row of "Points Possible". Moodle takes any columns, one of them a key.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

KEPT_BY_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Root Account", "Section")
KEYS = {
    "canvas": ("ID", "SIS Login ID", "SIS User ID", "Student"),
    "moodle": ("Email address", "Email", "ID number", "Username", "Full name", "Name"),
}
NO_KEYS = ("submission", "section", "late")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
PLAIN = re.compile(r"-|[+-]?(\d+(\.\d*)?|\.\d+)")  # Moodle writes - for no mark
PARTS = re.compile(r"[^\W_]+")

Row = dict[str, str]


@dataclass(frozen=True)
class Mark:
    """A student's mark: the name in the store, what else they are known by, the score and its maximum."""

    student: str
    score: float
    max_score: float
    facts: dict[str, Any] = field(default_factory=dict)

    def words(self) -> set[str]:
        """Return all that a gradebook may know the student by; each member's of a group."""
        facts = {name: value for name, value in self.facts.items() if name not in NO_KEYS}
        values = [self.student, *(value for value in facts.values() if isinstance(value, str))]
        values += [str(one) for one in self.facts.get("members", ())]
        parts = [part for value in values for part in (value, *value.split(", "))]
        return {form for part in parts for form in _forms(part)}


@dataclass
class Filled:
    """A gradebook with marks in it, and what did not fit: marks without a row, marks with several."""

    headings: list[str]
    rows: list[Row]
    without_row: list[str] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)


def fill(
    kind: str, headings: Sequence[str], rows: Sequence[Row], column: str, marks: Iterable[Mark]
) -> Filled:
    """Return the rows with the marks in `column`; only what Canvas wants back, of its own export."""
    kept = [one for one in headings if kind != "canvas" or one in KEPT_BY_CANVAS]
    kept = kept if column in kept else [*kept, column]
    filled = Filled(kept, [{name: row.get(name, "") for name in kept} for row in rows])
    known = _index(kind, rows)
    for mark in marks:
        found = _rows_of(kind, mark, known)
        if not found:
            filled.without_row.append(mark.student)
        elif len(found) > 1 and not mark.facts.get("members"):
            filled.ambiguous.append(mark.student)
        else:
            for number in found:
                filled.rows[number][column] = f"{mark.score:g}"
    return filled


def _index(kind: str, rows: Sequence[Row]) -> dict[str, dict[str, list[int]]]:
    """Return for each key column the rows by what stands in it."""
    known: dict[str, dict[str, list[int]]] = {key: defaultdict(list) for key in (*KEYS[kind], "First name")}
    for number, row in enumerate(rows):
        full = {
            **row,
            "First name": f"{row.get('First name', '')} {row.get('Last name', row.get('Surname', ''))}",
        }
        for key, by_word in known.items():
            for form in _forms(full.get(key, "")):
                by_word[form].append(number)
    return known


def _rows_of(kind: str, mark: Mark, known: dict[str, dict[str, list[int]]]) -> list[int]:
    """Return the rows of a student by the first key column that knows them: ids before names."""
    words = mark.words()
    for by_word in known.values():
        found = sorted({number for word in words for number in by_word.get(word, ())})
        if found:
            return found
    return []


def _forms(value: str) -> set[str]:
    """Return how a word is compared: as it is, and its parts joined: Canvas has Doe, Jane and doejane."""
    plain = value.strip().casefold()
    parts = PARTS.findall(plain)
    if not parts:
        return set()
    return {plain, "".join(parts), "".join(sorted(parts))}


def listed(marks: Iterable[Mark]) -> Filled:
    """Return a plain list: student, what is known of them, score and maximum."""
    marks = list(marks)
    extra = list(dict.fromkeys(name for mark in marks for name in mark.facts))
    headings = ["student", *extra, "score", "max_score"]
    rows = [
        {
            "student": mark.student,
            **{name: _text(mark.facts.get(name, "")) for name in extra},
            "score": f"{mark.score:g}",
            "max_score": f"{mark.max_score:g}",
        }
        for mark in marks
    ]
    return Filled(headings, rows)


def read(text: str) -> tuple[list[str], list[Row]]:
    """Return headings and rows of a CSV text. Raises `ValueError` where there is no line of headings."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    headings = [name for name in (reader.fieldnames or []) if name]
    if not headings:
        raise ValueError("it has no line of headings")
    return headings, [{name: row.get(name) or "" for name in headings} for row in reader]


def write(filled: Filled) -> str:
    """Return the CSV text; cells that a spreadsheet would compute are made text."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerows([safe(cell) for cell in line] for line in _lines(filled))
    return target.getvalue()


def _lines(filled: Filled) -> Iterator[list[str]]:
    yield filled.headings
    for row in filled.rows:
        yield [row.get(name, "") for name in filled.headings]


def safe(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if cell.startswith(FORMULAS) and not PLAIN.fullmatch(cell):
        return f"'{cell}"
    return cell


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
