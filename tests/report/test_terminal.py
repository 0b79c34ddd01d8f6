"""The page on a terminal: calm, narrow, pure, and nothing from a submission unescaped."""

from __future__ import annotations

import copy
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.report import escape, terminal
from grader.report.model import Cause
from tests.report.reports import FULL, NASTY, STOPPED, STUBS, check, hostile, report

OUR_COLOURS = re.compile(r"\x1b\[(?:0|1|2|31|32|33)m")
HARMLESS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No")


def dangerous(text: str) -> set[str]:
    """Characters other than newline that act on a terminal or hide."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


@pytest.mark.parametrize(
    "one", [FULL, STUBS, STOPPED, hostile()], ids=["full", "stubs", "stopped", "hostile"]
)
@pytest.mark.parametrize("color", [False, True])
def test_rendering_is_pure(one: object, color: bool) -> None:
    """Rendering twice gives the same page, and leaves the report as it was."""
    before = copy.deepcopy(one)

    pages = {terminal.render(one, color=color, command="python -m grader hw1") for _ in range(2)}  # type: ignore[arg-type]

    assert len(pages) == 1
    assert before == one


@pytest.mark.parametrize(
    "text", [NASTY, "x" * 500, "y" * 70 + " " + "z" * 90], ids=["nasty", "long", "two-words"]
)
def test_lines_are_narrow(text: str) -> None:
    """No line is wider than 80 columns, whatever is said."""
    page = terminal.render(hostile(text), command="python -m grader hw1 hw1")

    assert [line for line in page.splitlines() if len(line) > 80] == []


def test_nothing_acts_on_the_terminal() -> None:
    """Every field that a submission can reach is escaped; the only escape codes are our colours."""
    page = terminal.render(hostile(), color=True, command="python -m grader hw1 hw1")

    assert set() == dangerous(OUR_COLOURS.sub("", page))
    assert r"\x1b[31mred" in page
    assert "\x1b" in page


def test_no_colour_without_being_asked() -> None:
    """Without colour there is no escape code at all."""
    assert set() == dangerous(terminal.render(hostile(), command="python -m grader hw1 hw1"))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """The same for any text."""
    page = terminal.render(hostile(text))

    assert set() == dangerous(page)
    assert [line for line in page.split("\n") if len(line) > 80] == []


@given(st.text())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_escape_keeps_what_is_harmless(text: str) -> None:
    """Letters, digits, marks, punctuation and spaces of any script stay; the rest is written out in ASCII."""
    plain = escape.terminal(text)

    assert set() == dangerous(plain)
    assert [c for c in text if unicodedata.category(c) in HARMLESS] == [
        c
        for c in re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", "", plain)
        if unicodedata.category(c) in HARMLESS
    ] or "\\" in text


def test_full_marks() -> None:
    """A right submission gets a short page that ends in the good news."""
    page = terminal.render(FULL)

    assert "10 / 10" in page
    assert page.rstrip().endswith("All 2 checks passed. Full marks.")
    assert len(page.splitlines()) < 10


def test_counts_are_those_of_the_table() -> None:
    """Advice is in no count: not in the last line, and not in what a cause takes down."""
    advice = check("forward.Exp.hygiene", advice=True)
    page = terminal.render(report(check("forward.Negate.forward"), advice, score=10.0, max_score=10.0))

    assert "1 of 1 checks" in page
    assert "All 1 checks passed" in page

    ids = [f"forward.Exp.{name}" for name in ("forward", "stable", "axes", "hygiene")]
    failed = [
        check(ids[0], "failed"),
        check(ids[1], "blocked", blocked_by=ids[0]),
        check(ids[2], "blocked", blocked_by=ids[0], advice=True),
        check(ids[3], "failed", advice=True),
    ]
    page = terminal.render(report(*failed, causes=[Cause(["Exp.compute"], "ops.py", 3, ids)]))

    assert "0 of 2 checks" in page
    assert "not run    forward.Exp.stable (no points until then)\n" in page


def test_what_waits_is_no_failure() -> None:
    """A line without points tells what fails from what is not filled in yet."""
    checks = [
        check("hw1.Negate.forward", "failed", advice=True),
        check("hw1.Exp.forward", "error", advice=True, unfilled=True),
        check("hw1.Exp.gradient", "blocked", advice=True, blocked_by="hw1.Exp.forward"),
        check("hw1.Log.forward", advice=True),
    ]

    page = terminal.render(report(*checks))

    assert "no points     1 fail, 2 not filled in\n" in page
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(("error", "told"), [(12.5, True), (999.0, True), (1000.0, False), ("inf", False)])
def test_only_near_misses_are_measured(error: object, told: bool) -> None:
    """So many tolerances say something only while they are few."""
    one = check("forward.Exp.forward", "failed", measurements={"error_in_tolerances": error})

    assert ("times the tolerance" in terminal.render(report(one))) == told


def test_stubs() -> None:
    """Stubs get one calm sentence per question, and no failure of their own."""
    page = terminal.render(STUBS)

    assert page.count("not filled in yet:") == 1
    assert "Negate.compute, Exp.compute" in page
    assert "to mend" not in page


def test_stopped() -> None:
    """A run that was stopped is not called a grade."""
    assert "not a grade" in terminal.render(STOPPED)


def test_order_within_a_failure() -> None:
    """Function, sentence, hint, input, yours, expected, place, how to repeat it: in this order."""
    failed = check(
        "forward.Negate.forward",
        "failed",
        message="SENTENCE",
        help="HINT",
        counterexample={"a": "INPUT"},
        actual="YOURS",
        expected="EXPECTED",
        location={"file": "PLACE.py", "line": 7, "function": "f"},
        blame=["FUNCTION"],
    )
    page = terminal.render(report(failed), command="COMMAND")

    words = ["FUNCTION", "SENTENCE", "HINT", "INPUT", "YOURS", "EXPECTED", "PLACE.py:7", "COMMAND --only"]
    places = [page.index(word) for word in words]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("verdict", "mark"), [("passed", "."), ("failed", "x"), ("blocked", "-"), ("timeout", "x")]
)
def test_progress(verdict: str, mark: str) -> None:
    """One character per check while it runs."""
    assert mark == terminal.progress(check("a.b.c", verdict))
