"""Marks in the form that gradebooks take back."""

import csv
import io

import pytest

from grader.report import gradebook
from grader.report.gradebook import Mark

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,HW1 (11),HW2 (12)
    Points Possible,,,,,100,100
"Doe, Jane",501,s1,jdoe,A,50,
"Roe, John",502,s2,jroe,A,60,7
"Roe, Ann",503,s3,aroe,B,,
"""
MOODLE = """First name,Last name,ID number,Email address,Homework 2 (Real)
Jane,Doe,42,jane@example.org,-
John,Roe,43,john@example.org,-
Ann,Roe,44,ann@example.org,-
"""


def _filled(kind: str, text: str, column: str, *marks: Mark) -> tuple[list[list[str]], gradebook.Filled]:
    filled = gradebook.fill(kind, *gradebook.read(text), column, marks)
    return list(csv.reader(io.StringIO(gradebook.write(filled)))), filled


def test_canvas_takes_its_own_columns_back() -> None:
    """Who somebody is, the second row and the one column; marks that are not new stay; other columns go."""
    rows, _ = _filled("canvas", CANVAS, "HW2 (12)", Mark("doejane", 87.5, 100, {"id": "501"}))

    assert rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "HW2 (12)"],
        ["    Points Possible", "", "", "", "", "100"],
        ["Doe, Jane", "501", "s1", "jdoe", "A", "87.5"],
        ["Roe, John", "502", "s2", "jroe", "A", "7"],
        ["Roe, Ann", "503", "s3", "aroe", "B", ""],
    ]


@pytest.mark.parametrize(
    "mark",
    [
        Mark("x", 9, 10, {"id": "501"}),
        Mark("x", 9, 10, {"login": "JDOE"}),
        Mark("doejane", 9, 10),
        Mark("Jane Doe", 9, 10),
        Mark("Doe, Jane", 9, 10),
    ],
)
def test_a_student_of_canvas_is_known_by(mark: Mark) -> None:
    """The id in the file's name, a login, the name in any of its forms."""
    rows, filled = _filled("canvas", CANVAS, "HW2 (12)", mark)

    assert (rows[2][-1], filled.without_row) == ("9", [])


def test_ids_go_before_names() -> None:
    """A name that is somebody else's does not count when the id is known."""
    rows, _ = _filled("canvas", CANVAS, "HW2 (12)", Mark("Jane Doe", 9, 10, {"id": "502"}))

    assert [row[-1] for row in rows[2:]] == ["", "9", ""]


@pytest.mark.parametrize(
    "mark",
    [
        Mark("Jane Doe", 88.25, 100),
        Mark("j", 88.25, 100, {"email": "jane@example.org"}),
        Mark("j", 88.25, 100, {"id": "42"}),
    ],
)
def test_moodle(mark: Mark) -> None:
    """A student is known by the address, the number, or first and last name; all columns stay."""
    rows, _ = _filled("moodle", MOODLE, "Homework 2 (Real)", mark)

    assert rows[0] == MOODLE.splitlines()[0].split(",")
    assert [row[-1] for row in rows[1:]] == ["88.25", "-", "-"]


def test_a_group_has_one_mark_for_all() -> None:
    """Each member of a Gradescope group gets it."""
    facts = {"email": "john@example.org, ann@example.org", "members": ["John Roe", "Ann Roe"]}

    rows, filled = _filled("moodle", MOODLE, "Homework 2 (Real)", Mark("John Roe, Ann Roe", 5, 10, facts))

    assert [row[-1] for row in rows[1:]] == ["-", "5", "5"]
    assert filled.ambiguous == []


def test_who_has_no_row_or_several() -> None:
    """They are named, and nobody gets their mark."""
    text = MOODLE + "Jane,Doe,45,jane2@example.org,\n"

    rows, filled = _filled("moodle", text, "Homework 2 (Real)", Mark("Jane Doe", 5, 10), Mark("Zoe", 6, 10))

    assert (filled.without_row, filled.ambiguous) == (["Zoe"], ["Jane Doe"])
    assert {row[-1] for row in rows[1:]} == {"-", ""}


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "\rx"])
def test_no_cell_is_a_formula(cell: str) -> None:
    """What a spreadsheet would compute begins with an apostrophe, wherever it came from."""
    rows, _ = _filled("canvas", CANVAS.replace('"Doe, Jane"', f'"{cell}"'), "HW2 (12)")

    assert rows[2][0] == "'" + cell


@pytest.mark.parametrize("cell", ["-1.5", "+3", "12", "0.5", "Doe", "-"])
def test_numbers_stay_numbers(cell: str) -> None:
    """A cell that is a number, or Moodle's sign for none, or begins with nothing strange, is as it was."""
    assert gradebook.safe(cell) == cell


def test_a_plain_list() -> None:
    """Everything known of the students, the score and its maximum."""
    marks = [Mark("jane", 9.5, 10, {"id": "7"}), Mark("=joe", 3, 10, {"members": ["a", "b"]})]

    rows = list(csv.reader(io.StringIO(gradebook.write(gradebook.listed(marks)))))

    assert rows == [
        ["student", "id", "members", "score", "max_score"],
        ["jane", "7", "", "9.5", "10"],
        ["'=joe", "", "a, b", "3", "10"],
    ]


@pytest.mark.parametrize("text", ["", "\n"])
def test_no_gradebook(text: str) -> None:
    """A text without headings is none."""
    with pytest.raises(ValueError, match="no line of headings"):
        gradebook.read(text)
