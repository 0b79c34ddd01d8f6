"""Reports that every rendering is tried on, and strict readers of the formats."""

from __future__ import annotations

import json
import re
from typing import Any

from grader.report.model import Cause, QuestionResult, Report
from tests.report.reports import FULL, STOPPED, STUBS, check, hostile, report

# Each medium's own way out of the text, beside the control characters of `NASTY`.
MARKUP = (
    "</script><script>alert(1)</script> <img src=x onerror=alert(1)> \"'&amp; ]]> -->\n"
    "::error::forged\n##[error]forged\n  ::set-output name=result::forged\r::warning::x\n"
    "```\n# head\n| cell | [link](javascript:alert(1)) ![i](http://x/y.png) **bold** <b>b</b> `code` @octocat #1\n"
    "http://example.com www.example.com \\ %0A %25 a,b:c;d"
)


def faulty() -> Report:
    """A report with a cause over two checks, a failure without one, advice, a note, something unfilled."""
    excerpt = {"first": 1, "lines": ["def gradient(self, out_grad, node):", "    return out_grad", ""]}
    place = {"file": "python/needle/my ops: one, two.py", "line": 2, "function": "MatMul.gradient"}
    checks = [
        check("forward.Exp.forward"),
        check("forward.Log.forward", "failed", message="Log adds one", location={**place, "line": 3}),
        check("forward.Tanh.forward", "error", message="Tanh.compute is not filled in yet", unfilled=True),
    ]
    other = [
        check(
            "backward.MatMul.gradient",
            "failed",
            message="MatMul.gradient is not summed",
            help="sum over the batch",
            title="MatMul has the right gradient",
            counterexample={"a": {"text": "[1, 2]"}},
            expected={"text": "[3]"},
            actual={"text": "[4]"},
            location={**place, "excerpt": excerpt},
            measurements={"error_in_tolerances": 12.0},
            blame=["MatMul.gradient"],
            seconds=0.25,
            output="printed by the submission\n",
        ),
        check(
            "backward.MatMul.second_order",
            "blocked",
            message="not run",
            blocked_by="backward.MatMul.gradient",
        ),
        check("backward.MatMul.hygiene", "failed", advice=True, message="MatMul changes its input"),
        check("backward.Reshape.gradient", "not-run", message="not in your starter (2022)"),
    ]
    explains = ["backward.MatMul.gradient", "backward.MatMul.second_order"]
    causes = [Cause(["MatMul.gradient"], str(place["file"]), 2, explains)]
    whole = report(*checks, causes=causes, notes=[{"id": "typo", "message": "x.py:3: `nd` does not exist"}])
    best = sum(one.max_points for one in other if one.counts)
    whole.questions.append(QuestionResult("backward", "gradients", 0.0, best, other))
    whole.max_score += best
    return whole


ALL: dict[str, Report] = {
    "full": FULL,
    "stubs": STUBS,
    "stopped": STOPPED,
    "faulty": faulty(),
    "control": hostile(),
    "markup": hostile(MARKUP),
    "empty": Report("hw1", "", "", 0, complete=False, notes=[{"id": "not-finished", "message": "died"}]),
}

FORMATS = ("text", "html", "simple_format", "md", "ansi")
VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")
TOP: dict[str, Any] = {
    "score": float,
    "execution_time": float,
    "output": str,
    "output_format": FORMATS,
    "test_output_format": FORMATS,
    "test_name_format": FORMATS,
    "visibility": VISIBILITIES,
    "stdout_visibility": VISIBILITIES,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST: dict[str, Any] = {
    "score": float,
    "max_score": float,
    "status": ("passed", "failed"),
    "name": str,
    "name_format": FORMATS,
    "number": str,
    "output": str,
    "output_format": FORMATS,
    "tags": list,
    "visibility": VISIBILITIES,
    "extra_data": dict,
}


def gradescope(text: str) -> dict[str, Any]:
    """The results.json of Gradescope, after its documentation; AssertionError for anything else."""
    found = _strict(text)
    _fields(found, TOP)
    assert "score" in found or found["tests"]
    for test in found.get("tests", []):
        _fields(test, TEST)
    return found


def prairielearn(text: str) -> dict[str, Any]:
    """The results.json of PrairieLearn's external grader; AssertionError for anything else."""
    found = _strict(text)
    kinds = {"gradable": bool, "score": float, "message": str, "output": str, "tests": list}
    _fields(found, kinds)
    assert {"gradable", "score"} <= set(found) and 0 <= found["score"] <= 1
    test = {
        "name": str,
        "description": str,
        "points": float,
        "max_points": float,
        "message": str,
        "output": str,
    }
    for one in found["tests"]:
        _fields(one, test)
        assert {"name", "points", "max_points"} <= set(one)
    return found


def classroom(text: str) -> dict[str, Any]:
    """The result that GitHub Classroom's reporter takes; AssertionError for anything else."""
    found = _strict(text)
    states = ("pass", "fail", "error")
    assert (found["version"], found["status"] in states) == (1, True)
    _fields(found, {"version": float, "status": states, "max_score": float, "tests": list})
    words = {"name": str, "message": str, "test_code": str, "filename": str}
    numbers = {"line_no": float, "duration": float, "score": float, "max_score": float}
    for one in found["tests"]:
        _fields(one, {**words, **numbers, "status": states})
    return found


def _fields(found: dict[str, Any], known: dict[str, Any]) -> None:
    assert not set(found) - set(known)
    for name, value in found.items():
        kind = known[name]
        if isinstance(kind, tuple):
            assert value in kind, (name, value)
        elif kind is float:
            assert isinstance(value, (int, float)) and not isinstance(value, bool), (name, value)
        else:
            assert isinstance(value, kind), (name, value)
        if isinstance(value, str):
            assert not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", value
            ), name


def _strict(text: str) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    found = json.loads(text, parse_constant=refuse)
    assert isinstance(found, dict) and text.isascii()
    return found
