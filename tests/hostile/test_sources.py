"""Sources and archives that are hard to read cost little time and memory, and crash nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

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
