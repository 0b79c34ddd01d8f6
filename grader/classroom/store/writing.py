"""Writes a store: each call is one transaction, whole on the disk when it returns."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from grader.classroom.store.reading import Store
from grader.classroom.store.records import Run
from grader.errors import NotGraded


@dataclass(frozen=True)
class Graded:
    """What is stored of one submission: whose it is, what was graded, and the report's JSON."""

    student: str
    facts: dict[str, Any]
    key: str
    content: str
    root: str
    archive: bytes
    source: str
    report: dict[str, Any]


class Writer(Store):
    """A store that is open to write. A full disk raises `NotGraded`; what was stored before it stays."""

    def start(
        self, homework: str, seed: str, environment: dict[str, str], options: dict[str, Any], forced: bool
    ) -> Run:
        """Begin a run and return it."""
        values = (homework, time.time(), seed, _text(environment), _text(options), int(forced))
        with self._transaction() as connection:
            number = connection.execute(
                "INSERT INTO runs (homework, started, seed, environment, options, forced) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                values,
            ).lastrowid
        run = self.run(number or 0)
        assert run is not None  # it was written just now
        return run

    def finish(self, run: Run) -> None:
        """Note that a run came to its end."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET finished = ? WHERE id = ?", (time.time(), run.id))

    def known(self, homework: str) -> dict[tuple[str, str], int]:
        """Return the last grading of each (student, key)."""
        rows = self.connection.execute(
            "SELECT student, key, max(id) FROM gradings WHERE homework = ? GROUP BY student, key", (homework,)
        )
        return {(student, key): number for student, key, number in rows}

    def members(self, run: Run) -> dict[str, tuple[str, int]]:
        """Return the key and number of the grading that counts for each student of a run."""
        rows = self.connection.execute(
            "SELECT e.student, g.key, g.id FROM entries e JOIN gradings g ON g.id = e.grading "
            "WHERE e.run = ?",
            (run.id,),
        )
        return {student: (key, number) for student, key, number in rows}

    def add(self, run: Run, graded: Graded) -> None:
        """Keep a grading, and have it count for the run; a problem noted in this run for it is over."""
        with self._transaction() as connection:
            _student(connection, graded.student, graded.facts)
            connection.execute(
                "INSERT OR IGNORE INTO contents VALUES (?, ?, ?)",
                (graded.content, graded.root, graded.archive),
            )
            number = _grading(connection, run, graded)
            _entry(connection, run, graded.student, number)
            connection.execute(
                "DELETE FROM problems WHERE run = ? AND student = ? AND source = ?",
                (run.id, graded.student, graded.source),
            )

    def reuse(self, run: Run, gradings: Iterable[tuple[str, dict[str, Any], int]]) -> None:
        """Have gradings of earlier runs count for this one: (student, facts, number of the grading)."""
        with self._transaction() as connection:
            for student, facts, number in gradings:
                _student(connection, student, facts)
                _entry(connection, run, student, number)

    def fail(self, run: Run, student: str, source: str, kind: str, reason: str, key: str = "") -> None:
        """Note what could not be graded, once for each run; grades that are there stay as they are."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO problems (run, student, source, kind, reason, key, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (run, source, student) DO UPDATE SET "
                "kind = excluded.kind, reason = excluded.reason, key = excluded.key",
                (run.id, student, source, kind, reason, key, time.time()),
            )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise NotGraded(
                f"{self.path}: cannot be written ({error}); what was stored before is whole: "
                "make room and give the same command again"
            ) from error


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _student(connection: sqlite3.Connection, name: str, facts: dict[str, Any]) -> None:
    connection.execute(
        "INSERT INTO students VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET facts = excluded.facts "
        "WHERE excluded.facts != '{}' AND excluded.facts != facts",
        (name, _text(facts)),
    )


def _entry(connection: sqlite3.Connection, run: Run, student: str, grading: int) -> None:
    connection.execute(
        "INSERT INTO entries VALUES (?, ?, ?) "
        "ON CONFLICT (run, student) DO UPDATE SET grading = excluded.grading",
        (run.id, student, grading),
    )


def _grading(connection: sqlite3.Connection, run: Run, graded: Graded) -> int:
    report = graded.report
    lost = {check["id"] for question in report["questions"] for check in question["checks"] if _fails(check)}
    costly = [cause for cause in report["causes"] if not lost.isdisjoint(cause["explains"])]
    causes = list(dict.fromkeys(name for cause in costly for name in cause["functions"]))
    row = {
        "run": run.id,
        "student": graded.student,
        "homework": run.homework,
        "key": graded.key,
        "content": graded.content,
        "source": graded.source,
        "at": time.time(),
        "seconds": report["seconds"],
        "score": report["score"],
        "max_score": report["max_score"],
        "complete": int(report["complete"]),
        "failed": len(lost),
        "causes": _text(causes),
        "seed": run.seed,
        "environment": _text(report["environment"]),
        "packed": zlib.compress(json.dumps(report, separators=(",", ":")).encode()),
    }
    marks = ", ".join(f":{name}" for name in row)
    cursor = connection.execute(f"INSERT INTO gradings ({', '.join(row)}) VALUES ({marks})", row)
    return cursor.lastrowid or 0


def _fails(check: dict[str, Any]) -> bool:
    return not check["advice"] and check["verdict"] not in ("passed", "not-run")
