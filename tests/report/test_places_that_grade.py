"""results.json of Gradescope and of PrairieLearn: the fields that they document, the points of the report."""

from __future__ import annotations

import copy
import json

import pytest

from grader.classroom import hidden
from grader.report import gradescope, prairielearn
from grader.report.renderings import RENDERINGS
from tests.report import rendered
from tests.report.rendered import ALL
from tests.report.reports import check, report


@pytest.mark.parametrize("name", ALL)
def test_gradescope(name: str) -> None:
    """Valid for every report; the score is the report's, and the tests add up to it."""
    found = rendered.gradescope(gradescope.render(ALL[name]))

    assert found["score"] == pytest.approx(ALL[name].score, abs=0.01)
    assert found["score"] == pytest.approx(sum(one.get("score", 0) for one in found["tests"]), abs=0.01)
    assert found["extra_data"]["complete"] is ALL[name].complete


def test_gradescope_tests() -> None:
    """A check is a test with a number, its points and the evidence; what costs nothing has no points."""
    tests = {one["name"]: one for one in gradescope.results(ALL["faulty"])["tests"]}

    matmul = tests["backward.MatMul.gradient: MatMul has the right gradient"]
    assert (matmul["number"], matmul["score"], matmul["max_score"]) == ("2.1", 0.0, 5.0)
    assert matmul["output"].startswith("MatMul.gradient is not summed\nhint       sum over the batch\n")
    assert tests["forward.Exp.forward"]["status"] == "passed"
    assert tests["remarks and advice (no points)"]["output"].splitlines() == [
        "- x.py:3: `nd` does not exist",
        "- MatMul changes its input",
    ]
    assert "backward.Reshape.gradient" not in tests  # not in this starter


@pytest.mark.parametrize("visibility", ["hidden", "after_published"])
def test_gradescope_secret_run(visibility: str) -> None:
    """A check that fails on secret inputs only loses its points once, in a test that is seen later."""
    public = report(
        check("forward.Exp.forward"), check("forward.Log.forward"), check("forward.Add.forward", "failed")
    )
    other = copy.deepcopy(public)
    other.questions[0].checks[0].verdict, other.questions[0].checks[0].message = "failed", "SECRET"
    other.questions[0].checks[0].actual = "SECRET"
    secret = hidden.hide(other)

    found = rendered.gradescope(gradescope.render(public, secret, visibility))

    assert found["score"] == 5.0
    later = [one for one in found["tests"] if one["visibility"] == visibility]
    assert [(one["name"], one["status"], one.get("score")) for one in later] == [
        ("forward.Exp.forward on secret inputs", "failed", -5.0),
        ("forward.Log.forward on secret inputs", "passed", None),
    ]
    assert "SECRET" not in json.dumps(found)
    assert sum(one.get("max_score", 0) for one in found["tests"]) == public.max_score


def test_gradescope_failure() -> None:
    """Without a report there is a zero and the reason."""
    assert rendered.gradescope(json.dumps(gradescope.failed("died\x1b[31m")))["score"] == 0.0


@pytest.mark.parametrize("name", ALL)
def test_prairielearn(name: str) -> None:
    """Valid for every report; the score is the share of the points."""
    whole = ALL[name]
    found = rendered.prairielearn(prairielearn.render(whole))

    assert found["gradable"] is whole.complete
    if whole.complete:
        assert found["score"] == pytest.approx(whole.score / whole.max_score)
        assert sum(one["points"] for one in found["tests"]) == pytest.approx(whole.score)


@pytest.mark.parametrize("rendering", RENDERINGS, ids=lambda one: one.name)
def test_renderings_are_pure(rendering: object) -> None:
    """Each leaves the report as it is, and says the same again."""
    before = copy.deepcopy(ALL["faulty"])

    assert rendering.text(ALL["faulty"], "en") == rendering.text(ALL["faulty"], "en")  # type: ignore[attr-defined]
    assert before == ALL["faulty"]
