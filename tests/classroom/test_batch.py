"""A class from its submissions to the store, with an executor that answers at once in place of grading."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import session, store
from grader.classroom.roster import Refusal
from grader.classroom.session import Request
from grader.classroom.summary import Summary
from grader.classroom.task import Outcome, Task
from grader.errors import NotGraded
from tests.classroom.archives import write_zip
from tests.store.filling import ENVIRONMENT, report

Answer = Callable[[str], Outcome]


class Instant:
    """An executor: what it is given is graded by a function of the student's name in the archive."""

    def __init__(self, answer: Answer, environment: dict[str, str] = ENVIRONMENT) -> None:
        self.answer, self.versions = answer, environment
        self.tasks: list[Task] = []
        self.most = 0

    def slots(self) -> int:
        return 2

    def environment(self) -> dict[str, str]:
        return self.versions

    def submit(self, work: Task) -> Future[Outcome]:
        self.tasks.append(work)
        future: Future[Outcome] = Future()
        students = ("ann", "joe", "mary", "zoe")
        name = next((one for one in students if f"{one}/python".encode() in work.archive), "handout")
        try:
            future.set_result(self.answer(name))
        except Exception as error:
            future.set_exception(error)
        return future

    def drop(self, waiting: Iterable[Future[Outcome]]) -> None:
        pass

    def close(self, *, now: bool = False) -> None:
        pass


class Quiet:
    """A watcher that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def reading(self, number: int, total: int) -> None: ...
    def begin(self, total: int) -> None:
        self.heard.append(total)

    def graded(self, report: dict[str, Any]) -> None:
        self.heard.append(report["submission"].rsplit("/", 1)[-1])

    def failed(self, refusal: Refusal) -> None:
        self.heard.append(refusal.kind)

    def tick(self) -> None: ...
    def stopping(self, running: int) -> None: ...
    def end(self) -> None: ...


def right(name: str) -> Outcome:
    """The outcome of a graded submission."""
    return Outcome(zlib.compress(json.dumps(report(float(len(name)))).encode()))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Summary, Instant]]:
    """Grades the class of ann, joe and mary; says what came of it and what was graded."""
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("ann", "joe", "mary"):
        hand_in(folder, name)

    def call(answer: Answer = right, environment: dict[str, str] = ENVIRONMENT, **more: Any) -> Any:
        executor = Instant(answer, environment)
        monkeypatch.setattr(session, "_executor", lambda request: executor)
        request = Request("hw1", [folder], tmp_path / "class.db", **more)
        return session.run(request, Quiet()), executor

    call.folder, call.store = folder, tmp_path / "class.db"  # type: ignore[attr-defined]
    return call


def hand_in(folder: Path, name: str, text: str = "") -> None:
    """Write a student's archive; the names stand in it uncompressed."""
    write_zip(folder / f"{name}.zip", [(f"{name}/python/needle/autograd.py", f"# {name} {text}\n".encode())])


def scores(path: Path, run: int | None = None) -> dict[str, float]:
    with store.open(path) as db:
        return {one.student: one.score for one in db.gradings(run or db.latest())}


def test_all_are_graded_once(course) -> None:  # type: ignore[no-untyped-def]
    """The first call grades all, the second none and leaves the store as it is."""
    summary, executor = course()
    assert (summary.now, summary.finished, len(executor.tasks)) == (3, True, 3)
    assert scores(course.store) == {"ann": 3.0, "joe": 3.0, "mary": 4.0}

    before = course.store.read_bytes()
    summary, executor = course()

    assert (summary.now, len(summary.scores), executor.tasks) == (0, 3, [])
    assert course.store.read_bytes() == before


