"""`explain` tells what each check asks for, and the mistakes it knows."""

from __future__ import annotations

import pytest

from grader.cli import main
from grader.debug import explain
from grader.debug.formulas import FORMULAS
from grader.homework import table
from grader.oracle import mistakes_ops

CHECKS = [(name, check) for name in table.NAMES for check in table.find(name).checks()]


def test_every_function_has_a_formula_and_a_place_in_the_handout() -> None:
    """No check is left unexplained (C++ has no Python place, the ops together have none)."""
    unexplained = [check.id for _, check in CHECKS if check.function not in FORMULAS]
    placeless = [
        check.id
        for name, check in CHECKS
        if not explain.in_handout(name, check)[0]
        and not check.function.endswith("_cpp")
        and check.id != "optim.graph.right"
    ]

    assert (unexplained, placeless) == ([], [])


def test_no_formula_is_left_over() -> None:
    """Every formula belongs to a function that some check asks for."""
    assert set(FORMULAS) - {check.function for _, check in CHECKS} == set()


def test_page_holds_formula_place_and_mistakes() -> None:
    """The page of an op's gradient, of 80 columns."""
    page = explain.text("backward.BroadcastTo.gradient")

    assert "python/needle/ops/ops_mathematic.py:" in page
    assert "g summed over every axis that was added or stretched" in page
    said = " ".join(page.split())
    assert [one.says for one in mistakes_ops.GRADIENT["BroadcastTo"] if one.says not in said] == []
    assert max(map(len, page.splitlines())) <= 80


def test_pattern_and_part_of_a_name_list_checks() -> None:
    """A pattern, a subject, a function: each lists its checks, all of them."""
    expected = [check.id for name, check in CHECKS if name == "hw1" and check.subject == "MatMul"]

    for name in ("*.MatMul.*", "MatMul"):
        listed = [line.split()[0] for line in explain.text(name).splitlines()[2:] if line[:1].strip()]
        assert listed == expected


def test_unknown_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt name is exit 2, with what was meant."""
    assert main(["explain", "Braodcast"]) == 2
    assert "did you mean BroadcastTo" in capsys.readouterr().err
