"""`--github`: hands a report to GitHub Actions through the files that its variables name."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from grader.cli import spoken
from grader.cli.common import unwritable
from grader.report import github, github_classroom, language
from grader.report.model import Report


def announce(report: Report, submission: Path, page: str, variables: Mapping[str, str] = os.environ) -> str:
    """Write the step's summary and its output `result`; return what the log gets: marks, then the page.

    `result` is what GitHub Classroom's reporter takes. Without the variables there is only the log.
    """
    _append(variables.get("GITHUB_STEP_SUMMARY"), github.summary(report, lang=spoken.code()))
    _append(
        variables.get("GITHUB_OUTPUT"),
        f"result={github_classroom.render(language.translate(report, spoken.code()))}\n",
    )
    marks = github.marks(report, _folder(submission, variables), spoken.code())
    return marks + github.fenced(page, secrets.token_hex(16))


def _folder(submission: Path, variables: Mapping[str, str]) -> str:
    """Return the submission's folder in the repository, "" for its root, an archive or another place."""
    workspace = Path(variables.get("GITHUB_WORKSPACE") or ".").resolve()
    found = submission.resolve()
    if not found.is_dir() or not found.is_relative_to(workspace) or found == workspace:
        return ""
    return found.relative_to(workspace).as_posix()


def _append(name: str | None, text: str) -> None:
    if name:
        try:
            with open(name, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise unwritable(name, error) from error
