"""A gradient that is no graph of tensor operations is told so, and one that is merely wrong is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.faults.hw2_source import altered
from tests.support import build

GRADIENTS = {
    "wrong sign": ("EWiseDiv", ("-(grad_a * node)", "grad_a * node"), False),
    "twice as large": ("Exp", ("out_grad * node", "out_grad * node * 2"), False),
    "a raw array": ("Exp", ("out_grad * node", "out_grad * node.realize_cached_data()"), True),
    "detached": ("Log", ("node.inputs[0]", "node.inputs[0].detach()"), True),
}


@pytest.mark.parametrize("what", GRADIENTS)
def test_the_check_alone(what: str, tmp_path: Path) -> None:
    """Run by itself, with nothing known of the first derivative, the check says what is so."""
    op, replaced, is_detached = GRADIENTS[what]
    submission = build(tmp_path, "hw1", "2023", altered(f"{op}.gradient", replaced))

    report = grade(submission, "hw1", only=f"backward.{op}.second_order", blame=False)

    (check,) = report.checks()
    assert check.verdict == "failed"
    assert ("is detached" in check.message) == is_detached
    assert (f"{op}.gradient" in check.message) and ("expected" in check.message) != is_detached
