"""All of a comparison as plain data: what the page shows, what `--json` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grader import __version__
from grader.classroom.compare import examples
from grader.classroom.compare.changes import Change, changes
from grader.classroom.compare.mistakes import Mistake, mistakes
from grader.classroom.compare.rows import Row, Table
from grader.classroom.compare.spread import Spread, spread

SCHEMA = 1
MISSING = "."


class Strings:
    """Each distinct text once, by number."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Return the number of a text."""
        if text not in self._places:
            self._places[text] = len(self.all)
            self.all.append(text)
        return self._places[text]


@dataclass
class Comparison:
    """A class's rows with what was found in them; `old` is the table of the run before, if there is one.

    `reference_seconds` is the time of the reference's checks on a machine like that of the class.
    """

    table: Table
    old: Table | None = None
    similar: dict[str, Any] | None = None
    problems: Sequence[tuple[str, str]] = ()
    title: str = ""
    reference_seconds: float | None = None

    def __post_init__(self) -> None:
        self.mistakes: list[Mistake] = mistakes(self.table.rows)
        self.changes: list[Change] = changes(self.old.rows, self.table.rows) if self.old else []

    @property
    def most(self) -> float:
        """Return the points that can be had."""
        return max((one.max_score for one in self.table.rows), default=0.0)

    def figures(self) -> Spread:
        """Return how the scores are distributed."""
        return spread([one.score for one in self.table.rows], self.most)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data, in columns: texts and failures stand once, by number."""
        rows, checks = self.table.rows, list(self.table.checks.values())
        strings = Strings()
        names = examples.Names(self.table)
        cells, failed, failures = _cells(rows, list(self.table.checks), strings)
        return {
            "schema": SCHEMA,
            "title": self.title,
            "facts": self._facts(),
            "questions": [[name, *rest] for name, rest in self.table.questions.items()],
            "checks": [asdict(check) for check in checks],
            "students": [one.student for one in rows],
            "submissions": [one.submission for one in rows],
            "scores": [one.score for one in rows],
            "complete": [one.complete for one in rows],
            "points": [[one.points.get(name) for name in self.table.questions] for one in rows],
            "work": [[one.work.nodes, one.work.reference, one.work.alive, one.work.seconds] for one in rows],
            "cells": cells,
            "failed": failed,
            "failures": failures,
            "strings": strings.all,
            "mistakes": [self._mistake(one, names) for one in self.mistakes],
            "changes": [self._changed(one) for one in self.changes if one.differs],
            "same": sum(not one.differs for one in self.changes),
            "compared": self.old is not None,
            "similar": self.similar,
            "problems": [list(one) for one in self.problems],
        }

    def _facts(self) -> dict[str, Any]:
        rows = self.table.rows
        return {
            "homework": ", ".join(sorted({one.homework for one in rows})),
            "max_score": self.most,
            "spread": asdict(self.figures()),
            "when": max((one.when for one in rows), default=""),
            "grader": __version__,
            "reference_seconds": self.reference_seconds,
            "conditions": _conditions(rows),
        }

    def _mistake(self, one: Mistake, names: examples.Names) -> dict[str, Any]:
        rows = self.table.rows
        secret = any(rows[member].conditions.get("seed") == "secret" for member in one.members)
        what = examples.told(one, names, secret=secret)
        homework = rows[one.members[0]].homework
        return {
            "functions": list(one.functions),
            "sentence": what.sentence,
            "known": sorted(text for kind, text in one.symptoms if kind == "known"),
            "count": one.count,
            "lost": round(one.lost, 2),
            "advice": one.advice,
            "checks": [[check, count] for check, count in one.checks.items()],
            "example": [list(pair) for pair in what.example],
            "help": what.help,
            "check": what.check,
            "announcement": examples.announcement(one, what, len(rows), homework),
            "members": list(one.members),
        }

    def _changed(self, one: Change) -> dict[str, Any]:
        return {
            "row": one.new,
            "before": one.before,
            "after": one.after,
            "steps": [[step.check, step.before, step.after, step.way] for step in one.steps],
            "causes": list(one.causes),
        }


def _cells(
    rows: Sequence[Row], checks: Sequence[str], strings: Strings
) -> tuple[list[str], list[list[int]], list[list[Any]]]:
    """Return a word of letters for each row, its failures as flat pairs (check, failure), the failures."""
    numbers: dict[Any, int] = {}
    letters = ["".join(one.verdicts.get(check, MISSING) for check in checks) for one in rows]
    places = {check: place for place, check in enumerate(checks)}
    failed = []
    for one in rows:
        flat = []
        for check, failure in one.failures.items():
            flat += [places[check], numbers.setdefault(failure, len(numbers))]
        failed.append(flat)
    failures = [
        [
            strings.place(failure.message),
            *(strings.place(text) for pair in failure.evidence for text in pair),
        ]
        for failure in numbers
    ]
    return letters, failed, failures


def _conditions(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the versions and seeds that occur."""
    names = ("grader", "python", "numpy", "platform", "seed")
    return {name: sorted({one.conditions.get(name, "?") for one in rows}) for name in names}
