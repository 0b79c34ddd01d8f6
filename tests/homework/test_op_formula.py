"""A wrong gradient of an op is shown as a formula, in what the op has at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.faults.hw2_source import altered
from tests.support import build

WRONG = {
    "Log": (
        ("out_grad / node.inputs[0]", "out_grad / node"),
        "your gradient is out_grad / node",
    ),
    "EWiseDiv": (
        ("-(grad_a * node)", "-(out_grad * node * node)"),
        "your gradient for b is -out_grad * node**2",
    ),
    "DivScalar": (
        ("out_grad / self.scalar", "out_grad / (self.scalar * self.scalar)"),
        "your gradient is out_grad / scalar**2",
    ),
    "Exp": (("out_grad *", "out_grad * 3 *"), None),
}


@pytest.mark.parametrize("op", WRONG)
def test_formula_is_shown(op: str, tmp_path: Path) -> None:
    """The formula that was written is read back, and none where it is no product of these."""
    replaced, formula = WRONG[op]
    submission = build(tmp_path, "hw1", "2023", altered(f"{op}.gradient", replaced))

    report = grade(submission, "hw1", only=f"backward.{op}.gradient", blame=False)

    (check,) = report.checks()
    assert check.verdict == "failed"
    assert (check.counterexample or {}).get("formula") == formula
