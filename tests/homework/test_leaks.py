"""Leaks in three styles: the check fails, and names who holds what is kept and where it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from tests.homework.leaks import LEAKS, Leak


def _check(submission: Path, check: str) -> dict[str, Any]:
    report = grade(submission, "hw2", only=check, blame=False).as_dict()
    (found,) = [one for question in report["questions"] for one in question["checks"] if one["id"] == check]
    return found


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: f"{leak.style}-{leak.id}")
def test_leak_is_named(leak: Leak, tmp_path: Path) -> None:
    """Holder and line are told; values stay right."""
    submission = leak.build(tmp_path / "handed-in")

    found = _check(submission, leak.check)
    values = _check(submission, f"{leak.check.rpartition('.')[0]}.values") if "optim" in leak.check else {}

    assert found["verdict"] == "failed", found["message"]
    assert leak.holder in found["message"]
    assert found["location"]["line"] > 0
    assert found["location"]["function"] == (leak.maker or found["location"]["function"])
    assert values.get("verdict", "passed") == "passed"
