"""Faults in source form, run through the real grader: the right checks fail, and say what they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.homework.planted import PLANTED, Planted
from tests.support import build

WANTED = {"optim": "optim.*", "data": "data.*", "mlp_resnet": "mlp_resnet.*"}
FINE = ("passed", "not-run", "blocked")


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.id)
def test_fault_is_named(fault: Planted, tmp_path: Path) -> None:
    """The checks named in the fault fail, nothing else that is scored does, and the first says why."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", fault.solutions)

    report = grade(submission, "hw2", seed=0, only=WANTED[fault.failed[0].split(".")[0]]).as_dict()

    checks = [check for question in report["questions"] for check in question["checks"]]
    failed = {check["id"]: check for check in checks if check["verdict"] not in FINE and not check["advice"]}
    assert set(failed) == set(fault.failed)
    first = failed[fault.failed[0]]
    for words in fault.says:
        assert words in first["message"]
    assert first["known_mistake"] == fault.mistake
    if fault.function:
        assert first["location"]["function"] == fault.function
