"""Runs the grader for CI: whatever becomes of it, a report is there, with a zero if it did not finish.

The zero is written first; the grader writes its report into a folder of its own, and only a whole one takes
the zero's place. What the grader leaves when it is killed (temporary files, processes) is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from grader.errors import NotGraded, UsageError
from grader.report.model import Report
from grader.sandbox import family

NOT_FINISHED = 3
SECONDS = 900.0
MOST_ERRORS = 1 << 20


def run(words: Sequence[str], target: Path, seconds: float = SECONDS) -> int:
    """Run `python -m grader WORDS` and return its exit code, 3 if it was killed or left no whole report.

    `words` start with a homework; the report goes to `target`. The grader is killed after `seconds`.
    """
    homework = words[0]
    _place(target, zero(homework, "the grader has not finished"))
    family.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="grader-guard-") as folder, _ended_by_signals():
        own, temporary = Path(folder) / "own", Path(folder) / "temporary"
        own.mkdir(0o700)
        temporary.mkdir()
        for one in (
            Path(folder),
            temporary,
        ):  # as root, workers are another user, and reach what is theirs there
            one.chmod(0o711)
        report = own / "report.json"
        code, said = _graded([*words, "--json", str(report)], own / "errors", temporary, seconds)
        text = _whole(report)
    if text is None:
        _place(target, zero(homework, _why(code, said)))
        return code if code == UsageError.exit_code else NOT_FINISHED
    _place(target, text)
    return code if code >= 0 else NOT_FINISHED


def _why(code: int, said: str) -> str:
    """Return in words why there is no report."""
    if code == UsageError.exit_code and said:
        return f"the submission cannot be graded: {said}"
    reason = f"exit code {code}" if code >= 0 else f"signal {-code}"
    return f"the grader did not finish ({reason}{': ' if said else ''}{said})"


def _graded(words: list[str], said: Path, temporary: Path, seconds: float) -> tuple[int, str]:
    """Return the grader's exit code, and why it gave up, if it said so."""
    command = [sys.executable, "-m", "grader", *words]
    late = ""
    with open(said, "w+b") as errors:
        process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, stderr=errors)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            code, late = process.wait(), f"more than {seconds:.0f} s"
        finally:
            process.kill()
            process.wait()
            _end_orphans()
        return code, _passed_on(errors) or late


def _passed_on(errors: BinaryIO) -> str:
    """Write to standard error what the grader wrote there; return its last line, without its name."""
    errors.seek(0)
    text = errors.read(MOST_ERRORS).decode("utf-8", "replace")
    sys.stderr.write(text)
    sys.stderr.flush()
    last = (text.splitlines() or [""])[-1]
    return last.removeprefix("grader: ") if last.startswith("grader: ") else ""


def _end_orphans() -> None:
    """Kill what the grader has left behind; the children of what is killed become ours in their turn."""
    while orphans := family.children():
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Have SIGTERM, by which CI ends a job, leave in good order."""

    def leave(number: int, _: object) -> None:
        raise NotGraded(f"ended by signal {number}")

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _whole(report: Path) -> str | None:
    """Return the text of a report, None if it is not there or not whole."""
    try:
        text = report.read_text(encoding="utf-8")
        found: Any = json.loads(text)
    except (OSError, ValueError):
        return None
    return text if isinstance(found, dict) and "score" in found else None


def zero(homework: str, message: str) -> str:
    """Return the report of a run that came to none."""
    note = {"id": "not-finished", "message": f"{message}; this is not a grade"}
    report = Report(homework, "", "", 0, complete=False, notes=[note])
    return json.dumps(report.as_dict(), indent=1) + "\n"


def _place(target: Path, text: str) -> None:
    """Put a report in its place, in one step."""
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}); choose another file") from error
