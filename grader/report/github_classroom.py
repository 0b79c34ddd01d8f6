"""The report as a result for GitHub Classroom's reporter: one test for a question, coded in base64.

The reporter takes it from `<STEP-ID>_RESULTS`, an environment variable, which must stay short.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from grader.report.escape import terminal as clean
from grader.report.findings import told
from grader.report.language import Speaker
from grader.report.model import QuestionResult, Report
from grader.report.wording import spot

LONGEST = 2000  # characters of a message
VERSION = 1


def render(report: Report) -> str:
    """Return the line that becomes the step's output `result`."""
    text = json.dumps(result(report), ensure_ascii=True)
    return base64.b64encode(text.encode("ascii")).decode("ascii")


def result(report: Report) -> dict[str, Any]:
    """Return the result as plain data."""
    tests = [_test(report, question) for question in report.questions if question.max_points]
    if not report.complete or not tests:
        status = "error"
        tests.append(_named("grading", "error", "grading has not finished; this is not a grade"))
    else:
        status = "pass" if report.full_marks else "fail"
    return {"version": VERSION, "status": status, "max_score": report.max_score, "tests": tests}


def _test(report: Report, question: QuestionResult) -> dict[str, Any]:
    lost = [check for check in question.checks if check.counts and not check.passed]
    found = [one for one in told(report) if any(check in lost for check in [one.check, *one.through])]
    places = [spot(one.place, Speaker()) for one in found]
    said = [
        f"{one.check.message} ({at})" if at else one.check.message
        for one, at in zip(found, places, strict=True)
    ]
    said = said or list(dict.fromkeys(check.message for check in lost))
    location = next((one.place for one in found if one.place), None) or {}
    return {
        **_named(question.title, "fail" if lost else "pass", "\n".join(said)),
        "test_code": clean(f"python -m grader {report.homework} --only {question.id}"),
        "filename": clean(str(location.get("file", ""))),
        "line_no": location.get("line", 0) if isinstance(location.get("line", 0), int) else 0,
        "duration": round(sum(check.seconds for check in question.checks), 3),
        "score": question.points,
        "max_score": question.max_points,
    }


def _named(name: str, status: str, message: str) -> dict[str, Any]:
    return {
        "name": clean(name),
        "status": status,
        "message": clean(message[:LONGEST], lines=True),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": 0.0,
        "score": 0.0,
    }
