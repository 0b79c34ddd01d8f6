"""What a newcomer met: several `--only`, options that exclude each other, files that do not import."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.commands import ROOT, call


def _copy(tmp_path: Path) -> Path:
    submission = tmp_path / "mine"
    shutil.copytree(ROOT / "reference", submission, ignore=shutil.ignore_patterns("__pycache__"))
    return submission


def test_only_twice_is_both() -> None:
    """Two patterns are two patterns, not the last."""
    run = call("hw1", "reference", "--only", "forward.Exp", "--only", "forward.Log", "--json", "-")

    assert run.returncode == 0
    assert '"forward.Exp.forward"' in run.stdout and '"forward.Log.forward"' in run.stdout


def test_watch_refuses_what_it_would_ignore() -> None:
    """An option without effect is an error."""
    run = call("hw1", "reference", "--watch", "--first")

    assert (run.returncode, "leave --first out" in run.stderr) == (2, True)


def test_wrong_words_name_the_help_of_their_command() -> None:
    """The help that is named has the option in it."""
    run = call("hw1", "--only")

    assert run.returncode == 2
    assert "python -m grader hw1 --help" in run.stderr


def test_a_class_without_a_readable_submission(tmp_path: Path) -> None:
    """Nothing that can be graded: exit 2, with the path."""
    run = call("class", "hw1", "nowhere", "--store", tmp_path / "class.db", cwd=tmp_path)

    assert run.returncode == 2
    assert "nowhere: no such file or folder" in run.stdout


def test_a_syntax_error_is_said_once_and_drags_nothing_along(tmp_path: Path) -> None:
    """What an import that failed has not defined is no typo."""
    submission = _copy(tmp_path)
    file = submission / "python/needle/ops/ops_mathematic.py"
    file.write_text(file.read_text() + "\nx = (\n")

    run = call("hw1", submission)

    assert run.returncode == 1
    assert "does not exist" not in run.stdout
    assert run.stdout.count("needle does not import") == 1


def test_null_bytes_name_their_file(tmp_path: Path) -> None:
    """Python's own error has no file, and the import that met it is another file's."""
    submission = _copy(tmp_path)
    file = submission / "python/needle/autograd.py"
    file.write_bytes(file.read_bytes() + b"\nx = 1\0\n")

    run = call("hw1", submission)

    assert "python/needle/autograd.py" in run.stdout
    assert "data_basic.py" not in run.stdout


def test_the_call_to_repeat_is_one_line(tmp_path: Path) -> None:
    """It is there to be copied."""
    submission = _copy(tmp_path / ("long" * 20))
    file = submission / "python/needle/ops/ops_mathematic.py"
    file.write_text(file.read_text().replace("return array_api.exp(a)", "return array_api.exp(a) + 1"))

    run = call("hw1", submission, "--only", "forward.Exp")

    assert f"python -m grader hw1 {submission} --only forward.Exp.forward" in run.stdout
