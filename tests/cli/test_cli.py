"""The command line: exit codes, one-line errors, where the report goes."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli import FAMILIES
from tests.classroom.archives import SOURCE, encrypted_zip, write_tar, write_zip
from tests.cli.commands import COMMAND, ROOT, call, environment, green
from tests.support import build

FAST = ("--only", "forward.Negate.forward")
WRONG = {"Negate.compute": "def compute(self, a):\n    return a"}


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error; nothing else was printed."""
    assert done.stdout == ""
    assert done.stderr.startswith("grader: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_full_marks() -> None:
    """The reference gets full marks and exit code 0, and the page says so."""
    done = green()

    assert (done.returncode, done.stderr) == (0, "")
    assert "100 / 100" in done.stdout
    assert "Full marks" in done.stdout


def test_points_lost(tmp_path: Path) -> None:
    """A wrong submission exits with 1, and the failure names the function."""
    done = call("hw1", build(tmp_path, "hw1", solutions=WRONG), *FAST, "--no-blame")

    assert (done.returncode, done.stderr) == (1, "")
    assert "Negate.compute" in done.stdout


def test_stubs_in_the_handout() -> None:
    """The untouched handout gets 0 points, exit 1, and calm words only."""
    done = call("hw1", "hw1")

    assert (done.returncode, done.stderr) == (1, "")
    assert "0 / 100" in done.stdout
    assert "not filled in yet" in done.stdout
    assert "raised" not in done.stdout


USAGE = {
    "no-such-path": (["hw1", "{tmp}/nowhere"], "no such file or folder"),
    "long-path": (["hw1", "x" * 5000], "cannot be read"),
    "empty-folder": (["hw1", "{tmp}/empty"], "holds no source file"),
    "not-a-homework": (["hw1", "{tmp}/other"], "not a homework"),
    "hw2-as-hw1": (["hw1", "{tmp}/second"], "looks like hw2"),
    "hw1-as-hw2": (["hw2", "{tmp}/first"], "looks like hw1"),
    "hw0-as-hw1": (["hw1", "{tmp}/zeroth"], "looks like hw0"),
    "unreadable": (["hw1", "{tmp}/broken.zip"], "broken.zip"),
    "encrypted": (["hw0", "{tmp}/encrypted.zip"], "encrypted"),
    "text-file": (["hw1", "README.md"], "neither a folder nor a readable"),
    "device": (["hw1", "/dev/zero"], "neither a folder nor a file"),
    "no-command": ([], "--help"),
    "unknown-homework": (["hw7"], "hw7"),
    "unknown-option": (["hw1", "reference", "--colour"], "--colour"),
    "bad-seed": (["hw1", "reference", "--seed", "many"], "many"),
    "no-process": (["hw1", "reference", "--jobs", "0"], "--jobs 0: at least 1 process"),
    "unknown-check": (["hw1", "reference", "--only", "forward.Negat"], "did you mean"),
    "unknown-check-at-all": (["hw1", "reference", "--only", "zzz"], "no check has this name"),
    "empty-pattern": (["hw1", "reference", "--only", ""], "no check"),
    "json-nowhere": (["hw1", "reference", *FAST, "--json", "{tmp}/no/such/report.json"], "cannot be written"),
    "json-folder": (["hw1", "reference", *FAST, "--json", "{tmp}/empty"], "cannot be written"),
    "escape-codes": (["hw1", "{tmp}/\x1b[31mred\x07\n"], "\\x1b[31mred\\x07\\x0a"),
}


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of things to hand in."""
    folder = tmp_path_factory.mktemp("submissions")
    (folder / "empty").mkdir()
    (folder / "other").mkdir()
    (folder / "other/main.py").write_text("print()")
    build(folder / "zeroth", "hw0")
    build(folder / "first", "hw1")
    build(folder / "second", "hw2")
    (folder / "broken.zip").write_bytes(
        write_zip(folder / "a.zip", [("src/simple_ml.py", SOURCE)]).read_bytes()[:60]
    )
    encrypted_zip(folder / "encrypted.zip")
    return folder


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage(name: str, submissions: Path) -> None:
    """Wrong words and unreadable submissions: one line that says what, exit code 2, no traceback."""
    words, expected = USAGE[name]

    done = call(*(word.replace("{tmp}", str(submissions)) for word in words))

    assert done.returncode == 2
    assert expected in one_line(done)


def test_json_goes_to_standard_output() -> None:
    """With `--json -`, standard output is strict JSON and nothing else; the page goes beside it."""
    done = call("hw1", "reference", *FAST, "--json", "-")

    report = json.loads(done.stdout, parse_constant=pytest.fail)
    assert (report["schema"], report["homework"]) == (1, "hw1")
    assert "forward computation" in done.stderr


def test_json_file_replaces_an_older_one(tmp_path: Path) -> None:
    """The report is written whole to the file that was named, and nothing is left beside it."""
    target = tmp_path / "report.json"
    target.write_text("old")

    done = call("hw1", "reference", *FAST, "--json", target)

    assert done.returncode == 0
    assert json.loads(target.read_text())["complete"] is True
    assert [target] == list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["hw1", "nowhere"], ["hw1", "reference", "--only", "zzz"]])
def test_old_report_does_not_outlive_a_failure(words: list[str], tmp_path: Path) -> None:
    """A run that ends without a grade leaves no older report that could be taken for its own."""
    target = tmp_path / "report.json"
    target.write_text('{"schema": 1, "score": 100}')

    done = call(*words, "--json", target)

    assert done.returncode == 2
    assert not target.exists()


def test_seed_and_only() -> None:
    """`--only` runs the checks it names, `--seed` is noted in the report; equal seeds give equal reports."""
    words = ("hw1", "reference", "--only", "forward.MatMul", "--seed", "41", "--json", "-")

    first, second = (json.loads(call(*words).stdout) for _ in range(2))

    ids = [check["id"] for question in first["questions"] for check in question["checks"]]
    assert first["seed"] == 41
    assert ids
    assert all(name.startswith("forward.MatMul.") for name in ids)
    assert without_times(first) == without_times(second)


def without_times(report: object) -> object:
    """A report without its seconds, and without how a worker was confined: each has a user of its own."""
    if isinstance(report, dict):
        return {
            name: without_times(value) for name, value in report.items() if name not in ("seconds", "how")
        }
    return [without_times(value) for value in report] if isinstance(report, list) else report


@pytest.mark.parametrize("where", ["beside", "inside"])
def test_default_submission(where: str, tmp_path: Path) -> None:
    """Without a path, ./hw1 is graded, or the folder one is in if it is the root."""
    root = build(tmp_path / "hw1", "hw1")

    done = call("hw1", *FAST, cwd=tmp_path if where == "beside" else root)

    assert done.returncode == 0, done.stderr


def test_no_default_submission(tmp_path: Path) -> None:
    """Elsewhere the command asks for a path."""
    assert "name the submission" in one_line(call("hw1", cwd=tmp_path))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archive(kind: str, tmp_path: Path) -> None:
    """An archive is graded as its folder is."""
    root = build(tmp_path / "hw1", "hw1")
    members = [(f"x/{path.relative_to(root)}", path.read_bytes()) for path in root.rglob("*.py")]
    archive = (write_zip if kind == "zip" else write_tar)(tmp_path / "handed in", members)

    assert call("hw1", archive, *FAST).returncode == 0


def test_broken_pipe() -> None:
    """A reader that stops reading gets no traceback to see."""
    command = " ".join([*COMMAND, "hw1", "reference", *FAST])
    done = subprocess.run(
        f"{command} | head -c 1; {command} --json - | true",
        shell=True,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def on_terminal(*words: str, **variables: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *words], cwd=ROOT, env=environment(**variables), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            text += data
        process.wait()
    os.close(ours)
    return text.decode()


def test_colour_on_a_terminal() -> None:
    """On a terminal there is colour, and a line of progress that is wiped."""
    text = on_terminal("hw1", "reference", *FAST)

    assert "\x1b[32m" in text
    assert "\r." in text


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(variables: dict[str, str]) -> None:
    """NO_COLOR and a dumb terminal are respected."""
    assert "\x1b" not in on_terminal("hw1", "reference", *FAST, **variables)


def test_no_colour_in_a_file() -> None:
    """What is not a terminal gets neither escape codes nor progress."""
    assert not {"\x1b", "\r"} & set(green().stdout)


def test_width_of_the_page() -> None:
    """The page fits into 80 columns."""
    assert max(len(line) for line in green().stdout.splitlines()) <= 80


LOADED = """
import sys
{before}
code = {call}
heavy = {{"numpy", "hypothesis", "numdifftools", "scipy", "pytest", "rich", "sklearn", "torch"}}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("before", "call_", "expected"),
    [
        ("import grader", "0", "[]"),
        ("import grader.cli", "grader.cli.parser()", "[]"),
        ("from grader.cli import main", "main(['hw1', 'reference'])", "['numpy']"),
    ],
    ids=["package", "cli", "green-run"],
)
def test_what_is_imported(before: str, call_: str, expected: str) -> None:
    """The command line alone loads no numpy; a green run loads numpy and nothing heavier."""
    script = LOADED.format(before=before, call=call_)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stderr.strip().splitlines()[-1], done.returncode) == (expected, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_family_has_its_commands(family: str) -> None:
    """What a family's table says is what it adds to the parser, so that a call loads the right one."""
    words = argparse.ArgumentParser().add_subparsers()

    importlib.import_module(f"grader.cli.{family}").add(words)

    assert set(words.choices) == set(FAMILIES[family])


def test_fault_of_the_grader_is_one_line() -> None:
    """An exception of our own is one line and exit code 3, with a way to see its traceback."""
    script = """
import sys
from grader import cli
from grader.cli import grading
def fail(*_): raise ZeroDivisionError("first\\nsecond \\x1b[31m")
grading.default = fail
sys.exit(cli.main(["hw1"]))
"""
    words = [sys.executable, "-c", script]
    plain, full = (
        subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        for env in (environment(), environment(GRADER_TRACEBACK="1"))
    )

    assert plain.returncode == 3
    assert "ZeroDivisionError: first)" in one_line(plain)
    assert "Traceback" in full.stderr


def test_version_and_help() -> None:
    """`--version` and `--help` answer on standard output."""
    assert call("--version").stdout.startswith("grader ")
    assert "hw1" in call("--help").stdout
