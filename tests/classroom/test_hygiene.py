"""Sources are UTF-8; what reads otherwise than it runs is said; what is not source is never used."""

from __future__ import annotations

import py_compile
from pathlib import Path

import pytest

from grader.classroom import hygiene, intake
from grader.classroom.grade import grade
from tests.support import build

LATE = "python/needle/late.py"


@pytest.mark.parametrize(
    "line",
    [
        b"# -*- coding: utf-7 -*-",
        b"#!/usr/bin/python\n# coding=UTF_7",
        b"\xef\xbb\xbf# vim: set fileencoding=utf-16 :",
        b"\n#coding:rot13",
        b"\x0c \t# coding: punycode\r",
        b"# comment\r# coding: utf7\r",
        b"# coding: cp1252\nname = '\xe9'",
        b"# coding: no-such-thing",
    ],
)
def test_other_encodings(line: bytes, tmp_path: Path) -> None:
    """A source that declares another encoding is not used, the starter's takes its place, and both are said."""
    name = "python/needle/autograd.py"
    root = build(tmp_path / "hw1", extra_files={name: line + b"\n+AGkAbQBwAG8AcgB0- os\n"})

    taken = intake.take(root, "hw1", tmp_path / "copy")

    said = [note["message"] for note in taken.notes if note.get("file") == name]
    assert [message.partition(":")[0] for message in said] == [f"{name} is not used", f"{name} is missing"]
    assert "save it as UTF-8" in said[0]
    assert b"AGkA" not in (tmp_path / "copy" / name).read_bytes()


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: utf-8 -*-\nx = '\xc3\xa9'",
        b"# coding: latin-1\nx = 1",
        b"x = 1\n# coding: utf-7",
        b"'''\n# coding: utf-7'''",
        b"\n\n# coding: utf-7",
        b"print('coding: utf-7')",
        b"",
        b"\xef\xbb\xbf",
    ],
)
def test_what_is_utf8(data: bytes) -> None:
    """UTF-8 that says so, ASCII under any name that agrees with it, and lines that declare nothing."""
    assert hygiene.refused(data) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1  # \u202e } \u2066", "U+202E, U+2066"),
        ("a\u200bb = 1", "U+200B"),
        ("x = '\ufeff'", "U+FEFF"),
        ("x\u200d = 1", "U+200D"),
        ("\uff45\uff56\uff41\uff4c(1)", "reads as `eval`"),
        ("import \U0001d428\U0001d42c", "reads as `os`"),
    ],
)
def test_what_reads_otherwise(text: str, said: str) -> None:
    """Bidirectional controls, characters without width, names of other letters: a note with the line."""
    (note,) = hygiene.remarks(LATE, f"first = 0\n{text}\n".encode())

    assert said in note["message"]
    assert note["message"].startswith(f"{LATE}:2 ")
    assert note["message"].isascii()


@pytest.mark.parametrize(
    "text",
    ["\ufeffx = 1", "# 梯度 ∂L/∂W naïve Überprüfung ✓ x² µs", "λ = 0.1\nσ_1 = λ", "# de\ufb01ne", "x = '😀'"],
)
def test_honest_text(text: str) -> None:
    """A mark at the start, other languages and signs of mathematics need no note."""
    assert hygiene.remarks(LATE, text.encode()) == []


def test_notes_are_in_the_report(tmp_path: Path) -> None:
    """They come with the grade, and cost nothing."""
    root = build(tmp_path / "hw1", extra_files={LATE: "x = 1  # \u202e\n" * 20})

    report = grade(root, "hw1", only="forward.MatMul.*", blame=False)

    assert report.full_marks
    assert [note["line"] for note in report.notes if note["id"] == "odd-characters"] == [1, 2, 3, 4, 5]


def test_what_is_never_used(tmp_path: Path) -> None:
    """Bytecode, libraries and the files that Python and pytest load by name: none is copied."""
    names = [
        "conftest.py",
        "python/conftest.py",
        "sitecustomize.py",
        "python/usercustomize.py",
        "setup.py",
        "pyproject.toml",
        "python/needle/fast.so",
        "python/needle/fast.pyd",
        "evil.pth",
        "python/needle/__pycache__/ops.cpython-311.pyc",
    ]
    root = build(tmp_path / "hw1", extra_files=dict.fromkeys(names, "raise SystemExit(0)\n"))
    source = root / "python/needle/ops/ops_mathematic.py"
    py_compile.compile(str(source), str(source.with_suffix(".pyc")))

    intake.take(root, "hw1", tmp_path / "copy")

    copied = {one.relative_to(tmp_path / "copy").as_posix() for one in (tmp_path / "copy").rglob("*")}
    assert set(names) & copied == set()
    assert [name for name in copied if name.endswith((".pyc", ".so", ".pyd", ".pth"))] == []
    assert "python/needle/ops/ops_mathematic.py" in copied
