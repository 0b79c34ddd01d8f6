"""Opens a store, or says in one line why a file is none; nothing of such a file is touched.

A new store is made beside its place and moved there whole, so that no half-made one is ever found.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from grader.classroom.store import schema
from grader.classroom.store.reading import Store, damaged
from grader.classroom.store.writing import Writer
from grader.errors import UsageError

MAGIC = b"SQLite format 3\0"
Kind = TypeVar("Kind", Store, Writer)
WAIT = 30.0  # seconds for another process's transaction


def open(path: Path) -> Store:
    """Open a store to read. Raises `UsageError` for a path that is none, and for one of a newer grader."""
    _require_store(path)
    return _opened(path, Store)


def create(path: Path) -> Writer:
    """Open a store to write, after making or migrating it where that is needed. Raises as `open` does."""
    if not path.exists():
        _make(path)
    _require_store(path)
    writer = _opened(path, Writer)
    try:
        (state,) = writer.connection.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        if schema.version(writer.connection) < schema.VERSION:
            schema.migrate(writer.connection)
            writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        writer.close()
        raise damaged(path, error) from error
    return writer


def is_one(path: Path) -> bool:
    """Tell whether a file is a database at all; `open` says what is wrong with it."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _require_store(path: Path) -> None:
    """Look at the header alone, without SQLite, which may write to a file that it opens."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{path}: no store can be read there ({reason.lower()})") from error
    fields = struct.unpack(">I4xI", header[60:72]) if len(header) == 100 else (0, 0)
    if not header.startswith(MAGIC) or fields[1] != schema.APPLICATION:
        raise UsageError(f"{path}: not a store of this grader; give another file, `grader class` makes it")
    _require_known(path, fields[0])


def _require_known(path: Path, version: int) -> None:
    if version > schema.VERSION:
        raise UsageError(
            f"{path}: a store of a newer grader (version {version}, this one knows {schema.VERSION}); "
            "install that grader to use it"
        )


def _opened(path: Path, kind: type[Kind]) -> Kind:
    try:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:  # the header may lag behind it
            with contextlib.closing(_connected(path, "ro")) as connection:
                _require_known(path, schema.version(connection))
        connection = _connected(path, "rw")  # a reader too: the last one to close tidies up
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_mode = WAL" if kind is Writer else "PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM runs")
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise damaged(path, error) from error
    return kind(path, connection)


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=WAIT)


def _make(path: Path) -> None:
    """Make an empty store in its place, unless another process was quicker."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
            schema.migrate(connection)
        new.chmod(0o600)  # names, marks and code of students
        if not path.exists():
            new.replace(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path}: no store can be made there ({reason.lower()})") from error
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep a second `grader class` from the same store. The kernel ends the lock with its process."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    name = path.with_name(f"{path.name}-lock")
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"{path}: no store can be made there ({(error.strerror or '').lower()})") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield
        finally:
            name.unlink(missing_ok=True)  # while it is held, so that nobody loses one of their own
    except BlockingIOError as error:
        raise UsageError(f"{path}: another `grader class` is at work on it; wait for its end") from error
    finally:
        os.close(descriptor)
