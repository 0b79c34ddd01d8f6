"""The process that grades: what it does to a submission, and what happens when it dies."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.classroom import child, files, parcel
from grader.classroom.grade import grade
from grader.classroom.task import Outcome, Task, receive, send
from grader.report import stored
from grader.report.model import CheckResult
from tests.classroom.small_class import make, wait_for
from tests.support import build

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """No process outlives its test."""
    child.begin()
    yield
    child.end_all()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("class"), 1, wrong=True) / "student0"


@pytest.fixture
def task(folder: Path) -> Task:
    packed = parcel.pack(files.listing(folder), "hw1", str(folder))
    return Task(packed.archive, packed.data, "hw1", 0, blame=False)


def test_the_report_is_that_of_a_single_run(task: Task, folder: Path) -> None:
    """But for times and the path it is the report of `grader hw1`, from a process that is used again."""
    alone = grade(folder, "hw1", blame=False)

    for _ in range(2):
        found = stored.load(child.grade(task).data())

        assert (found.score, found.environment) == (alone.score, alone.environment)
        assert [_judged(check) for check in found.checks()] == [_judged(check) for check in alone.checks()]


def _judged(check: CheckResult) -> tuple[str, str, float, str | None]:
    return check.id, check.verdict, check.points, check.known_mistake


def test_no_path_of_ours_is_in_a_report(tmp_path: Path) -> None:
    """What a warning prints is told from the homework's root, since it is compared and shown."""
    warns = "def compute(self, a):\n    import warnings\n    warnings.warn('odd')\n    return -a - 1"
    root = build(tmp_path / "hw1", "hw1", solutions={"Negate.compute": warns})
    packed = parcel.pack(files.listing(root), "hw1", str(root))

    text = json.dumps(child.grade(Task(packed.archive, packed.data, "hw1", 0, blame=False)).data())

    assert "odd" in text
    assert "grader-" not in text


def _kill(times: int) -> threading.Thread:
    """Kill the process that grades, so many times."""

    def kill() -> None:
        seen: set[int] = set()
        for _ in range(times):
            wait_for(lambda: any(one.process.pid not in seen for one in list(child._living)))
            new = next(one for one in list(child._living) if one.process.pid not in seen)
            seen.add(new.process.pid)
            os.kill(new.process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_killed_once_it_is_tried_again(task: Task) -> None:
    """A fresh process grades it."""
    killer = _kill(1)
    outcome = child.grade(task)
    killer.join()

    assert outcome.data()["score"] < 100


def test_killed_twice_it_is_set_aside(task: Task) -> None:
    """With its reason; the next submission is graded."""
    killer = _kill(2)
    outcome = child.grade(task)
    killer.join()

    assert (outcome.kind, outcome.report) == ("set-aside", b"")
    assert outcome.reason.startswith("ended the process that graded it 2 times (killed")
    assert child.grade(task).kind == ""


def test_an_error_of_the_grader_is_an_outcome(task: Task) -> None:
    """A task that the grader chokes on comes back as a crash, and the process goes on."""
    outcome = child.grade(replace(task, data=(0,)))  # type: ignore[arg-type]

    assert outcome.kind == "crash"
    assert outcome.reason.startswith("the grader itself failed on it (TypeError")
    assert child.grade(task).kind == ""


@pytest.mark.parametrize(
    "record", [Task(b"\0bytes", ("a", "b"), "hw1", "secret"), Outcome(b"\0", "", ""), Outcome(kind="crash")]
)
def test_what_travels_arrives(record: Task | Outcome) -> None:
    """Tasks and outcomes come out of the stream as they went in; a stream that ends early raises."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb") as target:
        send(target, record)  # type: ignore[arg-type]
        assert receive(source, type(record)) == record  # type: ignore[arg-type]
        target.write(b"\1\0")
        target.close()
        with pytest.raises(EOFError):
            receive(source, type(record))  # type: ignore[arg-type]
