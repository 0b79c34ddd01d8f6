"""Right solutions of hw0 in different styles get full marks, whatever the seed."""

import os
from functools import cache
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.bank.hw0 import STYLES
from tests.bank.style import Style
from tests.support import compiling

SEEDS = range(int(os.environ.get("GRADER_SEEDS", "2")))


@pytest.fixture(scope="module", autouse=True)
def _compiler(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """Each C++ source is compiled once for all seeds."""
    with compiling.remembering(tmp_path_factory.mktemp("compiled")):
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """Builds a style once for all seeds."""

    @cache
    def build(style: Style) -> Path:
        return style.build(tmp_path_factory.mktemp("bank") / style.name, "hw0")

    return build


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_full_marks(style: Style, seed: int, built) -> None:  # type: ignore[no-untyped-def]
    """A right solution has full marks, and no check that is scored fails."""
    report = grade(built(style), "hw0", seed=seed).as_dict()

    checks = [
        check for question in report["questions"] for check in question["checks"] if not check["advice"]
    ]
    failed = {
        check["id"]: check["message"] for check in checks if check["verdict"] not in ("passed", "not-run")
    }
    assert failed == {}
    assert report["score"] == report["max_score"] == 100.0
