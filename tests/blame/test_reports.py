"""Whole reports with one fault: what is named first, what it costs, what is said when it lies elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader import places
from grader.classroom.grade import grade
from grader.report.terminal import render
from grader.sandbox.limits import Limits
from tests.blame.plantings import HW2, IN_HW2, Planted, first_cause_is
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


def test_edited_scaffold(tmp_path: Path) -> None:
    """A fault in what was given is found, and said to be outside of what a student writes."""
    division = """
def __truediv__(self, other):
    if isinstance(other, Tensor):
        return needle.ops.EWiseDiv()(self, other)
    return needle.ops.DivScalar(other)(self) * 2
"""
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"Tensor.__truediv__": division})

    report = grade(submission, "hw2")

    assert [cause.functions for cause in report.causes] == [["Tensor.__truediv__"]]
    assert report.causes[0].file == "python/needle/autograd.py"
    assert any("was the scaffold edited?" in note["message"] for note in report.notes)


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
