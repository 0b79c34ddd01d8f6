"""Every op, wrong in every way of the bench, loses points for that op, and the message names it."""

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.homework import hw1, table
from grader.homework.examine import Examination
from grader.judge.search import Search
from tests.homework.hw1_bench import COMPUTES, GRADIENTS, OPS, QUALITY, Wrong
from tests.homework.hw1_programs import PROGRAMS
from tests.support import build

WRONG = [*COMPUTES, *GRADIENTS, *QUALITY]


@pytest.fixture(autouse=True)
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves failing inputs as they are and names no mistakes: the verdict does not depend on that."""
    monkeypatch.setattr(Search, "_shrink", lambda *arguments: None)
    monkeypatch.setattr(Examination, "_name", lambda *arguments: None)


def failing(wrong: Wrong) -> dict[str, str]:
    """Return by op the id of the check that fails."""
    forward = wrong.kind.startswith("forward")
    kind = wrong.kind.removeprefix("forward-")
    ids = {op: f"{'forward' if forward else 'backward'}.{op}.{kind}" for op in OPS}
    own = "gradient_hygiene" if wrong.kind == "hygiene" else kind
    return {**ids, "ReLU": f"nn_epoch.ReLU.{own}"}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.id)
def test_every_op_fails(wrong: Wrong, tmp_path: Path) -> None:
    """The op's check fails, costs points, and its message names the op and the method."""
    method = "compute" if wrong.kind.startswith("forward") else "gradient"
    path = build(tmp_path, "hw1", "2023", wrong.solutions)
    only = f"*{wrong.kind.removeprefix('forward-')}"

    report = grade(path, "hw1", only=only, blame=False).as_dict()

    checks = {check["id"]: check for question in report["questions"] for check in question["checks"]}
    for op, check_id in failing(wrong).items():
        check: dict[str, Any] = checks[check_id]
        if op == "EWisePow" and check["verdict"] == "not-run":
            continue  # its gradient is not in this starter
        assert check["verdict"] in ("failed", "error"), f"{check_id} {check['verdict']}"
        assert check["points"] == 0 < check["max_points"], check_id
        assert f"{op}.{method}" in check["message"], check["message"]


def test_only_the_wrong_op_loses_points(tmp_path: Path) -> None:
    """The gradients of one op fail; every check of every other op passes, and so do their points."""
    wrong = next(one for one in GRADIENTS if one.id == "gradient-factor")
    solutions = {name: text for name, text in wrong.solutions.items() if name.startswith(("before:", "Exp."))}

    report = grade(build(tmp_path, "hw1", "2023", solutions), "hw1", blame=False).as_dict()

    checks = [check for question in report["questions"][:4] for check in question["checks"]]
    lost = {check["id"] for check in checks if check["points"] < check["max_points"]}
    assert {check_id.rpartition(".")[0] for check_id in lost} == {"backward.Exp"}


def test_every_scored_check_is_failed_by_a_program() -> None:
    """For each scored check of hw1 there is a wrong program, here or in `hw1_programs`, that fails it."""
    failed = {check_id for wrong in WRONG for check_id in failing(wrong).values()}
    failed |= {check_id for program in PROGRAMS for check_id in program.fails}
    scored = {check.id for check in hw1.HOMEWORK.checks() if check.weight}

    assert scored - failed == set()


@pytest.mark.parametrize("homework", ["hw0", "hw1", "hw2"])
def test_ids_are_unique(homework: str) -> None:
    """Two checks under one id would hide each other's verdict."""
    ids = [check.id for check in table.find(homework).checks()]

    assert len(ids) == len(set(ids))
