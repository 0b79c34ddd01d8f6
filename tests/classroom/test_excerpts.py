"""Excerpts come from the submission's own files only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import excerpts
from grader.classroom.grade import grade
from grader.report.model import Cause, CheckResult
from tests.support import build

SOURCE = "".join(f"line {number}\n" for number in range(1, 11))


def failed(file: Any, line: Any) -> CheckResult:
    """A failed check at a place."""
    return CheckResult("a.b.c", "c", "failed", 0, 1, location={"file": file, "line": line, "function": "f"})


def excerpt(root: Path, file: Any, line: Any) -> dict[str, Any] | None:
    """The excerpt that a place gets."""
    check = failed(file, line)
    excerpts.add(root, [check], [])
    assert check.location is not None
    return check.location.get("excerpt")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A submission of one file."""
    folder = (tmp_path / "submission").resolve()
    folder.mkdir()
    (folder / "a.py").write_text(SOURCE)
    return folder


@pytest.mark.parametrize(
    ("line", "first", "last"), [(1, 1, "line 8"), (2, 1, "line 9"), (10, 7, ""), (11, 8, "")]
)
def test_lines_around(line: int, first: int, last: str, root: Path) -> None:
    """Three lines before and seven after, as far as the file goes."""
    found = excerpt(root, "a.py", line)

    assert found is not None
    assert (found["first"], found["lines"][-1]) == (first, last)
    assert found["lines"][line - first] == SOURCE.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("../secret.py", 1),
        ("/etc/hostname", 1),
        ("link.py", 1),
        ("linked/secret.py", 1),
        ("fifo", 1),
        ("no\0name", 1),
        ("", 1),
        (None, 1),
        ("a.py", 0),
        ("a.py", 99),
        ("a.py", True),
        ("a.py", "1"),
    ],
)
def test_nothing_else_is_read(file: Any, line: Any, root: Path) -> None:
    """A place outside, behind a link, in no regular file or in no line has no excerpt."""
    (root.parent / "secret.py").write_text("secret\n")
    (root / "link.py").symlink_to(root.parent / "secret.py")
    (root / "linked").symlink_to(root.parent)
    os.mkfifo(root / "fifo")

    assert excerpt(root, file, line) is None


def test_long_and_odd_text(root: Path) -> None:
    """Long lines are cut, what is not UTF-8 is replaced, all line ends count."""
    (root / "b.py").write_bytes(b"\xef\xbb\xbfx" + b"y" * 999 + b"\r\n\xff\rend")

    found = excerpt(root, "b.py", 2)

    assert found == {"first": 1, "lines": ["x" + "y" * 199, "\ufffd", "end"]}


def test_no_more_than_a_few(root: Path) -> None:
    """A report of many failures stays small."""
    (root / "c.py").write_text("x\n" * 500)
    checks = [failed("c.py", line) for line in range(1, 300)]
    excerpts.add(root, checks, [])

    assert sum("excerpt" in (check.location or {}) for check in checks) == excerpts.MOST


def test_causes_have_one(root: Path) -> None:
    """The cause's own line is shown."""
    cause = Cause(["f"], "a.py", 2, [])
    excerpts.add(root, [], [cause])

    assert cause.excerpt == {"first": 1, "lines": SOURCE.split("\n")[:9]}


def test_of_a_graded_submission(tmp_path: Path) -> None:
    """The line of the location is the one in the file that was handed in."""
    call = "def compute(self, a, b):\n    return array_api.matmul(a, b) + 1  # wrong\n"
    submission = build(tmp_path / "hw1", solutions={"MatMul.compute": call})

    report = grade(submission, "hw1", only="forward.MatMul.forward", blame=False)
    (check,) = report.checks()

    assert check.location is not None
    line, shown = check.location["line"], check.location["excerpt"]
    source = (submission / check.location["file"]).read_text().split("\n")
    assert shown["lines"][line - shown["first"]] == source[line - 1]
    assert any("# wrong" in one for one in shown["lines"])
