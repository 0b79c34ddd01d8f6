"""Files that exist in this process only: a worker may not write any to the disk."""

from __future__ import annotations

import builtins
import io
import itertools
import os
import pathlib
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_NUMBERS = itertools.count(1)
_FILE, _FOLDER = stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755
Changed = list[tuple[Any, str, Any]]


@contextmanager
def given(contents: dict[str, np.ndarray]) -> Iterator[str]:
    """Make files readable in a folder of their own; yield the folder, which has another name each time.

    The arrays hold the files' bytes. They are there for `open` (gzip and pathlib go through it too), for
    `os.stat` and all that asks it (`exists`, `isfile`, `isdir`), and for `os.listdir`. Any spelling of a path
    counts, as long as it leads there. Everything else is looked for on the disk, as ever.
    """
    folder = f"given-{next(_NUMBERS)}"  # who remembers what a path held remembers rightly
    held = _Held(folder, contents)
    saved: Changed = [(owner, name, getattr(owner, name)) for owner, name, _ in _PATCHED]
    for (owner, name, made), (_, _, original) in zip(_PATCHED, saved, strict=True):
        setattr(owner, name, made(held, original))
    try:
        yield folder
    finally:
        for owner, name, original in saved:
            setattr(owner, name, original)


class _Held:
    """The files by their absolute paths, and their folder."""

    def __init__(self, folder: str, contents: dict[str, np.ndarray]) -> None:
        self.folder = os.path.abspath(folder)
        self.names = list(contents)
        self.files = {os.path.join(self.folder, name): one.tobytes() for name, one in contents.items()}

    def file(self, path: Any) -> bytes | None:
        """Return the content of the file that a path leads to, None if it is not one of these."""
        return self.files.get(_absolute(path))

    def status(self, path: Any) -> os.stat_result | None:
        """Return what `os.stat` says of one of the files or their folder, None for other paths."""
        where = _absolute(path)
        content = self.files.get(where)
        if content is None and where != self.folder:
            return None
        mode, size = (_FOLDER, 0) if content is None else (_FILE, len(content))
        return os.stat_result((mode, 0, 0, 1, 0, 0, size, 0, 0, 0))


def _absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path)) if isinstance(path, (str, bytes, os.PathLike)) else ""


def _opening(held: _Held, original: Callable[..., Any]) -> Callable[..., Any]:
    def opened(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
        content = held.file(file)
        if content is None:
            return original(file, mode, *arguments, **keywords)
        stream = _Bytes(content)
        stream.name = os.fspath(file)
        return stream if "b" in mode else io.TextIOWrapper(stream, encoding=keywords.get("encoding"))

    return opened


class _Bytes(io.BytesIO):
    name: Any


def _stating(held: _Held, original: Callable[..., Any]) -> Callable[..., Any]:
    def status(path: Any, *arguments: Any, **keywords: Any) -> Any:
        found = held.status(path)
        return original(path, *arguments, **keywords) if found is None else found

    return status


def _listing(held: _Held, original: Callable[..., Any]) -> Callable[..., Any]:
    def listed(path: Any = ".") -> Any:
        return list(held.names) if _absolute(path) == held.folder else original(path)

    return listed


# `pathlib` of Python 3.10 has both of its own
_PATCHED: tuple[tuple[Any, str, Callable[[_Held, Callable[..., Any]], Callable[..., Any]]], ...] = (
    (builtins, "open", _opening),
    (io, "open", _opening),
    (os, "stat", _stating),
    (pathlib.Path, "open", _opening),
    (pathlib.Path, "stat", _stating),
    (os, "listdir", _listing),
)
