"""Files that exist in this process only: a worker may not write any to the disk."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

FOLDER = "given"


@contextmanager
def given(contents: dict[str, np.ndarray]) -> Iterator[str]:
    """Make `FOLDER/name` readable through `open` (gzip and pathlib go through it too); yield the folder.

    The arrays hold the files' bytes. Any spelling of a path counts, as long as it leads there. A file that
    is not among them is looked for on the disk, as ever.
    """
    held = {os.path.abspath(os.path.join(FOLDER, name)): one.tobytes() for name, one in contents.items()}

    def lookup(path: Any) -> bytes | None:
        return held.get(os.path.abspath(os.fsdecode(path))) if _is_path(path) else None

    saved = [(owner, name, getattr(owner, name)) for owner, name in _PATCHED]
    for owner, name, original in saved:
        made = _opening(lookup, original) if name == "open" else _testing(lookup, original)
        setattr(owner, name, made)
    try:
        yield FOLDER
    finally:
        for owner, name, original in saved:
            setattr(owner, name, original)


_PATCHED = ((builtins, "open"), (io, "open"), (os.path, "exists"), (os.path, "isfile"))
Lookup = Callable[[Any], "bytes | None"]


def _is_path(path: Any) -> bool:
    return isinstance(path, (str, bytes, os.PathLike))


def _opening(lookup: Lookup, original: Callable[..., Any]) -> Callable[..., Any]:
    def opened(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
        content = lookup(file)
        if content is None:
            return original(file, mode, *arguments, **keywords)
        stream = _Bytes(content)
        stream.name = os.fspath(file)
        return stream if "b" in mode else io.TextIOWrapper(stream, encoding=keywords.get("encoding"))

    return opened


class _Bytes(io.BytesIO):
    name: Any


def _testing(lookup: Lookup, original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda path: lookup(path) is not None or original(path)
