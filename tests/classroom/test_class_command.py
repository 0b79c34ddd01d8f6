"""`grader class`, `report` and `export` as they are called."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from grader.classroom import store
from tests.classroom.small_class import make, wait_for
from tests.cli.commands import COMMAND, call, environment
from tests.sandbox.driver import descendants, survivors


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of two and one that cannot be read, graded with a secret seed."""
    folder = tmp_path_factory.mktemp("class")
    make(folder / "class", 2, wrong=True)
    (folder / "class" / "broken.zip").write_bytes(b"none")
    (folder / "seed").write_text("the secret seed of this course")
    return folder


def _class(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    words = ("class", "hw1", "class", "--store", "class.db", "--seed-file", "seed", "--no-blame", *more)
    return call(*words, cwd=folder)


def test_graded_then_nothing_to_do(course: Path) -> None:
    """The first call grades two and lists the third; the second grades nothing; both exit 1 for the third."""
    first = _class(course)
    second = _class(course)

    assert (first.returncode, second.returncode) == (1, 1)
    assert "2 submissions with a grade" in first.stdout
    assert "graded 2 now" in first.stdout
    assert "seed secret" in first.stdout
    assert "broken (class/broken.zip): neither a folder nor a readable" in first.stdout
    assert "nothing to grade" in second.stdout
    assert "graded" not in second.stderr
    assert max(len(line) for line in first.stdout.splitlines()) <= 80
    assert sorted(one.name for one in course.iterdir() if one.name.startswith("class")) == [
        "class",
        "class.db",
    ]


def test_a_report_shows_nothing_of_secret_inputs(course: Path) -> None:
    """What a student gets says pass or fail; `--whole` is for staff; the store has the whole."""
    if not (course / "class.db").exists():
        _class(course)

    shown = call("report", "class.db", "student0", "--json", "-", cwd=course)
    whole = call("report", "class.db", "student0", "--json", "-", "--whole", cwd=course)
    page = call("report", "class.db", "student0", cwd=course)

    checks = {
        name: next(
            check
            for question in json.loads(text)["questions"]
            for check in question["checks"]
            if check["verdict"] == "failed" and not check["advice"]
        )
        for name, text in (("shown", shown.stdout), ("whole", whole.stdout))
    }
    assert (checks["shown"]["counterexample"], checks["shown"]["actual"]) == (None, None)
    assert "fails on a hidden input" in checks["shown"]["message"]
    assert checks["whole"]["counterexample"]
    assert "fails on a hidden input" in page.stdout


def test_feedback_shows_nothing_of_secret_inputs(course: Path) -> None:
    """A folder for each student with a page and Markdown; no value of an input, no path of ours."""
    if not (course / "class.db").exists():
        _class(course)

    done = call("export", "class.db", "feedback", "back", cwd=course)

    assert done.returncode == 0, done.stderr
    assert sorted(one.name for one in (course / "back").iterdir()) == ["student0", "student1"]
    for name in ("hw1.html", "hw1.md"):
        text = (course / "back" / "student0" / name).read_text()
        assert "hidden" in text
        for word in (">yours<", "yours  ", str(course), "class/student0"):
            assert word not in text


def test_lists(course: Path) -> None:
    """Without a student all are listed; a name that is not there meets the nearest ones."""
    if not (course / "class.db").exists():
        _class(course)

    listed = call("report", "class.db", cwd=course)
    unknown = call("report", "class.db", "studnt0", cwd=course)
    history = call("report", "class.db", "student0", "--history", cwd=course)
    refused = call("report", "class.db", "broken", cwd=course)

    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["student", "student0", "student1"]
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)
    assert "did you mean student0" in unknown.stderr
    assert history.stdout.count("secret seed") == 1
    assert "could not be graded" in refused.stderr


def test_marks_for_canvas(course: Path) -> None:
    """The gradebook's own export comes back with the marks, for those who are in it; the others are named."""
    if not (course / "class.db").exists():
        _class(course)
    book = "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (77)\n    Points Possible,,,,,50\n0,9,,student0,A,\n"
    (course / "book.csv").write_text(book)
    words = ("export", "class.db", "canvas", "out.csv", "--gradebook", "book.csv", "--column", "HW 1")

    done = call(*words, "--out-of", "50", cwd=course)

    with store.open(course / "class.db") as db:
        score = db.history("student0")[-1].score / 2
    lines = (course / "out.csv").read_text().splitlines()
    assert (done.returncode, "student1" in done.stderr) == (1, True)
    assert lines[0] == "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (77)"
    assert float(lines[2].rpartition(",")[2]) == pytest.approx(score)


@pytest.mark.parametrize("words", [("class", "hw1", "class", "--store", "x.db"), ("report", "x.db", "jane")])
@pytest.mark.parametrize("kind", ["newer", "text"])
def test_a_file_that_is_no_store_of_ours(words: tuple[str, ...], kind: str, course: Path) -> None:
    """One line, exit 2, and the file is as it was."""
    path = course / "x.db"
    path.unlink(missing_ok=True)
    if kind == "text":
        path.write_text("student,score\n")
    else:
        store.create(path).close()
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
    before = path.read_bytes()

    done = call(*words, cwd=course)

    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")
    assert "x.db" in done.stderr
    assert path.read_bytes() == before


def _started(folder: Path, size: int) -> subprocess.Popen[str]:
    """A class being graded; at least one submission is in the store."""
    make(folder / "class", size)
    words = ["class", "hw1", "class", "--store", "class.db", "--no-blame", "--jobs", "2"]
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(TMPDIR=str(folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: _count(folder / "class.db") > 0)
    return process


def _count(path: Path) -> int:
    if not path.exists():
        return 0
    with store.open(path) as db:
        return int(db.connection.execute("SELECT count(*) FROM gradings").fetchone()[0])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c(presses: int, tmp_path: Path) -> None:
    """Once: those being graded are finished and stored; twice: at once. Exit 3; nothing is left running."""
    process = _started(tmp_path, 6)
    started = descendants(process.pid) | {process.pid}
    for _ in range(presses):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.3)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, "Traceback" in err) == (3, False)
    assert "stopping: " in err
    assert "the same command goes on from there" in out
    assert survivors(started) == set()
    assert 0 < _count(tmp_path / "class.db") < 6
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("grader")] == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_killed_it_leaves_no_process(tmp_path: Path) -> None:
    """Those that grade end with the one that started them, and take their folders along."""
    process = _started(tmp_path, 6)
    started = descendants(process.pid)
    assert len(started) >= 2
    process.kill()
    process.communicate(timeout=20)

    wait_for(lambda: survivors(started) == set(), 10)
    wait_for(lambda: not [one for one in tmp_path.iterdir() if one.name.startswith("grader")], 10)
