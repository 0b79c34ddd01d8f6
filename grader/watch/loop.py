"""The loop of `--watch`: a full run, then one for each save, until Ctrl-C."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from grader.errors import UsageError
from grader.report.model import CheckResult, Report
from grader.watch.session import Session, Superseded

GATHER = 30  # ms without a further event after which a save is taken to be over


class Grader:
    """Grades with the options of the command; the next interpreter is started ahead of its run."""

    def __init__(self, submission: Path, options: Namespace) -> None:
        from grader.sandbox import boot, host_mode

        self.submission, self.options = submission, options
        self._boot = boot if host_mode() == "fork" else None
        self._next = boot.start("fork") if self._boot else None

    def __call__(self, only: str | None, progress: Callable[[CheckResult], None]) -> Report:
        """Grade; `progress` is told each result."""
        from grader.classroom.grade import grade
        from grader.homework import jobs

        ready, self._next = self._next, None
        try:
            return grade(
                self.submission,
                self.options.homework,
                seed=self.options.seed,
                only=only,
                progress=progress,
                interpreter=ready,
                blame=only is None and not self.options.no_blame,
                jobs=jobs.usual(self.options.jobs),
                sandbox=self.options.require_sandbox,
            )
        finally:
            self._next = self._boot.start("fork") if self._boot else None

    def close(self) -> None:
        """End the interpreter that waits."""
        if self._next is not None:
            self._next.control.close()
            self._next.process.kill()
            self._next.process.wait()


def run(
    submission: Path, options: Namespace, show: Callable[[Report], str], text: Callable[[str], str] = str
) -> int:
    """Watch a folder until Ctrl-C; return 0 if everything passed in the end, 1 if not.

    `show` makes the page of the first report, `text` puts each line after it into the reader's language.
    """
    try:
        import watchfiles
    except ImportError:
        raise UsageError("--watch needs a library: pip install 'needle-grader[watch]'") from None
    grader = Grader(submission, options)

    def say(line: str) -> None:
        stamp = f"{time.strftime('%H:%M:%S')}  " if line.startswith("saved") else ""
        print(stamp + text(line), flush=True)

    session = Session(submission, options.homework, grader, say, text)
    try:
        sys.stdout.write(show(session.start()))
        say(f"watching {session.root}; Ctrl-C ends")
        for _ in watchfiles.watch(
            session.root, watch_filter=_is_source, step=GATHER, debounce=400, raise_interrupt=True
        ):
            _saved(session, say)
    except KeyboardInterrupt:
        say("")
    finally:
        grader.close()
    return 0 if all(one.passed or not one.counts for one in session.results.values()) else 1


def _saved(session: Session, say: Callable[[str], None]) -> None:
    while True:
        try:
            session.saved()
            return
        except Superseded:
            say("  saved again meanwhile: once more")


def _is_source(_: object, path: str) -> bool:
    parts = Path(path).parts
    return path.endswith((".py", ".cpp")) and "__pycache__" not in parts
