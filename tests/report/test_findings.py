"""What stands below a finding's sentence: an honest place, every check that fails with it, aligned labels."""

from __future__ import annotations

import pytest

from grader.judge.failure import Failure
from grader.report import brief, github, gradescope, html, terminal
from grader.report.model import Cause, QuestionResult, Report
from tests.report.reports import check, report

HEAD = {
    "file": "optim.py",
    "line": 32,
    "function": "SGD.step",
    "excerpt": {"first": 31, "lines": ["", "    def step(self):", "        pass"]},
}


def lines_of(one: Report) -> list[str]:
    """The page's lines without the blanks around them."""
    return [line.strip() for line in terminal.render(one, command="grader").splitlines()]


def test_a_function_is_no_line() -> None:
    """Where only the function is known, its head is not told as the wrong line; a real line is."""
    one = report(check("optim.SGD.values", "failed", message="wrong", location=HEAD))

    assert "in         SGD.step, optim.py, from line 32" in lines_of(one)
    for page in (github.summary(one), gradescope.render(one), html.render(one)):
        assert "SGD.step, optim.py, from line 32" in page.replace("\\", "")
    assert "<mark" not in html.render(one)
    assert "&gt;   32" not in github.summary(one)

    inside = report(check("optim.SGD.values", "failed", message="wrong", location=HEAD | {"line": 33}))
    assert "at         optim.py:33" in lines_of(inside)
    assert "<mark" in html.render(inside)
    assert "&gt;   33" in github.summary(inside)


def test_advice_of_a_function() -> None:
    """The same in a piece of advice, which names the function itself."""
    failed = check("optim.SGD.graph", "failed", advice=True, message="SGD.step is slow", location=HEAD)
    one = report(check("optim.SGD.values"), failed)

    assert "- SGD.step is slow (optim.py, from line 32)" in lines_of(one)


def broken(count: int) -> Report:
    """One cause in a question without points, with `count` checks blocked there and one failed with points."""
    ids = ["hw1.ReLU.gradient", *(f"hw1.ReLU.kind{i}" for i in range(count))]
    hw1 = [check(ids[0], "failed", advice=True, message="wrong")]
    hw1 += [check(one, "blocked", advice=True, blocked_by=ids[0]) for one in ids[1:]]
    nn = [check("nn.ReLU.gradient", "failed"), check("nn.ReLU.forward")]
    causes = [Cause(["ReLU.gradient"], "ops.py", 3, [*ids, "nn.ReLU.gradient"])]
    one = report(*nn, causes=causes)
    for each in hw1:
        each.points = each.max_points = 0.0
    one.questions.insert(0, QuestionResult("hw1", "hw1: ops", 0.0, 0.0, hw1))
    return one


@pytest.mark.parametrize(("count", "tail"), [(0, ""), (2, "kind1"), (7, "kind6"), (8, "and 2 more")])
def test_every_failure_is_told(count: int, tail: str) -> None:
    """What fails and what could not run are named apart, also where a question carries no points."""
    page = terminal.render(broken(count))
    told = " ".join(page.split())

    assert (f"1 wrong, {count} not run" if count else "1 of 1 checks fail") in told
    assert "through it nn.ReLU.gradient" in told
    assert ("not run" in told) == bool(count)
    assert tail in told


def test_labels_keep_their_distance() -> None:
    """The column of labels is as wide as the longest, so that no value runs into its label."""
    shown = {"a": "1", "weight_decay": "2", "p0.grad in step 1": "3"}
    one = report(check("optim.SGD.values", "failed", message="wrong", counterexample=shown))

    found = [
        line for line in terminal.render(one, command="grader").splitlines() if line.endswith(("1", "2", "3"))
    ]
    assert ["   a                 1", "   weight_decay      2", "   p0.grad in step 1 3"] == found
    assert "p0.grad in step 1 3" in github.summary(one)
    assert "weight_decay      2" in gradescope.render(one)


@pytest.mark.parametrize(("kind", "mark"), [("graph", "*  hw1: sums"), ("values", "!!  hw1: sums")])
def test_mere_advice_is_no_alarm(kind: str, mark: str) -> None:
    """A question without points that has advice only is not marked as one with a fault."""
    one = report(check("nn.ReLU.forward", "failed", message="wrong"))
    failed = check(f"hw1.sum.{kind}", "failed", advice=True, message="12 nodes")
    one.questions.insert(0, QuestionResult("hw1", "hw1: sums", 0.0, 0.0, [failed]))

    line = next(line for line in lines_of(one) if "hw1: sums" in line)
    assert line.startswith(mark)
    assert line.endswith("advice below" if kind == "graph" else "1 of 1 checks fail")


def test_advice_that_was_asked_for_is_told() -> None:
    """Where nothing carries points (`--only` of such a check) its failure is told in full, not as full marks."""
    failed = check("hw1.ReLU.gradient", "failed", advice=True, message="wrong", actual="1", expected="0")
    failed.points = failed.max_points = 0.0
    page = terminal.render(report(failed, score=0.0, max_score=0.0))

    assert "yours      1" in page
    assert "Full marks" not in page
    assert "1 to mend" in page
    assert "full marks" not in brief.line(report(failed, score=0.0, max_score=0.0))


def test_what_was_seen_stays_beside_a_known_mistake() -> None:
    """A sentence about a mistake leaves what was seen of it, without the name that the sentence has too."""
    failure = Failure("Exp.gradient: the gradient is 1 at [0], expected 2")
    failure.explained("Exp.gradient", "exp-outgrad", "is the gradient of the identity")
    one = check("forward.Exp.gradient", "failed", message=failure.message, symptom=failure.symptom)

    page = terminal.render(report(one))

    assert "Exp.gradient: is the gradient of the identity" in page
    assert "   seen       the gradient is 1 at [0], expected 2\n" in page
    assert "现象" in terminal.render(report(one), lang="zh")
