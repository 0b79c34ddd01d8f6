"""Reads a store: runs, gradings, problems, students, and the files that were graded."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from grader.classroom.store.records import Grading, Problem, Run
from grader.errors import UsageError

# the columns are the fields of the records, in their order
RUN = ", ".join(field.name for field in fields(Run))
GRADING = ", ".join(f"g.{field.name}" for field in fields(Grading))
PROBLEM = ", ".join(field.name for field in fields(Problem))
Self = TypeVar("Self", bound="Store")
Record = TypeVar("Record", Run, Grading, Problem)


class Store:
    """An open store; `with` closes it. All that is read is of one moment only within one call."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    def __enter__(self: Self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it. Raises `UsageError` when the file turned out to be damaged."""
        self.close()
        if isinstance(error, sqlite3.Error):
            raise damaged(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def runs(self, homework: str | None = None) -> list[Run]:
        """Return the runs, oldest first."""
        rows = self.connection.execute(
            f"SELECT {RUN} FROM runs WHERE homework = coalesce(?, homework) ORDER BY id", (homework,)
        )
        return [_run(row) for row in rows]

    def run(self, number: int) -> Run | None:
        """Return a run by its number, None if there is none."""
        row = self.connection.execute(f"SELECT {RUN} FROM runs WHERE id = ?", (number,)).fetchone()
        return _run(row) if row else None

    def latest(self, homework: str | None = None) -> Run | None:
        """Return the last run, None if there is none."""
        return next(reversed(self.runs(homework)), None)

    def previous(self, run: Run) -> Run | None:
        """Return the run of the same homework before this one, None for the first."""
        return next((one for one in reversed(self.runs(run.homework)) if one.id < run.id), None)

    def gradings(self, run: Run | int | None = None) -> Iterator[Grading]:
        """Yield the gradings of a run, one for each student, by name; without a run all, oldest first.

        A run's gradings are those that count for it: submissions that had been graded before are among them.
        Reports are read as they are reached, so that memory does not grow with the class.
        """
        if run is None:
            sql = f"SELECT {GRADING} FROM gradings g ORDER BY g.id"
            yield from map(_grading, self.connection.execute(sql))
            return
        number = run.id if isinstance(run, Run) else run
        sql = f"SELECT {GRADING} FROM entries e JOIN gradings g ON g.id = e.grading WHERE e.run = ?"
        yield from map(_grading, self.connection.execute(sql + " ORDER BY e.student", (number,)))

    def scores(self, run: Run | int) -> dict[str, tuple[float, float]]:
        """Return score and maximum of each student of a run, by name."""
        number = run.id if isinstance(run, Run) else run
        rows = self.connection.execute(
            "SELECT e.student, g.score, g.max_score FROM entries e JOIN gradings g ON g.id = e.grading "
            "WHERE e.run = ? ORDER BY e.student",
            (number,),
        )
        return {student: (score, most) for student, score, most in rows}

    def grading(self, number: int) -> Grading | None:
        """Return a grading by its number, None if there is none."""
        row = self.connection.execute(
            f"SELECT {GRADING} FROM gradings g WHERE g.id = ?", (number,)
        ).fetchone()
        return _grading(row) if row else None

    def history(self, student: str, homework: str | None = None) -> list[Grading]:
        """Return all gradings of a student, oldest first."""
        sql = f"SELECT {GRADING} FROM gradings g WHERE student = ? AND homework = coalesce(?, homework)"
        rows = self.connection.execute(sql + " ORDER BY g.id", (student, homework))
        return [_grading(row) for row in rows]

    def problems(self, run: Run | int | None = None) -> list[Problem]:
        """Return what a run could not grade, by name; without a run what any could not, oldest first."""
        number = run.id if isinstance(run, Run) else run
        order = "id" if number is None else "student, source"
        sql = f"SELECT {PROBLEM} FROM problems WHERE run = coalesce(?, run) ORDER BY {order}"
        return [_problem(row) for row in self.connection.execute(sql, (number,))]

    def students(self) -> dict[str, dict[str, Any]]:
        """Return what is known of each student beside the name: `id`, `email` and the like, by name."""
        rows = self.connection.execute("SELECT name, facts FROM students ORDER BY name")
        return {name: json.loads(facts) for name, facts in rows}

    def files(self, content: str) -> dict[str, bytes]:
        """Return the files of a graded submission by their path from the homework's root.

        Data sets are not kept. Raises `KeyError` for a hash that is not there.
        """
        row = self.connection.execute(
            "SELECT root, archive FROM contents WHERE hash = ?", (content,)
        ).fetchone()
        if row is None:
            raise KeyError(content)
        root, archive = row
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            names = [name for name in packed.namelist() if name.startswith(root)]
            return {name[len(root) :]: packed.read(name) for name in names}


def damaged(path: Path, error: sqlite3.Error) -> UsageError:
    """Return the error of a store that SQLite cannot read or bring up to date."""
    operational = isinstance(error, sqlite3.OperationalError)  # locked, not permitted, no room
    hint = "" if operational else "; go back to a copy of it"
    return UsageError(f"{path}: the store cannot be used ({error}){hint}")


def moment(seconds: float) -> datetime:
    """Return a time of the store's."""
    return datetime.fromtimestamp(seconds, timezone.utc)


def _run(row: tuple[Any, ...]) -> Run:
    return _record(Run, row, environment=json.loads, options=json.loads, forced=bool)


def _grading(row: tuple[Any, ...]) -> Grading:
    def names(text: str) -> tuple[str, ...]:
        return tuple(json.loads(text))

    return _record(Grading, row, complete=bool, causes=names, environment=json.loads)


def _problem(row: tuple[Any, ...]) -> Problem:
    return _record(Problem, row)


def _record(kind: type[Record], row: tuple[Any, ...], **more: Callable[[Any], Any]) -> Record:
    """Return a row as a record; `more` are the fields that are stored otherwise than they are read."""
    names = [field.name for field in fields(kind)]
    convert = {"started": moment, "finished": moment, "at": moment, **more}
    values = {
        name: convert[name](value) if name in convert and value is not None else value
        for name, value in zip(names, row, strict=True)
    }
    return kind(**values)