def test_only_what_is_new_or_changed(course) -> None:  # type: ignore[no-untyped-def]
    """A new one and a changed one are graded; the others count for the new run too; one who left does not."""
    course()
    hand_in(course.folder, "joe", "again")
    hand_in(course.folder, "zoe")
    (course.folder / "ann.zip").unlink()

    summary, executor = course(lambda name: right(name * 2))

    assert (summary.now, summary.run, len(executor.tasks)) == (2, 2, 2)
    assert scores(course.store) == {"joe": 6.0, "mary": 4.0, "zoe": 6.0}
    assert scores(course.store, 1) == {"ann": 3.0, "joe": 3.0, "mary": 4.0}
    with store.open(course.store) as db:
        assert [one.score for one in db.history("joe")] == [3.0, 6.0]


@pytest.mark.parametrize(
    "more",
    [
        {"seed": 1},
        {"seed": "a secret of 16 bytes"},
        {"blame": False},
        {"following": True},
        {"hidden": True},
        {"environment": {**ENVIRONMENT, "numpy": "2.1"}},
        {"force": True},
    ],
)
def test_other_terms_grade_all_again(course, more: dict[str, Any]) -> None:  # type: ignore[no-untyped-def]
    """Each thing that a grade depends on, and `--force`, makes every submission a new one, once."""
    course()
    answer = right
    if "environment" in more:
        answer = lambda name: Outcome(  # noqa: E731
            zlib.compress(json.dumps({**report(), "environment": more["environment"]}).encode())
        )

    summary, _ = course(answer, **more)

    assert (summary.now, summary.run) == (3, 2)
    if "force" not in more:
        assert course(answer, **more)[0].now == 0


def test_a_crash_never_replaces_a_grade(course) -> None:  # type: ignore[no-untyped-def]
    """It is listed and stored, the others are graded, and the earlier grade is what it was."""
    course()

    def crash(name: str) -> Outcome:
        if name == "joe":
            raise RuntimeError("of a worker")
        return right(name) if name != "ann" else Outcome(kind="crash", reason="the grader itself failed")

    summary, _ = course(crash, force=True)

    assert (summary.now, summary.finished) == (1, True)
    assert {(one.student, one.kind) for one in summary.refusals} == {("ann", "crash"), ("joe", "crash")}
    with store.open(course.store) as db:
        assert [one.score for one in db.history("joe")] == [3.0]
        assert {one.student: one.reason for one in db.problems()} == {
            "ann": "the grader itself failed",
            "joe": "the worker failed on it (RuntimeError: of a worker)",
        }
    assert course()[0].now == 0  # under the terms of the first call nothing is new


def test_a_crash_is_tried_again_a_poisoned_one_is_not(course) -> None:  # type: ignore[no-untyped-def]
    """What was set aside stays aside until it changes or `--force` is given."""

    def poison(name: str) -> Outcome:
        kinds = {"ann": "crash", "joe": "set-aside"}
        return Outcome(kind=kinds[name], reason="why") if name in kinds else right(name)

    course(poison)
    summary, executor = course()

    assert (summary.now, len(executor.tasks)) == (1, 1)
    assert [(one.student, one.kind, one.reason) for one in summary.refusals] == [("joe", "set-aside", "why")]
    assert course()[0].refusals == summary.refusals
    hand_in(course.folder, "joe", "mended")
    assert course()[0].refusals == []


def test_what_cannot_be_read_is_listed_and_the_rest_graded(course) -> None:  # type: ignore[no-untyped-def]
    """Archives that are none, two of one name, a homework of another number; nobody else is held up."""
    (course.folder / "broken.zip").write_bytes(b"PK\x03\x04 none")
    write_zip(course.folder / "wrong.zip", [("src/simple_ml.py", b"x")])
    (course.folder / "ann").mkdir()

    summary, _ = course()
    again, _ = course()

    assert set(scores(course.store)) == {"joe", "mary"}
    assert sorted((one.student, one.kind) for one in summary.refusals) == [
        ("ann", "same-name"),
        ("ann", "same-name"),
        ("broken", "unreadable"),
        ("wrong", "unreadable"),
    ]
    assert sorted(map(repr, again.refusals)) == sorted(map(repr, summary.refusals))
    assert (again.now, again.run) == (0, 1)


