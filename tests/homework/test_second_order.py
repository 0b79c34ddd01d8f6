"""A gradient that is no graph of tensor operations is told so, and one that is merely wrong is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.faults.hw2_source import altered
from tests.support import build

GRADIENTS = {
    "wrong sign": ("EWiseDiv", ("-(grad_a * node)", "grad_a * node"), "passed"),
    "twice as large": ("Exp", ("out_grad * node", "out_grad * node * 2"), "passed"),
    "a raw array": ("Exp", ("out_grad * node", "out_grad * node.realize_cached_data()"), "failed"),
    "detached": ("Log", ("node.inputs[0]", "node.inputs[0].detach()"), "failed"),
}


@pytest.mark.parametrize("what", GRADIENTS)
def test_the_check_alone(what: str, tmp_path: Path) -> None:
    """Run by itself, with nothing known of the first derivative, the check judges its own question."""
    op, replaced, verdict = GRADIENTS[what]
    submission = build(tmp_path, "hw1", "2023", altered(f"{op}.gradient", replaced))

    report = grade(submission, "hw1", only=f"backward.{op}.second_order", blame=False)

    (check,) = report.checks()
    assert check.verdict == verdict
    assert ("is detached" in check.message) == (verdict == "failed")
