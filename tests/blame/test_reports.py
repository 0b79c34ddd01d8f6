"""Whole reports with one fault: what is named first, what it costs, what is said when it lies elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader import places
from grader.classroom.grade import grade
from grader.report.terminal import render
from grader.sandbox.limits import Limits
from tests.blame.plantings import EDITS, HW2, IN_HW2, Planted, first_cause_is
from tests.faults.hw1_ops import DIARY_AFTER, DIARY_BEFORE
from tests.support import build

FIRST = {fault.function: fault for fault in reversed(IN_HW2)}


def test_diary(tmp_path: Path) -> None:
    """The gradient that cost somebody two weeks on Adam: the loop fails and its function comes first."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"BroadcastTo.gradient": DIARY_BEFORE})

    report = grade(submission, "hw2")

    failed = [check.id for check in report.checks() if check.counts and not check.passed]
    assert "optim.graph.BroadcastTo" in failed
    assert report.causes[0].functions == ["BroadcastTo.gradient"]
    finding = render(report).split("\n1  ")[1]
    assert finding.startswith("BroadcastTo.gradient")
    assert re.search(r"  at +python/needle/ops/ops_mathematic\.py:\d+\n", finding)
    assert report.causes[0].file == "python/needle/ops/ops_mathematic.py"


def test_diary_repaired(tmp_path: Path) -> None:
    """The same gradient after the repair has full marks, and no cause is looked for."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"BroadcastTo.gradient": DIARY_AFTER})

    report = grade(submission, "hw2")

    assert report.full_marks
    assert report.causes == []


FOLLOWED = ("MatMul.gradient", "BroadcastTo.gradient", "Summation.compute", "Linear.forward")


@pytest.mark.parametrize("function", FOLLOWED)
def test_a_mistake_is_paid_for_once(function: str, tmp_path: Path) -> None:
    """With follow-through only the checks of the function at fault lose points, and both scores are shown."""
    submission = Planted(HW2[0], (FIRST[function],)).build(tmp_path / "handed-in")

    report = grade(submission, "hw2", following=True)

    lost = [check.id for check in report.checks() if check.points < check.max_points]
    assert [one for one in lost if function.partition(".")[0] not in one.split(".")] == []
    assert report.score_without_follow_through is not None
    assert report.score_without_follow_through < report.score
    assert f"with follow-through; {report.score_without_follow_through:.1f} without it" in render(report)
    assert first_cause_is(report.causes[0].functions, function)


DIVISION = """
def __truediv__(self, other):
    if isinstance(other, Tensor):
        return needle.ops.EWiseDiv()(self, other)
    return needle.ops.DivScalar(other)(self) * 2
"""
OUTSIDE = "edited outside the solution marks"


@pytest.mark.parametrize(
    ("function", "text", "file"),
    [
        ("Tensor.__truediv__", DIVISION, "python/needle/autograd.py"),
        ("_child_modules", EDITS["_child_modules"], "python/needle/nn/nn_basic.py"),
    ],
)
def test_edited_scaffold(function: str, text: str, file: str, tmp_path: Path) -> None:
    """An edit of what was given is the one cause, with its place, and said to be outside the marks."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", {function: text})

    report = grade(submission, "hw2")

    assert [cause.functions for cause in report.causes] == [[function]]
    assert report.causes[0].file == file
    line = report.causes[0].line
    assert f"def {function.rpartition('.')[2]}(" in (submission / file).read_text().splitlines()[line - 1]
    failed = [check for check in report.checks() if check.verdict == "failed"]
    assert len(failed) > 1
    assert [c.message for c in failed if not c.message.startswith(f"{function} was {OUTSIDE}: ")] == []
    assert {check.help for check in failed} == {"put back what was given"}
    assert "\n1 to mend" in render(report)


def test_edited_scaffold_beside_a_students_fault(tmp_path: Path) -> None:
    """Both are named, what was given first, and the hint of the student's own function stays."""
    solutions = {
        "_child_modules": EDITS["_child_modules"],
        "Residual.forward": "def forward(self, x):\n    return self.fn(x)\n",
    }
    submission = build(tmp_path / "handed-in", "hw2", "2023", solutions)

    report = grade(submission, "hw2")

    assert [cause.functions for cause in report.causes] == [["_child_modules"], ["Residual"]]
    own = next(check for check in report.checks() if check.id == "nn.Residual.forward")
    assert OUTSIDE not in own.message


LOOP = "def step(self):\n    while True:\n        pass\n"
EXIT = "def forward(self, X):\n    import os\n    os._exit(3)\n"


@pytest.mark.parametrize(
    ("function", "text", "only"),
    [("SGD.step", LOOP, "optim.SGD.*"), ("Linear.forward", EXIT, "nn.Linear.*")],
)
def test_hanging_and_crashing(function: str, text: str, only: str, tmp_path: Path) -> None:
    """A function that never ends, or ends the process, is named like any other."""
    submission = build(tmp_path / "handed-in", "hw2", "2022", {function: text})

    report = grade(submission, "hw2", only=only, limits=Limits(check_seconds=1.0))

    assert first_cause_is(report.causes[0].functions, function)


def test_without_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student's bundle has no reference/: the report says what it could not do."""
    monkeypatch.setattr(places, "REFERENCE", tmp_path / "nowhere")
    wrong = "def forward(self, X):\n    return X\n"
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"Linear.forward": wrong})

    report = grade(submission, "hw2", only="nn.Linear.*", following=True)

    assert any("reference/ is not here" in note["message"] for note in report.notes)
    assert not any("scaffold" in note["message"] for note in report.notes)
    assert report.score == report.score_without_follow_through
