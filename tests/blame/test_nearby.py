"""The line of a function in which one small change makes a failed check pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom import lines
from grader.classroom.grade import grade
from grader.report.model import CheckResult
from grader.report.terminal import render
from tests.faults.hw2_source import altered
from tests.support import build

# function -> the piece that is right, what stands in its place, the check that fails
ONE_LINE = {
    "kaiming_uniform": ("3 / fan_in", "3 // fan_in", "init.kaiming_uniform.values"),
    "Adam.step": ("self.beta1**self.t", "self.beta1 * self.t", "optim.Adam.values"),
    "DataLoader.__iter__": ("shuffle", "shuffle is False", "data.DataLoader.values"),
}


@pytest.fixture(autouse=True)
def with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine finds the same as a quiet one."""
    monkeypatch.setattr(lines, "SECONDS", 20.0)


def failed(submission: Path, check_id: str) -> CheckResult:
    """The failed check of a submission's report."""
    report = grade(submission, "hw2")
    page = " ".join(render(report).split())
    check = next(check for check in report.checks() if check.id == check_id)
    line = check.measurements.get("line_that_helps")
    assert check.verdict == "failed"
    assert (f"one small change in line {line} makes this pass" in page) == (line is not None)
    return check


@pytest.mark.parametrize("function", ONE_LINE)
def test_line_of_a_slip(function: str, tmp_path: Path) -> None:
    """It is the line that was written wrongly."""
    right, wrong, check_id = ONE_LINE[function]
    submission = build(tmp_path, "hw2", "2023", altered(function, (right, wrong)))

    location = failed(submission, check_id).location

    assert location is not None
    text = (submission / location["file"]).read_text().splitlines()[location["line"] - 1]
    assert wrong in text


def test_given_lines_are_not_at_fault(tmp_path: Path) -> None:
    """A shift that is turned round in two places could be undone in the draw, which is given: no line."""
    turned = (
        "self.padding + shift_x, self.padding + shift_y",
        "self.padding - shift_x, self.padding - shift_y",
    )
    submission = build(tmp_path, "hw2", "2023", altered("RandomCrop.__call__", turned))

    check = failed(submission, "data.RandomCrop.values")

    assert check.known_mistake == "crop-opposite"
    assert "line_that_helps" not in check.measurements


ENDLESS = """
def step(self):
    count = 0
    while count < 1:
        count = count + 1
    for p in self.params:
        if p.grad is not None:
            p.data = p.data + self.lr * p.grad.data + self.weight_decay * 0 + self.momentum * 0
"""


def test_two_slips_have_no_line(tmp_path: Path) -> None:
    """Where no single change helps, no line is named; changes that never end are survived."""
    submission = build(tmp_path, "hw2", "2023", {"SGD.step": ENDLESS})

    check = failed(submission, "optim.SGD.values")

    assert "line_that_helps" not in check.measurements
    assert check.location is not None
    assert (
        "def step"
        in check.location["excerpt"]["lines"][check.location["line"] - check.location["excerpt"]["first"]]
    )
