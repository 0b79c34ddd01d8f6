"""Files that a worker pretends: every honest way of looking at a file finds them, and only while they are given."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.worker import files

CONTENT = gzip.compress(b"hello")


def _read(opened: Callable[..., Any], name: Any) -> bytes:
    with opened(name, "rb") as stream:
        return stream.read()


WAYS: dict[str, Callable[[str], Any]] = {
    "open": lambda name: _read(open, name),
    "gzip": lambda name: CONTENT if _read(gzip.open, name) == b"hello" else b"",
    "Path.open": lambda name: _read(Path.open, Path(name)),
    "Path.read_bytes": lambda name: Path(name).read_bytes(),
    "absolute": lambda name: _read(open, os.path.abspath(name)),
    "bytes": lambda name: _read(open, os.fsencode(name)),
}
TESTS: dict[str, Callable[[str], bool]] = {
    "exists": os.path.exists,
    "isfile": os.path.isfile,
    "Path.exists": lambda name: Path(name).exists(),
    "Path.is_file": lambda name: Path(name).is_file(),
    "folder": lambda name: os.path.isdir(os.path.dirname(name)),
    "Path.is_dir": lambda name: Path(name).parent.is_dir(),
    "size": lambda name: os.path.exists(name) and os.path.getsize(name) == len(CONTENT),
}


def _given() -> Any:
    return files.given({"a.gz": np.frombuffer(CONTENT, np.uint8)})


@pytest.mark.parametrize("read", WAYS.values(), ids=WAYS)
def test_every_way_reads_it(read: Callable[[str], Any]) -> None:
    """The bytes are those that were given; afterwards there is no such file."""
    with _given() as folder:
        assert read(f"{folder}/a.gz") == CONTENT

    with pytest.raises(FileNotFoundError):
        read(f"{folder}/a.gz")


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_every_test_finds_it(test: Callable[[str], bool]) -> None:
    """It exists while it is given; another name beside it does not; real files and folders are there as ever."""
    with _given() as folder:
        assert test(f"{folder}/a.gz")
        assert not os.path.exists(f"{folder}/b.gz") and not Path(folder, "b.gz").exists()
        assert os.listdir(folder) == ["a.gz"]
        assert Path(__file__).is_file() and os.path.isdir(os.path.dirname(__file__))

    assert not test(f"{folder}/a.gz")


def test_each_folder_has_its_own_name() -> None:
    """A parser that remembers what it read by the file's name reads the next data set afresh."""
    with _given() as first:
        pass
    with _given() as second:
        pass

    assert first != second
