"""What the last run of a submission found, kept in the user's cache folder, never in the submission.

One small JSON file for each submission and homework: the verdict of each check by its id.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path

from grader.errors import UsageError
from grader.report.model import NOT_RUN, PASSED, Report

FAILED = "failed"  # the word that stands for the checks that failed in the last run
MOST_FILES = 200


def folder() -> Path:
    """Return the folder of the kept verdicts, by the custom of the platform."""
    if sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "needle-grader" / "last"


def _file(submission: Path, homework: str) -> Path:
    key = f"{homework}\0{submission.resolve()}".encode("utf-8", "surrogateescape")
    return folder() / f"{hashlib.sha256(key).hexdigest()[:32]}.json"


def verdicts(submission: Path, homework: str) -> dict[str, str] | None:
    """Return the verdicts of the last run by check, None if there was no run or it cannot be read."""
    try:
        found = json.loads(_file(submission, homework).read_bytes())["verdicts"]
        return {str(name): str(verdict) for name, verdict in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def keep(submission: Path, report: Report) -> None:
    """Keep a report's verdicts; those of checks that this run left out stay. Never fails."""
    known = verdicts(submission, report.homework) or {}
    known |= {check.id: check.verdict for check in report.checks()}
    file = _file(submission, report.homework)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps({"verdicts": known}), encoding="utf-8")
        partial.replace(file)
        _tidy(file.parent)


def _tidy(where: Path) -> None:
    """Remove the oldest files when there are too many."""
    files = sorted(where.glob("*.json"), key=lambda file: file.stat().st_mtime)
    for file in files[:-MOST_FILES]:
        file.unlink(missing_ok=True)


def chosen(only: str | None, submission: Path, homework: str) -> str | None:
    """Return the checks to run; the word `failed` stands for those that failed in the last run.

    Returns "" when nothing failed then. Raises `UsageError` when there was no run.
    """
    if only != FAILED:
        return only
    known = verdicts(submission, homework)
    if known is None:
        raise UsageError(f"--only failed: there is no earlier run of {submission}; grade it whole first")
    return ",".join(name for name, verdict in known.items() if verdict not in (PASSED, NOT_RUN))
