"""Several processes grade as one does: the same report but for times and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.homework import jobs
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


def test_usual_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--jobs` there are as many processes as this one may use processors, at most 4."""
    usual = []
    for count in (1, 2, 64):
        monkeypatch.setattr(jobs, "processors", lambda count=count: count)
        usual.append(jobs.usual(None))

    assert usual == [1, 2, 4]
    assert jobs.usual(7) == 7
