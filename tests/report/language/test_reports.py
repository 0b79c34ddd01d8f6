"""Reports in Chinese: no English sentence is left, lines are narrow, and the report itself stays."""

from __future__ import annotations

import copy
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.grade import grade
from grader.report import language, terminal
from grader.report.model import Report
from grader.sandbox.limits import Limits
from tests.faults import hw0, hw1, hw2
from tests.faults.model import Fault
from tests.report.language import left
from tests.report.reports import FULL, NASTY, STOPPED, STUBS, check, hostile, report

FAULTS = [
    pytest.param(fault, homework, id=f"{homework}-{fault.id}")
    for homework, table in (("hw2", hw2), ("hw1", hw1), ("hw0", hw0))
    for fault in table.FAULTS
]
COMMAND = "python -m grader hw1 hw1"


def wide_lines(page: str) -> list[str]:
    """Lines of more than 80 columns, but for a call to be copied, which is one line."""
    return [
        line for line in page.split("\n") if columns(line) > 80 and not line.startswith(f"     {COMMAND}")
    ]


def columns(line: str) -> int:
    """The columns of a line."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


@pytest.mark.parametrize(("fault", "homework"), FAULTS)
def test_no_english_is_left(fault: Fault, homework: str, tmp_path: Path) -> None:
    """The report of a faulty submission, and the page of it: only names, code, paths and numbers are Latin."""
    one = grade(
        fault.build(tmp_path, homework), homework, limits=Limits(check_seconds=fault.seconds), blame=False
    )

    said = left.texts(language.translate(one, "zh"))
    assert [] == [text for text in dict.fromkeys(said) if left.english(text)]
    assert [] == wide_lines(terminal.render(one, command=COMMAND, lang="zh"))


@pytest.mark.parametrize("homework", ["hw0", "hw1", "hw2"])
def test_stubs(homework: str) -> None:
    """The same for an empty handout."""
    one = grade(Path(__file__).parents[3] / homework, homework)

    said = left.texts(language.translate(one, "zh"))
    assert [] == [text for text in dict.fromkeys(said) if left.english(text)]
    assert "尚未完成" in terminal.render(one, lang="zh")


def test_english_is_seen() -> None:
    """The words that these tests look for would be found."""
    assert ["comes", "first"] == left.english("未运行：backward.Exp.gradient comes first")
    assert [] == left.english("Exp.compute 引发了 ValueError: the axes do not fit")


@pytest.mark.parametrize(
    "one", [FULL, STUBS, STOPPED, hostile()], ids=["full", "stubs", "stopped", "hostile"]
)
def test_report_stays(one: Report) -> None:
    """Rendering and translating leave the report as it was, and say the same each time."""
    before = copy.deepcopy(one)
    pages = {terminal.render(one, command=COMMAND, lang="zh") for _ in range(2)}

    assert 1 == len(pages)
    assert language.translate(one, "zh") == language.translate(one, "zh")
    assert before == one
    assert language.translate(one, "en") is one


@pytest.mark.parametrize(
    "text", [NASTY, "x" * 500, "张" * 300, "梯度 is wrong " * 40], ids=["nasty", "x", "张", "both"]
)
def test_lines_are_narrow(text: str) -> None:
    """No line is wider than 80 columns, whatever is said, in either language."""
    for lang in language.LANGUAGES:
        assert [] == wide_lines(terminal.render(hostile(text), command=COMMAND, lang=lang))


@given(st.text(max_size=60))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_text(text: str) -> None:
    """The same for any text, and nothing of it acts on the terminal."""
    page = terminal.render(hostile(text), lang="zh")

    assert [] == wide_lines(page)
    assert set() == {
        c for c in page if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    }


def test_page() -> None:
    """A page in Chinese, word by word, its columns straight."""
    failed = check(
        "forward.Negate.forward",
        "failed",
        message="Negate.compute: the sign is wrong",
        help="work on new tensors",
        counterexample={"call": "Negate()", "a": "[1]"},
        actual="[1]",
        expected="[-1]",
        location={"file": "ops.py", "line": 7, "function": "Negate.compute"},
        blame=["Negate.compute"],
        measurements={"error_in_tolerances": 2e9},
    )
    one = report(failed, check("forward.Exp.forward"), notes=[{"message": "x.txt is not used: a link"}])

    expected = """\
hw1  hw1                                                                  5 / 10
起始代码 2024 · python 3.11.7 · numpy 2.1.0 · 种子 0 · 1.2 秒 · 沙箱：仅进程

  no  前向计算                              5 / 10    1 / 2 项

1  Negate.compute  -5
   Negate.compute：符号错误
   提示       请使用新的张量
   调用       Negate()
   a          [1]
   你的       [1]
   应为       [-1]
   位置       ops.py:7
   重新运行   python -m grader hw1 hw1 --only forward.Negate.forward

建议（不扣分）
 - x.txt 没有使用：是一个链接

有 1 处要修正；请从第一处开始。
"""
    assert expected == terminal.render(one, command=COMMAND, lang="zh")


def test_questions_are_narrow() -> None:
    """The table of questions keeps to 80 columns where a starter does not ask for everything."""
    checks = [check(f"forward.Op{i}.forward", "not-run" if i < 12 else "passed") for i in range(60)]

    page = terminal.render(report(*checks), lang="zh")
    assert "48 / 48 项，12 项未要求" in page
    assert [] == wide_lines(page)


def test_output_of_the_submission_is_not_translated() -> None:
    """What a submission prints stays, even if it is one of our sentences."""
    one = report(check("a.b.c", "failed", output="the sign is wrong", message="m"))

    assert "the sign is wrong" in terminal.render(one, lang="zh")
