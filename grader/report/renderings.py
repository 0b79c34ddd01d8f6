"""The renderings that go to a file, `--NAME FILE`: pure functions of the report, imported when used."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from grader.report.model import Report


class Rendering(NamedTuple):
    """A word on the command line (`--html FILE`), what its help says, and what makes the text.

    `text` is given the language that a person reads; what machines read is in English.
    """

    name: str
    help: str
    text: Callable[[Report, str], str]


def _json(report: Report, lang: str) -> str:
    return json.dumps(report.as_dict(), indent=1, ensure_ascii=True) + "\n"


def _html(report: Report, lang: str) -> str:
    from grader.report import html

    return html.render(report, lang)


def _junit(report: Report, lang: str) -> str:
    from grader.report import junit

    return junit.render(report)


def _gradescope(report: Report, lang: str) -> str:
    from grader.report import gradescope

    return gradescope.render(report, lang=lang)


def _prairielearn(report: Report, lang: str) -> str:
    from grader.report import prairielearn

    return prairielearn.render(report, lang)


RENDERINGS = (
    Rendering("json", "write the report as JSON; - for standard output", _json),
    Rendering("html", "write the report as a page for the browser, in one file", _html),
    Rendering("junit", "write the report as JUnit XML", _junit),
    Rendering("gradescope", "write the report as Gradescope's results.json", _gradescope),
    Rendering("prairielearn", "write the report as PrairieLearn's results.json", _prairielearn),
)
