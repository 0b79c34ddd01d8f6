"""The report as results.json of PrairieLearn's external grader: scores are shares of one."""

from __future__ import annotations

import json
from typing import Any

from grader.report import language, terminal
from grader.report.escape import terminal as clean
from grader.report.gradescope import evidence
from grader.report.model import CheckResult, Report

LONGEST = 8000


def render(report: Report, lang: str = language.ENGLISH) -> str:
    """Return the text of results.json."""
    return json.dumps(results(report, lang), indent=1, ensure_ascii=True) + "\n"


def results(report: Report, lang: str = language.ENGLISH) -> dict[str, Any]:
    """Return the results as plain data; a run that did not finish is not gradable, and uses up no attempt."""
    say = language.speaker(lang)
    if not report.complete:
        return failed(say("grading has not finished; this is not a grade"))
    page, report = terminal.render(report, lang=lang), language.translate(report, lang)
    share = report.score / report.max_score if report.max_score else 0.0
    return {
        "gradable": True,
        "score": round(min(1.0, max(0.0, share)), 6),
        "message": say("{score} of {most} points", score=f"{report.score:g}", most=f"{report.max_score:g}"),
        "output": page,
        "tests": [_test(check, say) for check in report.checks() if check.counts],
    }


def failed(message: str) -> dict[str, Any]:
    """Return the results of a run that came to no report."""
    return {"gradable": False, "score": 0.0, "message": clean(message), "output": "", "tests": []}


def _test(check: CheckResult, say: language.Speaker) -> dict[str, Any]:
    return {
        "name": clean(check.id),
        "description": clean(check.title),
        "points": check.points,
        "max_points": check.max_points,
        "message": "" if check.passed else clean(check.message)[:LONGEST],
        "output": "" if check.passed else "\n".join(evidence(check, say))[:LONGEST],
    }
