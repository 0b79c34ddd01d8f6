"""The report of one submission as one HTML file: no script, no network, light and dark, for paper as well.

A pure function of the report. What comes from a submission passes `elements.text`; the page forbids itself
scripts and every request by its own policy.
"""

from __future__ import annotations

from pathlib import Path

from grader.report import language
from grader.report.html import checks, drawn, findings, summary
from grader.report.html.elements import Markup, element
from grader.report.model import Report

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = Path(__file__).with_name("page.css")


def render(report: Report, lang: str = language.ENGLISH) -> str:
    """Return the page: score and questions, what to mend, the picture, remarks, every check."""
    say = language.speaker(lang)
    parts = [
        summary.head(report, say),
        element(
            "main",
            summary.questions(report, say),
            findings.section(report, say),
            drawn.section(report, say),
            checks.remarks(report, say),
            checks.section(report, say),
        ),
        summary.foot(report, say),
    ]
    title = f"{report.homework} · {report.score:g} / {report.max_score:g}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        Markup(f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"),
    )
    return f"<!doctype html>\n{element('html', head, element('body', *parts), lang=lang)}\n"
