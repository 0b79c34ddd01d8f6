"""pytest over a homework gives the verdicts of the command, in its own words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.support import build

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "def gradient(self, out_grad, node):\n    return out_grad"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, the plugin named as the entry point would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    command = [sys.executable, "-m", "pytest", "-p", "grader.pytest_plugin", "-rA", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def verdicts(output: str) -> dict[str, str]:
    """Return the verdicts of pytest's summary by check."""
    lines = re.findall(r"^(PASSED|FAILED|XFAIL) \S*::(\S+)", output, re.MULTILINE)
    return {name: word.lower() for word, name in lines}


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hw1 with one wrong gradient, and the tests folder of the handout."""
    root = build(tmp_path_factory.mktemp("hw1") / "my work", "hw1", "2023", {"Negate.gradient": SENTENCE})
    shutil.copytree(ROOT / "hw1/tests", root / "tests")
    return root


def test_verdicts_are_those_of_the_command(submission: Path) -> None:
    """Every item that ran has the verdict of a whole grading run."""
    report = grade(submission, "hw1", blame=False)
    words = {True: "passed", False: "failed"}
    wanted = {
        check.id: "xfail" if check.advice and not check.passed else words[check.passed]
        for check in report.checks()
        if check.verdict in ("passed", "failed", "error")
    }

    found = verdicts(run(submission).stdout)

    assert found == wanted
    assert found["backward.Negate.gradient"] == "failed"


def test_a_selection_stops_at_the_first_with_our_sentence(submission: Path) -> None:
    """`-k` and `-x` work; the summary holds the sentence, and no line of the grader's own code."""
    done = run(submission, "-k", "Negate or LogFunction", "-x")

    assert done.returncode == 1
    summary = re.findall(r"^FAILED (.*)", done.stdout, re.MULTILINE)
    assert len(summary) == 1
    assert "backward.Negate.gradient - Negate.gradient:" in summary[0]
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_last_failed_and_two_workers(submission: Path) -> None:
    """`--lf` runs what failed only, and the same fails with pytest-xdist."""
    pytest.importorskip("xdist")
    alone = verdicts(run(submission, "-k", "Negate").stdout)
    again = verdicts(run(submission, "--lf", "-k", "Negate").stdout)
    shared = verdicts(run(submission, "-k", "Negate", "-n", "2").stdout)

    assert shared == alone
    assert again == {name: word for name, word in alone.items() if word == "failed"}


def test_a_module_that_does_not_import_is_one_failed_item(tmp_path: Path) -> None:
    """A syntax error is told once, as the preflight tells it, and is no collection error."""
    root = tmp_path / "hw1"
    shutil.copytree(ROOT / "hw1", root)
    autograd = root / "python/needle/autograd.py"
    autograd.write_text("def broken(:\n" + autograd.read_text())

    done = run(root, "-k", "topo_sort or Negate")

    failed = re.findall(r"^FAILED (.*)", done.stdout, re.MULTILINE)
    assert len(failed) == 1
    assert "needle does not import" in failed[0]
    assert "error" not in done.stdout.rpartition("\n=")[2]


def test_other_projects_are_left_alone(tmp_path: Path) -> None:
    """A test module without `Checks` is collected as ever, and numpy is not imported for it."""
    (tmp_path / "test_own.py").write_text(
        "import sys\ndef test_own():\n    assert 'numpy' not in sys.modules\n    assert 'grader.cli' not in sys.modules\n"
    )

    done = run(tmp_path)

    assert done.returncode == 0, done.stdout
    assert verdicts(done.stdout) == {"test_own": "passed"}


def test_a_submission_without_tests_of_ours(submission: Path, tmp_path: Path) -> None:
    """`--needle hw1` collects the checks in a submission's root, and no file of its own."""
    root = tmp_path / "work" / "mine"
    shutil.copytree(submission, root, ignore=shutil.ignore_patterns("tests"))
    (root / "test_course.py").write_text("import mugrade\n")

    inside = run(root, "--needle", "hw1", "-k", "Negate")
    outside = run(tmp_path / "work", "--needle", "hw1", "mine", "-k", "Negate")

    assert verdicts(inside.stdout) == verdicts(outside.stdout)
    assert verdicts(inside.stdout)["backward.Negate.gradient"] == "failed"
    assert "mugrade" not in inside.stdout
