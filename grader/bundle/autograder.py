"""Grades inside a bundle: runs the grader under guard, and leaves the results that the place wants.

`python -m grader.bundle.autograder KIND BUNDLE SUBMISSION RESULTS`, all of them folders but KIND. The script
that calls this has put a zero into RESULTS before; whole results take its place.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.bundle.settings import Settings
from grader.classroom import guard
from grader.report import gradescope, html, junit, language, prairielearn, stored
from grader.report.model import Report

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def main(words: list[str]) -> int:
    """Grade and write the results; return the grader's exit code."""
    kind, bundle, submission, results = words[0], *map(Path, words[1:4])
    settings = Settings.loads((bundle / "settings.json").read_text(encoding="utf-8"))
    os.umask(0o077)
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        handed_in = [settings.homework, str(_handed_in(submission)), *settings.words]
        public = Path(folder) / "report.json"
        code = guard.run(handed_in, public, settings.seconds)
        report, hidden = stored.read(public), None
        if settings.secret and report.complete:
            secret = Path(folder) / "secret.json"
            guard.run([*handed_in, "--hidden", "--seed-file", str(bundle / "seed")], secret, settings.seconds)
            hidden = stored.read(secret)
    for name, text in PLACES[kind](report, hidden, settings).items():
        _place(results / name, text)
    return code


def _handed_in(submission: Path) -> Path:
    """Return the archive if that is all that was handed in, else the folder."""
    files = list(submission.iterdir()) if submission.is_dir() else []
    is_archive = len(files) == 1 and files[0].is_file() and files[0].name.lower().endswith(ARCHIVES)
    return files[0] if is_archive else submission


def _language() -> str:
    """Return the language of the image: GRADER_LANG, or its locale."""
    return language.choose((), os.environ)


def _gradescope(report: Report, hidden: Report | None, settings: Settings) -> dict[str, str]:
    if not report.questions:
        return {"results.json": _text(gradescope.failed(_reason(report)))}
    return {"results.json": gradescope.render(report, hidden, settings.visibility, _language())}


def _prairielearn(report: Report, hidden: Report | None, settings: Settings) -> dict[str, str]:
    if not report.questions:
        return {"results.json": _text(prairielearn.failed(_reason(report)))}
    return {"results.json": prairielearn.render(lowered(report, hidden), _language())}


def _files(report: Report, hidden: Report | None, settings: Settings) -> dict[str, str]:
    report = lowered(report, hidden)
    return {
        "report.html": html.render(report, _language()),
        "junit.xml": junit.render(report),
        "report.json": _text(report.as_dict()),
    }


PLACES: dict[str, Callable[[Report, Report | None, Settings], dict[str, str]]] = {
    "gradescope": _gradescope,
    "prairielearn": _prairielearn,
    "docker": _files,
}


def lowered(report: Report, hidden: Report | None) -> Report:
    """Take from the report the points of checks that fail on secret inputs only."""
    failed = {check.id: check for check in hidden.checks() if not check.points} if hidden else {}
    for question in report.questions:
        for check in question.checks:
            if check.id in failed and check.points:
                check.verdict, check.points = failed[check.id].verdict, 0.0
                check.message, check.help = failed[check.id].message, failed[check.id].help
        question.points = round(sum(check.points for check in question.checks), 4)
    if hidden is not None:
        report.score = round(sum(question.points for question in report.questions), 2)
        report.complete = report.complete and hidden.complete
    return report


def _reason(report: Report) -> str:
    return "\n".join(str(note.get("message", "")) for note in report.notes) or "grading has not finished"


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=True) + "\n"


def _place(target: Path, text: str) -> None:
    """Put a file in its place in one step, readable by whoever reads the results."""
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.chmod(0o644)
    partial.replace(target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
