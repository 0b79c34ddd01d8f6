"""Unpacks a bundle and runs it as its place does, with the place's folders below one of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from grader import cli
from tests.report import rendered


def bundle(kind: str, homework: str, target: Path, *words: str) -> Path:
    """Make a bundle with the command, from the project's folder."""
    assert cli.main(["bundle", kind, homework, str(target), *words]) == 0
    return target


def unpack(archive: Path, into: Path) -> Path:
    """Unpack as `unzip` does, modes included."""
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            path = Path(opened.extract(entry, into))
            path.chmod(entry.external_attr >> 16 & 0o777)
    return into


def environment(**more: str) -> dict[str, str]:
    """What a place gives its scripts: nothing of ours but which Python has the packages."""
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GRADER_PYTHON": sys.executable, **more}


class Gradescope:
    """A fake root with `source`, `submission` and `results`, set up once."""

    def __init__(self, archive: Path, base: Path) -> None:
        self.base = base
        unpack(archive, base / "source")
        self.env = environment(AUTOGRADER_ROOT=str(base))
        self.call(base / "source/setup.sh")
        shutil.copy(base / "source/run_autograder", base / "run_autograder")

    def call(self, script: Path, **more: str) -> None:
        """Run a script of the bundle in a folder that is not its own."""
        subprocess.run(
            [script], cwd="/", env={**self.env, **more}, check=True, capture_output=True, timeout=120
        )

    def results(self) -> dict[str, Any]:
        """What lies in results.json, if it is valid."""
        return rendered.gradescope((self.base / "results/results.json").read_text(encoding="utf-8"))

    def grade(self, submission: Path, **more: str) -> dict[str, Any]:
        """Hand in a folder or a file, as the harness lays it out, and return the results."""
        target = self.base / "submission"
        shutil.rmtree(target, ignore_errors=True)
        if submission.is_dir():
            shutil.copytree(submission, target, symlinks=True)
        else:
            target.mkdir()
            shutil.copy(submission, target)
        (self.base / "submission_metadata.json").write_text("{}")
        self.call(self.base / "run_autograder", **more)
        return self.results()
