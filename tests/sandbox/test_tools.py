"""A tool, such as a compiler, reads the system and what it is given, and writes its own folder only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.sandbox import kernel, landlock
from grader.sandbox.build import Outcome, Tool

ROOT = Path(__file__).resolve().parents[2]
SECRET = ROOT / "reference/src/simple_ml_ext.cpp"
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or landlock.ruleset() is None or not kernel.machine(),
    reason="the machine lacks Landlock or seccomp",
)


def shell(script: str, folder: Path, **options: tuple[Path | str, ...] | bool) -> Outcome:
    """Run a line of shell as a tool."""
    with Tool(["/bin/sh", "-c", script], folder / "own", **options) as tool:  # type: ignore[arg-type]
        return tool.wait()


def test_what_a_tool_may_do(tmp_path: Path) -> None:
    """It reads what is given, writes its folder and one more, and starts programs."""
    given, more = tmp_path / "given", tmp_path / "more"
    more.mkdir()
    given.write_text("42")

    outcome = shell(
        f"cat {given} > here && cp here {more}/there && rm here && ls {more}",
        tmp_path,
        readable=(given,),
        writable=(more,),
    )

    assert (outcome.code, outcome.output) == (0, "there\n")
    assert (more / "there").read_text() == "42"


@pytest.mark.parametrize(
    "script",
    [
        f"cat {SECRET}",
        "cat /etc/passwd",
        "ls /",
        "echo x > {outside}",
        "mkdir {outside}",
        f"{sys.executable} -c 'import numpy'",
    ],
)
def test_what_a_tool_may_not_do(script: str, tmp_path: Path) -> None:
    """The reference, the machine's files, Python's packages and every other folder are out of its reach."""
    outcome = shell(script.format(outside=tmp_path / "outside"), tmp_path)

    assert outcome.code not in (0, None)
    assert not (tmp_path / "outside").exists()


def test_a_program_is_alone(tmp_path: Path) -> None:
    """What a compiler made starts no process that could stay behind."""
    script = "/bin/true; exec /bin/true"

    assert shell(script, tmp_path).code == 0
    assert "fork" in shell(script, tmp_path, may_fork=False).output
    assert shell("exec /bin/true", tmp_path, may_fork=False).code == 0


def test_without_landlock_it_may(tmp_path: Path) -> None:
    """The refusals above are Landlock's: without it, the system's files are read."""
    assert shell("cat /etc/passwd", tmp_path, without=("landlock",)).code == 0
