"""Right optimisers, data and training in other styles lose no point, in either layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.homework.planted import swap
from tests.homework.right_hw2 import STYLES
from tests.support import build, reference_function


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


@pytest.mark.parametrize("own", ["np.random.seed(0)", "np.random.seed(None)"])
def test_training_with_other_weights(own: str, tmp_path: Path) -> None:
    """A training that starts with other random numbers loses nothing."""
    text = swap(reference_function("train_mnist"), ("np.random.seed(4)", own))
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"train_mnist": text})

    report = grade(submission, "hw2", seed=0, only="mlp_resnet.train_mnist.*", blame=False).as_dict()

    assert report["score"] == report["max_score"] > 0
