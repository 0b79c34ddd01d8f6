"""The command line in Chinese: help, errors, pages; what machines read stays English."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.cli.commands import COMMAND, ROOT, call, environment
from tests.report.language import left

FOR_STUDENTS = ("hw0", "hw1", "hw2", "guard", "explain", "completion", "official", "doctor", "start")


VARYING = ("seconds", "confinement")  # between any two runs


def columns(line: str) -> int:
    """The columns of a line."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


def help_of(*words: str) -> str:
    """What `--help` prints in a terminal of 80 columns."""
    done = subprocess.run(
        [*COMMAND, *words, "--help"],
        cwd=ROOT,
        env=environment(GRADER_LANG="zh", COLUMNS="80"),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.parametrize("command", ["", *FOR_STUDENTS])
def test_help(command: str) -> None:
    """All of it is Chinese but names and examples, in lines of 80 columns."""
    page = help_of(*([command] if command else []))

    said = [line[24:] if line.startswith("  ") else line for line in page.splitlines()[1:]]
    usage = page.split("\n\n", 1)[0].splitlines()
    assert page.startswith("用法：grader")
    assert [] == [line for line in page.splitlines() if columns(line) > 80]
    assert [] == [line for line in said if line not in usage and len(left.english(line)) > 1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hw1", "/nowhere"], "grader: /nowhere：没有这个文件或文件夹"),
        (
            ["hw1", "--seed", "x"],
            "grader: 参数 --seed：无效的 int 值：'x'；参见 `python -m grader hw1 --help`",
        ),
        (["hw1", "reference", "--only", "nonsense"], "grader: nonsense：没有这个名字的检查"),
        (["report", "README.md"], "grader: README.md：不是本评分程序的报告"),
    ],
    ids=lambda one: one[-1] if isinstance(one, list) else "",
)
def test_errors(words: list[str], said: str) -> None:
    """One line in Chinese, exit code 2, as in English."""
    done = call(*words, "--lang", "zh")

    assert 2 == done.returncode
    assert done.stderr.startswith(said)
    assert 1 == len(done.stderr.splitlines())
    assert 2 == call(*words, "--lang", "en").returncode


def test_the_report_stays_english(tmp_path: Path) -> None:
    """`--json` is the same in both languages, but for times; the page is not."""
    pages, reports = {}, {}
    for lang in ("en", "zh"):
        file = tmp_path / f"{lang}.json"
        done = call("hw1", "hw1", "--only", "forward", "--lang", lang, "--json", file)
        pages[lang], reports[lang] = done.stdout, json.loads(file.read_text())

    assert "not filled in yet" in pages["en"]
    assert "尚未完成" in pages["zh"]
    assert _timeless(reports["en"]) == _timeless(reports["zh"])
    shown = call("report", tmp_path / "en.json", "--lang", "zh").stdout
    assert pages["zh"].splitlines()[3:] == shown.splitlines()[3:]


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {name: _timeless(one) for name, one in value.items() if name not in VARYING}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def test_output_without_chinese_characters() -> None:
    """Where the output's encoding has none, a locale brings none, and `--lang` writes them out."""
    words = [*COMMAND, "hw1", "/nowhere"]
    ascii_only = environment(PYTHONIOENCODING="ascii", LANG="zh_CN.UTF-8", GRADER_LANG="", LC_ALL="")
    by_locale = subprocess.run(words, env=ascii_only, cwd=ROOT, capture_output=True, text=True, check=False)
    asked = subprocess.run(
        [*words, "--lang", "zh"], env=ascii_only, cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert "grader: /nowhere: no such file or folder\n" == by_locale.stderr
    assert asked.stderr.startswith(r"grader: /nowhere\uff1a")
