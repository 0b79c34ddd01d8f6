"""What goes back out of a store: to whom which report, in which folder, with which marks."""

from pathlib import Path

import pytest

from grader.classroom import handback, store
from grader.classroom.store import Store
from grader.errors import UsageError
from tests.store.filling import ENVIRONMENT, begin, graded

HOSTILE = [
    "../../etc/cron.d/x",
    "/etc/passwd",
    "..",
    "a/b",
    "a\\b",
    "\x1b[31mred",
    "jane",
    "Jane",
    "x" * 300,
    "张伟",
]


@pytest.fixture
def db(tmp_path: Path) -> Store:
    """A run of students with names like these, on a secret seed."""
    with store.create(tmp_path / "class.db") as writer:
        run = writer.start("hw1", "secret:0123", ENVIRONMENT, {}, False)
        for number, name in enumerate(HOSTILE):
            writer.add(run, graded(name, 5.0, f"key{number}"))
        writer.finish(run)
    return store.open(tmp_path / "class.db")


def test_feedback_stays_in_its_folder(db: Store, tmp_path: Path) -> None:
    """Whatever a student is called, there is one folder for each, directly in the one that was named."""
    target = tmp_path / "out" / "back"

    count = handback.feedback(db, handback.chosen(db, None), target)

    assert count == len(HOSTILE)
    folders = sorted(target.iterdir())
    assert len({one.name.casefold() for one in folders}) == len(HOSTILE)
    for folder in folders:
        assert sorted(one.name for one in folder.iterdir()) == ["hw1.html", "hw1.md"]
        assert len(folder.name) <= 90
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["back"]


def test_what_a_student_sees_of_a_secret_run(db: Store) -> None:
    """The output of the check is gone; staff can have the whole."""
    grading = handback.find(db, "jane")

    assert [check.output for check in handback.shown(grading).checks()] == ["", ""]
    assert next(handback.shown(grading, whole=True).checks()).output != ""


def test_which_run_is_meant(tmp_path: Path) -> None:
    """The last one of the homework; with several homeworks one has to be named; none is an error."""
    with store.create(tmp_path / "a.db") as db:
        with pytest.raises(UsageError, match="nothing was graded"):
            handback.chosen(db, None)
        begin(db)
        second = begin(db)
        assert handback.chosen(db, None) == second
        db.start("hw2", "0", ENVIRONMENT, {}, False)
        with pytest.raises(UsageError, match="holds hw1 and hw2; choose by --homework"):
            handback.chosen(db, None)
        assert handback.chosen(db, "hw1") == second


def test_one_of_several_gradings(tmp_path: Path) -> None:
    """The last one, or the one whose number is given; a number that is another student's is none."""
    with store.create(tmp_path / "a.db") as db:
        run = begin(db)
        for student, score in (("jane", 1.0), ("jane", 2.0), ("joe", 3.0)):
            db.add(run, graded(student, score, f"key{score}"))

        assert handback.find(db, "jane").score == 2.0
        assert handback.find(db, "jane", number=1).score == 1.0
        with pytest.raises(UsageError, match="jane has no grading 3"):
            handback.find(db, "jane", number=3)
        with pytest.raises(UsageError, match="no grading of jane for hw2"):
            handback.find(db, "jane", "hw2")


def test_marks_are_scaled(db: Store) -> None:
    """To the maximum of the gradebook's column, with what is known of the student."""
    marks = {mark.student: mark for mark in handback.marks(db, handback.chosen(db, None), 30)}

    assert (marks["jane"].score, marks["jane"].max_score) == (15.0, 30.0)
    assert marks["jane"].facts == {"id": "1"}


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    """The columns that are there are named."""
    book = tmp_path / "book.csv"
    book.write_text("Student,ID,HW1 (1),HW1 (2)\n")

    with pytest.raises(UsageError, match=r"no column is called 'HW2'; it has Student, ID, HW1 \(1\)"):
        handback.filled("canvas", book, "HW2", [])
    with pytest.raises(UsageError, match="2 columns are called 'HW1'"):
        handback.filled("canvas", book, "HW1", [])
    with pytest.raises(UsageError, match="the gradebook cannot be read"):
        handback.filled("canvas", tmp_path / "none.csv", "HW1", [])
