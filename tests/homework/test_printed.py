"""What a submission prints, as a failure shows it."""

from __future__ import annotations

from pathlib import Path

from grader.classroom.grade import grade
from tests.support import build

PRINTS = {
    "Negate.compute": "def compute(self, a):\n    print(__file__, a.shape)\n    return a + 1",
    "Exp.compute": "def compute(self, a):\n    print('right')\n    return array_api.exp(a)",
}


def test_only_of_the_input_that_is_shown(tmp_path: Path) -> None:
    """Of all inputs tried only the smallest one's output is kept, with paths as the student knows them."""
    one = grade(build(tmp_path, "hw1", solutions=PRINTS), "hw1", only="forward.*.forward", blame=False)

    found = {check.id: check.output for check in one.checks()}
    assert found["forward.Negate.forward"] == "python/needle/ops/ops_mathematic.py ()\n"
    assert found["forward.Exp.forward"] == ""


def test_errors_name_files_as_the_student_does(tmp_path: Path) -> None:
    """An exception's text may hold the path of the copy that is graded: the report holds the student's."""
    raises = "def compute(self, a):\n    raise ValueError(f'in {__file__}')"
    one = grade(build(tmp_path, "hw1", solutions={"Exp.compute": raises}), "hw1", only="forward.Exp.forward")

    (failed,) = one.checks()
    assert failed.message == "Exp.compute raised ValueError: in python/needle/ops/ops_mathematic.py"
