"""GitHub: the commands as its runner reads them, the summary as Markdown is read, GitHub Classroom's result."""

from __future__ import annotations

import base64
import copy
import re
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.cli import workflow
from grader.report import github, github_classroom, markdown
from grader.report.model import Report
from tests.report.rendered import ALL, MARKUP, classroom
from tests.report.reports import NASTY, check, report

COMMAND = re.compile(r"^::(\S+?)(?: (.*?))?::(.*)$")


def parsed(log: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands of a log, read as the runner reads them: a line may start with blanks, `##[` counts anywhere."""
    found, stopped = [], ""
    for line in re.split("\r\n|\r|\n", log):
        text = line.lstrip()
        if stopped:
            stopped = "" if text.rstrip() == f"::{stopped}::" else stopped
        elif text.startswith("::"):
            match = COMMAND.match(text)
            assert match, line
            kind, words, message = match.groups()
            if kind == "stop-commands":
                stopped = message
            pairs = [one.split("=", 1) for one in (words or "").split(",") if one]
            found.append((kind, {name: _read(value, True) for name, value in pairs}, _read(message)))
        else:
            assert "##[" not in line
    assert not stopped
    return found


def _read(text: str, is_property: bool = False) -> str:
    for code, mark in (("%0D", "\r"), ("%0A", "\n"), *((("%3A", ":"), ("%2C", ",")) if is_property else ())):
        text = text.replace(code, mark)
    return text.replace("%25", "%")


def test_marks() -> None:
    """Causes first, then failures, remarks as warnings; spaces, colons and commas stay in a path."""
    found = parsed(github.marks(ALL["faulty"], "hw1 of: me, too"))

    assert [(kind, words.get("title")) for kind, words, _ in found] == [
        ("error", "MatMul.gradient (-10)"),
        ("error", "forward.Log.forward (-5)"),
        ("warning", "typo"),
        ("warning", "advice: backward.MatMul.hygiene"),
    ]
    _, words, message = found[0]
    assert words["file"] == "hw1 of: me, too/python/needle/my ops: one, two.py"
    assert words["line"] == "2"
    assert message.splitlines()[:3] == [
        "MatMul.gradient is not summed",
        "hint: sum over the batch",
        "a: [1, 2]",
    ]


@pytest.mark.parametrize("name", ALL)
def test_only_our_commands(name: str) -> None:
    """Whatever a submission says makes no command of its own, in the marks nor in the page."""
    page = f"{MARKUP}\n::error::forged\n##[warning]forged\n"
    log = github.marks(ALL[name], "hw1") + github.fenced(page, "TOKEN")
    found = parsed(log)

    assert found[-1] == ("stop-commands", {}, "TOKEN")
    for kind, words, message in found[:-1]:
        assert kind in ("error", "warning")
        assert set(words) <= {"file", "line", "title"}
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", message)


def test_ten_of_a_kind() -> None:
    """GitHub shows ten of a step: the causes are among them."""
    failures = [check(f"forward.Op{i}.forward", "failed", message=f"fault {i}") for i in range(30)]
    notes = [{"id": "typo", "message": f"note {i}"} for i in range(30)]
    whole = report(*failures, notes=notes)
    whole.causes = copy.deepcopy(ALL["faulty"].causes)
    whole.causes[0].explains = ["forward.Op29.forward"]
    found = parsed(github.marks(whole))

    assert [kind for kind, _, _ in found] == ["error"] * 10 + ["warning"] * 10
    assert found[0][1]["title"] == "MatMul.gradient (-5)"


@pytest.mark.parametrize("name", ["stopped", "empty"])
def test_unfinished(name: str) -> None:
    """A run that did not finish says so first."""
    assert parsed(github.marks(ALL[name]))[0][1]["title"] == "not graded"
    assert "not a grade" in github.summary(ALL[name])


def html_of(text: str) -> tuple[str, list[str]]:
    """Markdown as HTML by a CommonMark library with GitHub's tables and bare links, and the tags in it."""
    library = pytest.importorskip("markdown_it", reason="markdown-it-py reads Markdown")
    reader = library.MarkdownIt("commonmark", {"html": True}).enable("table")
    made = reader.render(text)
    return made, sorted(set(re.findall(r"<(\w+)", made)))


@pytest.mark.parametrize("name", ALL)
def test_summary(name: str) -> None:
    """A summary has our elements only; links, pictures, code and raw HTML of a submission are text."""
    made, tags = html_of(github.summary(ALL[name]))

    ours = {"h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "pre", "ul", "li", "strong"}
    assert set(tags) <= ours
    assert "javascript:alert" not in re.sub(r"<pre>.*?</pre>", "", made, flags=re.S).replace(
        "](javascript", ""
    )
    assert made.count("<table>") == 1


@pytest.mark.parametrize(
    "text", [MARKUP, NASTY, "a|b", "1. x", "- x", "    x", "~~x~~", "<!-- x", "&lt;", "$x$"]
)
def test_markdown_text(text: str) -> None:
    """Escaped text is read as itself: one paragraph, no element inside."""
    import html

    from grader.report.escape import terminal

    made, tags = html_of(markdown.text(text))

    assert tags == ["p"]
    assert html.unescape(made) == f"<p>{terminal(text).strip()}</p>\n"


def test_summary_is_capped() -> None:
    """A summary of thousands of failures keeps under the limit, and says how many it leaves out."""
    failures = [
        check(f"forward.Op{i}.forward", "failed", message=MARKUP * 20, counterexample={"a": "é" * 5000})
        for i in range(2000)
    ]
    whole = report(*failures, notes=[{"id": "typo", "message": MARKUP * 50}] * 100)
    text = github.summary(whole, 100_000)

    assert len(text.encode()) <= 100_000
    assert re.search(r"\d+ more in the report itself", text)
    assert len(github.summary(whole).encode()) <= 1 << 20


def test_announce(tmp_path: Path) -> None:
    """Summary and result go where the variables say, beside what other steps have written."""
    submission = tmp_path / "work/my hw1"
    submission.mkdir(parents=True)
    names = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    names["GITHUB_OUTPUT"].write_text("other=1\n")
    variables = {name: str(path) for name, path in names.items()} | {
        "GITHUB_WORKSPACE": str(tmp_path / "work")
    }

    log = workflow.announce(ALL["faulty"], submission, "PAGE\n", variables)

    assert parsed(log)[0][1]["file"].startswith("my hw1/python/")
    assert "PAGE" in log
    assert names["GITHUB_STEP_SUMMARY"].read_text() == github.summary(ALL["faulty"])
    other, result = names["GITHUB_OUTPUT"].read_text().splitlines()
    assert other == "other=1"
    assert classroom(base64.b64decode(result.removeprefix("result=")).decode("ascii"))["status"] == "fail"


def test_announce_outside_github(tmp_path: Path) -> None:
    """Without the variables nothing is written, and a place outside the repository is told as it is."""
    log = workflow.announce(ALL["faulty"], tmp_path, "PAGE\n", {})

    assert parsed(log)[0][1]["file"] == "python/needle/my ops: one, two.py"


def result(whole: Report) -> dict[str, Any]:
    """The result for GitHub Classroom, read as its reporter reads it."""
    return classroom(base64.b64decode(github_classroom.render(whole)).decode("ascii"))


@pytest.mark.parametrize(
    ("name", "status"),
    [("full", "pass"), ("faulty", "fail"), ("stopped", "error"), ("empty", "error"), ("markup", "fail")],
)
def test_classroom(name: str, status: str) -> None:
    """The status is that of the whole; the points are the report's."""
    found = result(ALL[name])

    assert found["status"] == status
    assert sum(one["score"] for one in found["tests"]) == pytest.approx(ALL[name].score)
    assert len(github_classroom.render(ALL[name])) < 100_000  # an environment variable holds 128 KiB


def test_classroom_question() -> None:
    """A question that lost points names the fault and its line."""
    question = next(one for one in result(ALL["faulty"])["tests"] if one["name"] == "gradients")

    assert question["message"].startswith(
        "MatMul.gradient is not summed (python/needle/my ops: one, two.py:2)"
    )
    assert (question["filename"], question["line_no"]) == ("python/needle/my ops: one, two.py", 2)
    assert (question["status"], question["test_code"]) == ("fail", "python -m grader hw1 --only backward")


def test_errors_are_no_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The line of an error, in which a file's name may stand, commands nothing either."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert cli.main(["hw1", "##[error]no/such\n::error::forged"]) == 2
    assert parsed(capsys.readouterr().err) == []
