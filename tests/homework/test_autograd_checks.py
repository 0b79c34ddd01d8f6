"""Wrong sorts and wrong reverse modes fail the check that is theirs, with a sentence that says it."""

import json
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.judge.search import Search
from tests.homework.hw1_programs import PROGRAMS, Program
from tests.support import build


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_program_fails(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check fails, loses its points, and no earlier check of its subject has taken the blame."""
    monkeypatch.setattr(Search, "_shrink", lambda *arguments: None)
    subject = program.fails[0].split(".")[1]

    report = grade(
        build(tmp_path, "hw1", "2023", program.solutions), "hw1", only=subject, blame=False
    ).as_dict()

    checks = {check["id"]: check for question in report["questions"] for check in question["checks"]}
    for check_id in program.fails:
        check = checks[check_id]
        assert check["verdict"] in ("failed", "error"), check
        assert check["points"] == 0 < check["max_points"]
        assert program.says in json.dumps(check)
