"""`--names FILE.csv`: what the students are called, whatever their files are called.

A first line of headings, one of them `name`; in any other column stands what a submission is known by: the
name in its file's or folder's name, that whole name, an id or an e-mail address. All columns are kept with
the student, for gradebooks.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.classroom.roster import Entry, Roster, rename
from grader.errors import UsageError


@dataclass(frozen=True)
class Names:
    """The lines of a list of names, and by which word each is found."""

    by_word: dict[str, dict[str, str]]
    names: tuple[str, ...]


def read(path: Path) -> Names:
    """Return a list of names. Raises `UsageError` for a file that is none, and for a word on two lines."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [_row(line) for line in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: the names cannot be read ({reason}); save it as CSV in UTF-8") from error
    if not rows or "name" not in rows[0]:
        raise UsageError(f"{path}: a first line of headings with `name` and at least one other is needed")
    by_word: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows, 2):
        for word in _words(row):
            if by_word.setdefault(word, row) is not row:
                raise UsageError(f"{path}:{number}: {word!r} stands on another line too")
    return Names(by_word, tuple(row["name"] for row in rows if row["name"]))


def _row(line: dict[Any, Any]) -> dict[str, str]:
    """Return a line by its headings in small letters; cells beyond the headings are left out."""
    return {
        str(name).strip().lower(): (value or "").strip()
        for name, value in line.items()
        if name is not None and not isinstance(value, list)
    }


def _words(row: dict[str, str]) -> Iterable[str]:
    return {value.casefold() for name, value in row.items() if value and name != "name"}


def apply(names: Names, found: Roster) -> Roster:
    """Return the roster under the names of the list; who is not on it keeps theirs."""
    return Roster([_renamed(names, entry) for entry in found.entries], found.refusals)


def _renamed(names: Names, entry: Entry) -> Entry:
    words = sorted(word.casefold() for word in entry.words)
    row = next((names.by_word[word] for word in words if word in names.by_word), None)
    if row is None or not row["name"]:
        return entry
    return rename(
        entry, row["name"], {name: value for name, value in row.items() if name != "name" and value}
    )


def missing(names: Names, found: Roster) -> list[str]:
    """Return the names on the list of whom there is no submission."""
    present = {entry.student for entry in found.entries} | {one.student for one in found.refusals}
    return [name for name in names.names if name not in present]
