"""Right optimisers, data and training in other styles lose no point, in either layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.homework.right_hw2 import STYLES
from tests.support import build


@pytest.mark.parametrize("layout", ["2023", "2022"])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("style", STYLES)
def test_full_marks(style: str, seed: int, layout: str, tmp_path: Path) -> None:
    """Every scored check of the three questions passes."""
    submission = build(tmp_path / style, "hw2", layout, STYLES[style])

    failed = {}
    for question in ("optim.*", "data.*", "mlp_resnet.*"):
        report = grade(submission, "hw2", seed=seed, only=question).as_dict()
        checks = [check for one in report["questions"] for check in one["checks"] if not check["advice"]]
        failed |= {c["id"]: c["message"] for c in checks if c["verdict"] not in ("passed", "not-run")}

    assert failed == {}
