"""The report as Gradescope's results.json.

Each check is a test with its own points. Of a second run on secret inputs only what it changes costs: a check
that passes on the public inputs and fails on the secret ones loses its points in a test of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.report import language, terminal
from grader.report.escape import terminal as clean
from grader.report.findings import Finding, advice
from grader.report.model import CheckResult, QuestionResult, Report
from grader.report.wording import aligned

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")
LONGEST = 8000  # characters of one test's output
MOST_OUTPUT = 60_000


def render(
    report: Report,
    hidden: Report | None = None,
    visibility: str = "after_published",
    lang: str = language.ENGLISH,
) -> str:
    """Return the text of results.json."""
    return json.dumps(results(report, hidden, visibility, lang), indent=1, ensure_ascii=True) + "\n"


def results(
    report: Report,
    hidden: Report | None = None,
    visibility: str = "after_published",
    lang: str = language.ENGLISH,
) -> dict[str, Any]:
    """Return the results as plain data; `hidden` is the report of the second run, as `--hidden` leaves it."""
    say, page = language.speaker(lang), terminal.render(report, lang=lang)
    report = language.translate(report, lang)
    tests = [_test(check, f"{i}.{j}", say) for i, j, check in _numbered(report)]
    tests += _advice(report, say)
    if hidden is not None:
        second = _second(report, language.translate(hidden, lang), say)
        tests += [{**one, "visibility": visibility} for one in second]
    return {
        "score": round(max(0.0, sum(test.get("score", 0.0) for test in tests)), 2),
        "execution_time": round(report.seconds + (hidden.seconds if hidden else 0.0), 3),
        "output": page[:MOST_OUTPUT],
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "homework": report.homework,
            "complete": report.complete,
            "max_score": report.max_score,
            "sandbox": report.confinement.get("level", "none"),
            "environment": {name: clean(str(value)) for name, value in report.environment.items()},
        },
    }


def failed(message: str) -> dict[str, Any]:
    """Return the results of a run that came to no report: a zero, and the reason."""
    return {
        "score": 0.0,
        "output": clean(message, lines=True),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"complete": False},
    }


def _numbered(report: Report) -> Iterator[tuple[int, int, CheckResult]]:
    questions: list[QuestionResult] = [one for one in report.questions if any(c.counts for c in one.checks)]
    for i, question in enumerate(questions, 1):
        scored = [check for check in question.checks if check.counts]
        yield from ((i, j, check) for j, check in enumerate(scored, 1))


def _test(check: CheckResult, number: str, say: language.Speaker) -> dict[str, Any]:
    return {
        "name": clean(f"{check.id}: {check.title}" if check.title else check.id),
        "number": number,
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.passed or check.followed_through else "failed",
        "output": "" if check.passed else _output(check, say),
        "visibility": "visible",
    }


def _output(check: CheckResult, say: language.Speaker) -> str:
    return "\n".join([clean(check.message), *evidence(check, say)])[:LONGEST]


def evidence(check: CheckResult, say: language.Speaker) -> list[str]:
    """Return the lines below the sentence, each with its label."""
    rows = Finding(check.id, check, []).evidence_in(say)
    return aligned((clean(label), clean(said)) for label, said in rows)


def _advice(report: Report, say: language.Speaker) -> Iterator[dict[str, Any]]:
    said = [clean(str(note.get("message", ""))) for note in report.notes]
    said += [clean(check.message) for check in advice(report)]
    if said:
        text = "\n".join(f"- {one}" for one in dict.fromkeys(said))[:LONGEST]
        yield {"name": say("remarks and advice (no points)"), "output": text, "visibility": "visible"}


def _second(report: Report, hidden: Report, say: language.Speaker) -> Iterator[dict[str, Any]]:
    public = {check.id: check for check in report.checks()}
    if not hidden.complete:
        yield {"name": say("secret inputs"), "output": say("the run on secret inputs has not finished")}
    for check in hidden.checks():
        before = public.get(check.id)
        if before is None or not check.counts or not before.points:
            continue
        test: dict[str, Any] = {"name": clean(say("{check} on secret inputs", check=check.id))}
        if check.passed or check.followed_through:
            yield {**test, "status": "passed", "output": ""}
        else:
            lost = {"score": -before.points, "max_score": 0.0}
            yield {**test, **lost, "status": "failed", "output": clean(check.message)[:LONGEST]}
