"""The person's own copy of the course's tests, and the data that they read."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError

DATA_FILES = ("train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz")
MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class TestFile:
    """One file of tests: its name below the folder, its bytes, its `submit_*` functions in order."""

    name: str
    source: bytes
    functions: tuple[str, ...]


def read(folder: Path, homework: str) -> list[TestFile]:
    """Return the test files of a homework in a folder (or the one file), those in `hwN/` if there is such.

    Raises `UsageError` when there is none, or one that does not parse.
    """
    if not folder.exists():
        raise UsageError(f"{folder}: no such folder; give your copy of the course's tests")
    inner = folder / homework
    where = inner if inner.is_dir() else folder
    paths = sorted(where.rglob("*.py")) if where.is_dir() else [where]
    found = [
        _read(path, path.relative_to(where).as_posix() if where.is_dir() else path.name) for path in paths
    ]
    kept = [one for one in found if one.functions]
    if not kept:
        raise UsageError(f"{folder}: no function submit_* in it; is this the folder of {homework}'s tests?")
    return kept


def _read(path: Path, name: str) -> TestFile:
    try:
        source = path.read_bytes()[:MOST_BYTES]
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read ({error}); it is not as the course gives it") from None
    functions = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("submit_")
    ]
    return TestFile(name, source, tuple(dict.fromkeys(functions)))


def data_folder(given: Path | None, submission: Path, tests: Path) -> Path | None:
    """Return the folder with the MNIST files: the given one, the submission's, or one beside the tests."""
    if given is not None:
        if not _has_data(given):
            raise UsageError(f"{given}: {DATA_FILES[0]} is not in it")
        return given
    near = [submission / "data", *(parent / "data" for parent in list(tests.resolve().parents)[:2])]
    near += [tests / "data"]
    return next((folder for folder in near if _has_data(folder)), None)


def _has_data(folder: Path) -> bool:
    return any((folder / name).is_file() for name in DATA_FILES)
