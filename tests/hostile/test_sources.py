"""Sources and archives that are hard to read cost little time and memory, and crash nothing."""

from __future__ import annotations

import gzip
import tarfile
import time
from pathlib import Path

import pytest

from grader.classroom import intake
from grader.classroom.files import listing
from grader.errors import UsageError
from grader.homework import extension, sanitizer
from grader.sandbox.build import Outcome

NAME = "softmax_regression_epoch_cpp"
SIZE = 1 << 20
SOON = 5.0  # seconds; what looks at characters again and again took hours

SOURCES = {
    "comments that do not end": "/* " * (SIZE // 3),
    "parameters that do not end": f"{NAME}(" * (SIZE // len(NAME)),
    "blanks": f"{NAME}" + " " * SIZE,
    "lines": f"{NAME}()" + "\n" * SIZE,
    "throws": f"{NAME}() {{" + 'throw std::x("' * (SIZE // 14),
}


@pytest.mark.parametrize("name", SOURCES)
def test_reading_a_source_takes_no_time(name: str) -> None:
    """Whether the function is written is asked of every C++ source, before anything else."""
    started = time.monotonic()

    extension.is_stub(SOURCES[name], NAME)

    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("text", ["a" * (1 << 18), "a:1" * (1 << 16), "a:" + "9" * 10000 + ":1: error: x"])
def test_reading_what_programs_print_takes_no_time(text: str) -> None:
    """The program that is tried with sanitizers is student code, and prints what it likes."""
    started = time.monotonic()

    extension.first_error(text, Path("/nowhere"))
    sanitizer.finding(Outcome(1, text.replace("error", "runtime error"), 0.0), Path("a"), "f", "a case")

    assert time.monotonic() - started < SOON


def header(kind: bytes, name: str, data: bytes = b"") -> bytes:
    """The bytes of one member."""
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, len(data)
    return member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512)


ARCHIVES = {
    "records of digits": header(tarfile.XHDTYPE, "pax", b"9" * 60_000),
    "a long record": header(tarfile.XHDTYPE, "pax", b"11 a=bcdef\n" * 100_000),
    "long names in a row": header(tarfile.GNUTYPE_LONGNAME, "name", b"x" * 100) * 2000,
    "headers alone": header(tarfile.REGTYPE, "a.xyz") * 50_001,
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_are_hard_to_read(name: str, tmp_path: Path) -> None:
    """They are refused in one line, and soon."""
    path = tmp_path / "hw1.tar.gz"
    path.write_bytes(gzip.compress(ARCHIVES[name] + header(tarfile.REGTYPE, "x.py") + bytes(1024), 1))
    started = time.monotonic()

    with pytest.raises(UsageError) as error:
        listing(path)

    assert str(error.value).startswith(f"{path}: the archive cannot be read")
    assert time.monotonic() - started < 4 * SOON


def test_rules_without_end(tmp_path: Path) -> None:
    """Why a file is missing is looked for in the beginning of a few .gitignore."""
    (tmp_path / "hw1/python/needle").mkdir(parents=True)
    (tmp_path / "hw1/python/needle/autograd.py").write_text("")
    for number in range(40):
        (tmp_path / f"hw1/{number}").mkdir()
        (tmp_path / f"hw1/{number}/.gitignore").write_bytes(b"a\n" * (2 << 20))
    started = time.monotonic()

    taken = intake.take(tmp_path / "hw1", "hw1", tmp_path / "into")

    assert time.monotonic() - started < SOON
    assert any(note["id"] == "missing-file" for note in taken.notes)
