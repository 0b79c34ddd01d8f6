"""Several processes grade as one does: the same report but for times and memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.homework import jobs, table
from grader.homework.check import Check
from grader.homework.run import Run
from grader.sandbox.host import Zygote
from tests.cli.commands import ROOT
from tests.support import build

MEASURED = ("seconds", "peak_rss_mb")
WRONG = {
    "hw1": {"Exp.gradient": "def gradient(self, out_grad, node):\n    return out_grad"},
    "hw2": {
        "Summation.gradient": "def gradient(self, out_grad, node):\n    return out_grad",
        "Adam.step": "def step(self):\n    raise ValueError('not today')",
    },
}


def _report(path: Path, homework: str, jobs: int) -> Any:
    # with time enough for every experiment: on a busy machine a short search may be cut short
    return _without_clocks(grade(path, homework, jobs=jobs, following=True).as_dict())


def _without_clocks(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_clocks(value) for key, value in data.items() if key not in MEASURED}
    return [_without_clocks(one) for one in data] if isinstance(data, list) else data


@pytest.mark.parametrize("homework", WRONG)
def test_same_report(homework: str, tmp_path: Path) -> None:
    """Verdicts, messages, examples, causes and points do not depend on the number of processes."""
    submission = build(tmp_path / "submission", homework, "2023", WRONG[homework])

    one, two = (_report(submission, homework, count) for count in (1, 2))

    assert one["causes"] and one["score"] < 100
    assert two == one


def test_helpers_go_on_with_the_zygote_s_clone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No process boots an interpreter of its own: that takes longer than what a second process saves."""
    restarts = tmp_path / "restarts"
    original = Zygote._restart

    def restarted(self: Zygote) -> None:
        restarts.touch()
        original(self)

    monkeypatch.setattr(Zygote, "_restart", restarted)

    report = grade(ROOT / "reference", "hw2", jobs=2)

    assert report.full_marks
    assert not restarts.exists()


def test_lost_helper_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a helper that dies has taken is graded all the same: no check drops out of the sum."""
    here, begun, original = os.getpid(), [], Run._subject

    def subject(self: Run, checks: list[Check]) -> None:
        begun.append(checks)
        if os.getpid() != here and len(begun) == 2:
            os._exit(9)
        original(self, checks)

    monkeypatch.setattr(Run, "_subject", subject)

    report = grade(ROOT / "reference", "hw2", jobs=2)

    assert (report.score, report.max_score) == (100.0, 100.0)
    wanted = {c.id for q in table.find("hw2").questions if not q.on_failure for c in q.checks}
    assert {check.id for check in report.checks()} == wanted


def test_usual_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--jobs` there are as many processes as this one may use processors, at most 4."""
    usual = []
    for count in (1, 2, 64):
        monkeypatch.setattr(jobs, "processors", lambda count=count: count)
        usual.append(jobs.usual(None))

    assert usual == [1, 2, 4]
    assert jobs.usual(7) == 7
