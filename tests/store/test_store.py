"""The store keeps every grading, and gives back what was put in."""

import sqlite3
from pathlib import Path

import pytest

from grader.classroom import store
from grader.classroom.store import schema
from grader.errors import UsageError
from tests.store.filling import begin, graded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.db"


def test_a_grading_comes_back_whole(path: Path) -> None:
    """Columns and report are those that were stored; advice is no failed check."""
    with store.create(path) as db:
        run = begin(db)
        db.add(run, graded("jane", 7.0))
        db.finish(run)
    with store.open(path) as db:
        (found,) = db.gradings(db.latest("hw1"))

        assert (found.student, found.score, found.max_score, found.failed) == ("jane", 7.0, 10.0, 1)
        assert found.data() == graded("jane", 7.0).report
        assert found.report().as_dict() == found.data()
        assert db.students() == {"jane": {"id": "1"}}
        assert db.files(found.content) == {"python/needle/a.py": b"jane"}


def test_a_regrade_leaves_the_first_grading(path: Path) -> None:
    """Both are in the history; the run's own list has the one that counts."""
    with store.create(path) as db:
        for score in (3.0, 9.0):
            run = begin(db)
            db.add(run, graded("jane", score))
            db.finish(run)

        assert [one.score for one in db.history("jane")] == [3.0, 9.0]
        assert [one.score for one in db.gradings(1)] == [3.0]
        assert [one.score for one in db.gradings(db.latest())] == [9.0]
        previous = db.previous(run)
        assert previous is not None
        assert previous.id == 1


def test_an_earlier_grading_can_count_for_a_later_run(path: Path) -> None:
    """It is listed for both runs, and stored once."""
    with store.create(path) as db:
        first = begin(db)
        db.add(first, graded("jane"))
        second = begin(db)
        db.reuse(second, [("jane", {}, 1)])

        assert [one.id for one in db.gradings(second)] == [1]
        assert len(list(db.gradings())) == 1
        assert db.students() == {"jane": {"id": "1"}}  # nothing known is no news


def test_a_problem_never_replaces_a_grade(path: Path) -> None:
    """A crash in a later run is beside the grading of the earlier one; noted again it is noted once."""
    with store.create(path) as db:
        first = begin(db)
        db.add(first, graded("jane"))
        second = begin(db)
        for reason in ("MemoryError", "OSError"):
            db.fail(second, "jane", "jane.zip", "crash", reason)

        assert [(one.run, one.reason) for one in db.problems()] == [(2, "OSError")]
        assert [one.score for one in db.history("jane")] == [7.0]
        db.add(second, graded("jane", 8.0))
        assert db.problems() == []


@pytest.mark.parametrize("mode", ["class", "report"])
def test_a_newer_store_is_not_touched(path: Path, mode: str) -> None:
    """One of a later schema is refused, to readers and writers, and stays as it is byte for byte."""
    with store.create(path) as db:
        db.connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = path.read_bytes()

    with pytest.raises(UsageError, match="a store of a newer grader"):
        (store.create if mode == "class" else store.open)(path)

    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_newer_store_whose_log_was_not_written_back(path: Path) -> None:
    """The version that counts may stand in the log alone, when its grader was killed."""
    with store.create(path) as db:
        db.connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        copies = {name: path.with_name(name).read_bytes() for name in ("class.db", "class.db-wal")}
    for name, data in copies.items():
        path.with_name(name).write_bytes(data)

    with pytest.raises(UsageError, match="a store of a newer grader"):
        store.create(path)

    assert {name: path.with_name(name).read_bytes() for name in copies} == copies


def _database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (id INTEGER)")
    connection.close()


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("student,score\n"),
        lambda path: path.write_bytes(b"SQLite format 3\0"),
        _database,
    ],
    ids=["empty", "csv", "cut off", "another database"],
)
def test_what_is_no_store_is_not_touched(path: Path, make) -> None:  # type: ignore[no-untyped-def]
    """A file that is something else is refused and stays as it is."""
    make(path)
    before = path.read_bytes()

    for opened in (store.open, store.create):
        with pytest.raises(UsageError, match="not a store of this grader"):
            opened(path)

    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_damaged_store(path: Path) -> None:
    """What SQLite cannot read is said in one line, to readers and writers; it is not made worse."""
    with store.create(path) as db:
        run = begin(db)
        for number in range(20):
            db.add(run, graded(f"s{number}", number, f"key{number}", f"hash{number}"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :: 512] = bytes(len(data[len(data) // 2 :: 512]))
    data[8192 : len(data) : 4096] = b"\xff" * len(data[8192 : len(data) : 4096])
    path.write_bytes(data)

    with pytest.raises(UsageError, match="the store cannot be used"), store.open(path) as reader:
        list(reader.gradings())
    with pytest.raises(UsageError, match="the store cannot be used"):
        store.create(path)

    assert path.read_bytes() == data


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    """Reading makes none; where none can be made that is said."""
    with pytest.raises(UsageError, match="no such file"):
        store.open(tmp_path / "a.db")
    with pytest.raises(UsageError, match="no store can be made there"):
        store.create(tmp_path / "nowhere" / "a.db")

    assert list(tmp_path.iterdir()) == []


def test_readers_leave_nothing_behind(path: Path) -> None:
    """Neither log nor index of it remains when the last one closes."""
    store.create(path).close()
    with store.open(path) as db:
        assert db.runs() == []
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            db.connection.execute("DELETE FROM runs")

    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_second_writer_waits_outside(path: Path) -> None:
    """While one `class` is at work another one is refused, and afterwards let in."""
    with store.locked(path), pytest.raises(UsageError, match="another"), store.locked(path):
        pass
    with store.locked(path):
        pass

    assert list(path.parent.iterdir()) == []


def test_migrations_keep_what_is_there(path: Path) -> None:
    """The missing steps are taken, in order; a step that fails leaves the version before it."""
    steps = (
        *schema.MIGRATIONS,
        "ALTER TABLE runs ADD COLUMN room TEXT",
        "CREATE TABLE a (b); SELECT nonsense",
    )
    with store.create(path) as db:
        begin(db)

        with pytest.raises(sqlite3.OperationalError, match="nonsense"):
            schema.migrate(db.connection, steps)

        assert schema.version(db.connection) == schema.VERSION + 1
        assert db.connection.execute("SELECT homework, room FROM runs").fetchall() == [("hw1", None)]
        tables = {name for (name,) in db.connection.execute("SELECT name FROM sqlite_master")}
        assert "a" not in tables
