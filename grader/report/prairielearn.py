"""The report as results.json of PrairieLearn's external grader: scores are shares of one."""

from __future__ import annotations

import json
from typing import Any

from grader.report import terminal
from grader.report.escape import terminal as clean
from grader.report.findings import Finding
from grader.report.model import CheckResult, Report

LONGEST = 8000


def render(report: Report) -> str:
    """Return the text of results.json."""
    return json.dumps(results(report), indent=1, ensure_ascii=True) + "\n"


def results(report: Report) -> dict[str, Any]:
    """Return the results as plain data; a run that did not finish is not gradable, and uses up no attempt."""
    if not report.complete:
        return failed("grading has not finished; this is not a grade")
    share = report.score / report.max_score if report.max_score else 0.0
    return {
        "gradable": True,
        "score": round(min(1.0, max(0.0, share)), 6),
        "message": f"{report.score:g} of {report.max_score:g} points",
        "output": terminal.render(report),
        "tests": [_test(check) for check in report.checks() if check.counts],
    }


def failed(message: str) -> dict[str, Any]:
    """Return the results of a run that came to no report."""
    return {"gradable": False, "score": 0.0, "message": clean(message), "output": "", "tests": []}


def _test(check: CheckResult) -> dict[str, Any]:
    rows = [f"{clean(label):<10} {clean(said)}" for label, said in Finding(check.id, check, []).evidence()]
    return {
        "name": clean(check.id),
        "description": clean(check.title),
        "points": check.points,
        "max_points": check.max_points,
        "message": "" if check.passed else clean(check.message)[:LONGEST],
        "output": "" if check.passed else "\n".join(rows)[:LONGEST],
    }
