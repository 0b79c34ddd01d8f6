"""The renderings as options of a run: which file holds what, what goes to standard output, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader import cli
from grader.report.renderings import RENDERINGS
from tests.cli.commands import ROOT, call
from tests.report import rendered

ONLY = ("hw1", "reference", "--only", "forward.MatMul.forward")
BEGINNINGS = {
    "json": "{",
    "html": "<!doctype html>",
    "junit": "<?xml",
    "gradescope": "{",
    "prairielearn": "{",
}


def test_all_at_once(tmp_path: Path) -> None:
    """Each option writes its own file, and the page goes to the terminal as ever."""
    words = [word for one in RENDERINGS for word in (f"--{one.name}", tmp_path / one.name)]
    done = call(*ONLY, *words)

    assert (done.returncode, done.stderr) == (0, "")
    assert "Full marks" in done.stdout
    found = {one.name: (tmp_path / one.name).read_text(encoding="utf-8") for one in RENDERINGS}
    assert {name: text[: len(BEGINNINGS[name])] for name, text in found.items()} == BEGINNINGS
    score = json.loads(found["json"])["score"]
    assert rendered.gradescope(found["gradescope"])["score"] == score
    assert rendered.prairielearn(found["prairielearn"])["score"] == 1.0


def test_standard_output() -> None:
    """`-` is standard output, alone there."""
    done = call(*ONLY, "--junit", "-")

    assert done.stdout.startswith("<?xml") and done.stdout.endswith("</testsuites>\n")
    assert "Full marks" in done.stderr


@pytest.mark.parametrize("name", ["-", "same.txt"])
def test_two_of_one_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two renderings do not go to one place; nothing is graded or written."""
    assert cli.main([*ONLY, "--html", name, "--junit", name]) == 2
    assert capsys.readouterr().err == (
        f"grader: {name}: cannot hold --html, --junit at once; give each a file of its own\n"
    )
    assert not (ROOT / "same.txt").exists()


def test_hidden_page_tells_nothing(tmp_path: Path) -> None:
    """With --hidden a page has no input, value, place or time of the run."""
    submission = ROOT / "hw1"
    done = call("hw1", submission, "--only", "forward", "--hidden", "--html", tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert done.returncode == 1
    assert "fails on a hidden input" in text
    assert "ops_mathematic.py" not in text and 'class="code"' not in text
