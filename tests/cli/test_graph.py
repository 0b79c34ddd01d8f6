"""`--graph FILE.svg`: a picture beside the report, and one line where the layout library is missing."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tests.cli.commands import COMMAND, ROOT, call, environment

FAST = ("hw2", "reference", "--only", "nn.ReLU.*", "--graph")


def test_picture_is_written(tmp_path: Path) -> None:
    """The file is well-formed SVG; exit code and page are those of a run without it."""
    done = call(*FAST, tmp_path / "step.svg")

    assert (done.returncode, done.stderr) == (0, "")
    assert ElementTree.parse(tmp_path / "step.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_missing_library(tmp_path: Path) -> None:
    """Without igraph: one line with the command that helps, exit 2, nothing graded, nothing written."""
    (tmp_path / "igraph.py").write_text("raise ImportError('not installed')\n")

    done = subprocess.run(
        [*COMMAND, *FAST, str(tmp_path / "step.svg")],
        cwd=ROOT,
        env=environment(PYTHONPATH=f"{tmp_path}:{ROOT}"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'needle-grader[picture]'" in done.stderr
    assert not (tmp_path / "step.svg").exists()


def test_only_hw2_has_it() -> None:
    """hw1 trains nothing that could be drawn."""
    assert call("hw1", "reference", "--graph", "x.svg").returncode == 2
