"""The tables of a store, as the steps that lead from each version of them to the next.

A released step is never edited: a change of the tables is one more step at the end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

APPLICATION = 0x4E474353  # marks the file as a store of this grader, in the header of the database

FIRST = """
CREATE TABLE students (
    name TEXT PRIMARY KEY,
    facts TEXT NOT NULL                 -- JSON: what an export or --names said: id, email, members
) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    homework TEXT NOT NULL,
    started REAL NOT NULL,              -- seconds since 1970, UTC, as all times here
    finished REAL,                      -- null: stopped before its end, to be continued
    seed TEXT NOT NULL,
    environment TEXT NOT NULL,          -- JSON: grader, python, numpy
    options TEXT NOT NULL,              -- JSON: those that change results
    forced INTEGER NOT NULL
);
CREATE TABLE contents (
    hash TEXT PRIMARY KEY,
    root TEXT NOT NULL,                 -- where the homework lies in the archive: "" or "a/b/"
    archive BLOB NOT NULL               -- a zip of what was graded
);
CREATE TABLE gradings (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    student TEXT NOT NULL REFERENCES students,
    homework TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL REFERENCES contents,
    source TEXT NOT NULL,
    at REAL NOT NULL,
    seconds REAL NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    complete INTEGER NOT NULL,
    failed INTEGER NOT NULL,            -- scored checks that did not pass
    causes TEXT NOT NULL,               -- JSON: the functions at fault
    seed TEXT NOT NULL,
    environment TEXT NOT NULL,
    packed BLOB NOT NULL,               -- the report: JSON, compressed by zlib
    UNIQUE (run, student, key)
);
CREATE INDEX gradings_by_key ON gradings (student, homework, key);
CREATE TABLE entries (                  -- whom a run is about, and which grading counts for it
    run INTEGER NOT NULL REFERENCES runs,
    student TEXT NOT NULL REFERENCES students,
    grading INTEGER NOT NULL REFERENCES gradings,
    PRIMARY KEY (run, student)
) WITHOUT ROWID;
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    student TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    key TEXT NOT NULL,                  -- "" where the submission could not be read
    at REAL NOT NULL,
    UNIQUE (run, source, student)
);
"""

MIGRATIONS = (FIRST,)
VERSION = len(MIGRATIONS)


def version(connection: sqlite3.Connection) -> int:
    """Return the number of steps that a database has taken."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, steps: Sequence[str] = MIGRATIONS) -> None:
    """Take the steps that are missing, each whole or not at all."""
    for number in range(version(connection), len(steps)):
        script = f"BEGIN IMMEDIATE; {steps[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        try:
            connection.executescript(script)
        except sqlite3.Error:
            if connection.in_transaction:
                connection.rollback()
            raise
