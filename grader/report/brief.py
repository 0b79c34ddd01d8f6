"""The report in one line: a pure function of the report."""

from __future__ import annotations

from grader.report import language
from grader.report.escape import terminal as clean
from grader.report.findings import told
from grader.report.model import Report
from grader.report.sums import sums


def line(report: Report, lang: str = language.ENGLISH) -> str:
    """Return homework, submission, score, and how much is to mend: `hw1  mine  96 / 100  2 to mend: Log`."""
    say, shown = language.speaker(lang), sums(report)
    head = f"{report.homework}  {clean(report.submission)}  {shown.score} / {shown.max_score}"
    return f"{head}  {_rest(report, say)}\n"


def _rest(report: Report, say: language.Speaker) -> str:
    findings = told(report)
    if not report.complete:
        return say("stopped before the end")
    if report.full_marks and not findings:
        return say("full marks")
    if findings:
        return say("{count} to mend: {first}", count=len(findings), first=clean(findings[0].name))
    return say("not filled in yet")
