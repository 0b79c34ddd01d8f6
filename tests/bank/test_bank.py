"""Right solutions in different styles get full marks, whatever the seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.bank import hw0, hw1, hw2
from tests.bank.style import Style
from tests.support import compiling

SEEDS = range(int(os.environ.get("GRADER_SEEDS", "2")))
CASES = [
    pytest.param(homework, style, id=f"{homework}-{style.name}")
    for homework, styles in (("hw0", hw0.STYLES), ("hw1", hw1.STYLES), ("hw2", hw2.STYLES))
    for style in styles
]
Build = Callable[[str, Style], Path]


@pytest.fixture(scope="module", autouse=True)
def _compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Each C++ source is compiled once for all seeds."""
    with compiling.remembering(tmp_path_factory.mktemp("compiled")):
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds a style once for all seeds."""

    @cache
    def build(homework: str, style: Style) -> Path:
        return style.build(tmp_path_factory.mktemp("bank") / style.name, homework)

    return build


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("homework", "style"), CASES)
def test_full_marks(homework: str, style: Style, seed: int, built: Build) -> None:
    """A right solution has full marks, and no check that is scored fails."""
    report = grade(built(homework, style), homework, seed=seed)

    failed = {
        check.id: check.message
        for check in report.checks()
        if not check.advice and check.verdict not in ("passed", "not-run")
    }
    assert failed == {}
    assert report.score == report.max_score == 100.0