def test_a_full_disk_where_it_is_graded_stops_the_run(course) -> None:  # type: ignore[no-untyped-def]
    """It is nobody's crash; what was graded is stored, and the same command goes on with the same run."""
    with pytest.raises(NotGraded, match="No space left"):
        course(lambda name: right(name) if name == "ann" else Outcome(kind="full", reason="No space left"))
    assert scores(course.store) == {"ann": 3.0}

    summary, executor = course()

    assert (summary.now, summary.run, len(executor.tasks)) == (2, 1, 2)
    with store.open(course.store) as db:
        assert [run.finished is not None for run in db.runs()] == [True]
        assert db.problems() == []


def test_no_worker_to_be_had_is_not_everybodys_problem(course) -> None:  # type: ignore[no-untyped-def]
    """When the first three have no worker, nor has the handout, the call ends with the reason, exit 3."""
    with pytest.raises(NotGraded, match="sandbox"):
        course(lambda name: Outcome(kind="not-graded", reason="the sandbox is partial, not full"))


def test_three_who_get_no_worker_stop_nobody_else(course) -> None:  # type: ignore[no-untyped-def]
    """Where the handout can be graded it is those submissions: the others are graded."""
    hand_in(course.folder, "zoe")
    graded = ("zoe", "handout")

    summary, _ = course(
        lambda name: right(name) if name in graded else Outcome(kind="not-graded", reason="no worker")
    )

    assert scores(course.store) == {"zoe": 3.0}
    assert [one.kind for one in summary.refusals] == ["not-graded"] * 3


def test_a_worker_of_another_version(course) -> None:  # type: ignore[no-untyped-def]
    """Its report is not stored under terms that are not its own."""
    summary, _ = course(lambda name: right(name) if name != "joe" else _of_another_version())

    assert [(one.student, one.kind) for one in summary.refusals] == [("joe", "not-graded")]


def _of_another_version() -> Outcome:
    data = {**report(), "environment": {**ENVIRONMENT, "numpy": "1.0"}}
    return Outcome(zlib.compress(json.dumps(data).encode()))


def test_a_changed_submission_begins_a_new_run(course) -> None:  # type: ignore[no-untyped-def]
    """A stopped run is gone on with only while what it graded is as it was."""
    with pytest.raises(NotGraded):
        course(lambda name: right(name) if name == "ann" else Outcome(kind="full", reason="full"))
    hand_in(course.folder, "ann", "changed")

    assert course()[0].run == 2


def test_secrets_stay_out_of_the_store(course) -> None:  # type: ignore[no-untyped-def]
    """The secret seed is nowhere in the file; the task has it."""
    secret = "the secret of this course"

    _, executor = course(seed=secret)

    assert {task.seed for task in executor.tasks} == {secret}
    assert secret.encode() not in course.store.read_bytes()


def test_hidden_reports_are_hidden_in_the_store(course) -> None:  # type: ignore[no-untyped-def]
    """With `--hidden` what a submission printed is not even stored."""
    course(hidden=True, seed="the secret of this course")

    with store.open(course.store) as db:
        for grading in db.gradings():
            (check, _) = grading.report().checks()
            assert (check.output, check.verdict) == ("", "failed")


def test_few_are_on_their_way(course, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """However large the class, no more than the slots and two are packed and waiting."""
    waiting: list[Future[Outcome]] = []
    most = 0

    class Slow(Instant):
        def submit(self, work: Task) -> Future[Outcome]:
            nonlocal most
            future: Future[Outcome] = Future()
            waiting.append(future)
            most = max(most, len(waiting))
            if len(waiting) == 4 or len(self.tasks) >= 28:
                for one in waiting:
                    one.set_result(right("joe"))
                waiting.clear()
            self.tasks.append(work)
            return future

    for number in range(27):
        hand_in(course.folder, f"s{number}", "joe")
    monkeypatch.setattr(session, "_executor", lambda request: Slow(right))
    summary = session.run(Request("hw1", [course.folder], course.store), Quiet())

    assert summary.now == 30
    assert most == 4
