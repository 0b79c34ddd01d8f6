"""A report read back is the report that was written; anything else is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.report import stored
from grader.report.model import Cause, CheckResult, QuestionResult, Report


def report() -> Report:
    check = CheckResult("ops.Exp.forward", "forward", "failed", 0.0, 1.5, blame=["Exp.compute"], expected=[1])
    return Report(
        "hw1",
        "somebody",
        "2024",
        0,
        causes=[Cause(["Exp.compute"], "ops.py", 3, [check.id])],
        questions=[QuestionResult("ops", "Ops", 0.0, 1.5, [check])],
    )


def test_round_trip() -> None:
    """What `as_dict` made is read back equal, through JSON."""
    text = json.dumps(report().as_dict())

    assert stored.load(json.loads(text)) == report()


def test_later_fields_are_left_out() -> None:
    """A field that this version does not know is no error: fields may be added to the schema."""
    data = report().as_dict()
    data["new"] = data["questions"][0]["checks"][0]["new"] = 1

    assert stored.load(data) == report()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"schema": 1}', json.dumps(report().as_dict() | {"schema": 2})]
    + [json.dumps(report().as_dict() | {name: 3}) for name in ("questions", "causes")]
    + [json.dumps(report().as_dict() | {"questions": [{"id": "x"}]}), "[" * 100_000],
)
def test_anything_else_is_refused_by_name(tmp_path: Path, text: str) -> None:
    """A file that is no report is named in one line."""
    file = tmp_path / "report.json"
    file.write_text(text)

    with pytest.raises(UsageError, match=r"report\.json: not a report") as caught:
        stored.read(file)

    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(UsageError, match="nothing: cannot be read"):
        stored.read(tmp_path / "nothing")
