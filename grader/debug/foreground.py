"""One check in the foreground: the calls of its smallest failing input, run in the student's own folder."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.classroom import intake
from grader.classroom.files import listing

CONSOLE = Path(__file__).with_name("console.py")
SHOWN = "<the calls of the check>"


@contextmanager
def root_of(path: Path, homework: str) -> Iterator[Path]:
    """Yield the root of a homework: the student's own folder, or an archive's content in a temporary one."""
    if path.is_dir():
        yield path / intake.find_root(listing(path), homework, path)
        return
    with tempfile.TemporaryDirectory(prefix="grader-debug-") as folder:
        intake.take(path, homework, Path(folder))
        yield Path(folder)


def run(script: str, root: Path) -> int:
    """Run a script in a homework's root with this terminal; return its exit code."""
    with tempfile.TemporaryDirectory(prefix="grader-debug-") as folder:
        file = Path(folder) / "check.py"
        file.write_text(script, encoding="utf-8")
        command = [sys.executable, "-B", "-c", CONSOLE.read_text(encoding="utf-8"), str(file), SHOWN]
        with _interrupts_are_theirs():
            return subprocess.run(command, cwd=root, check=False).returncode


@contextmanager
def _interrupts_are_theirs() -> Iterator[None]:
    """Leave Ctrl-C to the process in the foreground: it stops a loop, the variables stay at hand."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
