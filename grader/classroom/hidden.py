"""Runs on secret inputs: where the secret comes from, and a report that tells nothing of them.

The inputs of a check are HMAC(secret, homework, check) (`judge.source.seeded`). The secret stays in the
grader's own process: workers start from a fresh interpreter with an environment of their own.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.report.model import FAILED, NOT_RUN, CheckResult, Report

VARIABLE = "GRADER_SEED"
SHORTEST = 16  # bytes
HINT = "fails on a hidden input"
HELP = "the same check on public inputs says more: grade it without --hidden"
OWN_NOTES = frozenset({"left-out", "missing-file", "odd-characters"})


def secret(file: Path | None, variables: MutableMapping[str, str] = os.environ) -> str | None:
    """Return the secret in a file, or in the environment, None if there is none; forget the variable.

    White space around it does not count. Raises `UsageError` for a file that cannot be read, and for less
    than 16 bytes, which can be guessed.
    """
    data = variables.pop(VARIABLE, "").encode("utf-8", "surrogateescape")
    source = VARIABLE
    if file is not None:
        source = str(file)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: the seed cannot be read ({error.strerror})") from error
    elif not data:
        return None
    data = data.strip()
    if len(data) < SHORTEST:
        raise UsageError(f"{source}: a secret seed has at least {SHORTEST} bytes, not {len(data)}")
    return data.decode("latin-1")


def hide(report: Report) -> Report:
    """Leave of a report what a student may see of a hidden run: passed or failed, and a fixed hint.

    Nothing stays that a worker has had a part in: no text, value, place, time or memory, since a submission
    can put what it was asked into each of them.
    """
    for question in report.questions:
        question.checks = [_hidden(check) for check in question.checks]
    report.causes, report.picture, report.seconds = [], None, 0.0
    report.notes = [note for note in map(_note, report.notes) if note]
    return report


def _hidden(check: CheckResult) -> CheckResult:
    shown = CheckResult(
        check.id, check.kind, check.verdict, check.points, check.max_points, check.advice, check.title
    )
    if not check.passed and check.verdict != NOT_RUN:
        shown.verdict = FAILED
        shown.message = f"{check.id.split('.')[1]} {HINT}"
        shown.help = HELP
    return shown


def _note(note: dict[str, Any]) -> dict[str, Any] | None:
    if note["id"] == "import-failed":
        return {"id": note["id"], "message": "the submission does not import; grade it without --hidden"}
    return note if note["id"] in OWN_NOTES else None
