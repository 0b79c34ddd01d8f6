"""What a student wrote of a submission: the bodies of its functions, without the scaffold around them."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grader import places
from grader.handout.errors import HandoutError
from grader.handout.parsed import Code, Function, parse_code
from grader.handout.regions import find_regions, marker
from grader.handout.table import HANDOUTS

LARGEST = 200_000  # characters of a file; nobody writes so much
PACKAGE = re.compile(r"^(?:python/)?needle/")


@dataclass(frozen=True)
class Piece:
    """A function's body as it was written, its indentation taken off. `first` is its line (1-based)."""

    name: str
    file: str
    first: int
    text: str


def pieces(files: Mapping[str, bytes], homework: str) -> list[Piece]:
    """Return what was written in a homework's files, function by function.

    A function with solution marks counts with what stands between them, one without with its whole body, but
    for those that the handout gives as they are. Files that cannot be read as Python are taken whole
    between their marks. C++ is read so too.
    """
    given = _given(homework)
    found: list[Piece] = []
    for file in sorted(files):
        if _belongs(file, homework) and len(files[file]) <= LARGEST:
            text = files[file].decode("utf-8", "replace")
            found += _python(text, file, given) if file.endswith(".py") else _marked(text, file)
    return found


def _belongs(file: str, homework: str) -> bool:
    """Tell whether a file is one that students write in, in either layout, or one beside them."""
    handout = HANDOUTS[homework]
    inside = PACKAGE.sub("python/needle/", file)
    globs = [glob.replace("**/", "*") for glob in handout.stubs]
    if any(fnmatchcase(inside, glob) for glob in globs):
        return True
    folders = {glob.rpartition("/")[0].replace("/**", "") for glob in handout.stubs}
    return file.endswith(".py") and inside.rpartition("/")[0] in folders


@functools.cache
def handout(homework: str) -> dict[str, bytes]:
    """Return the handout's files that students write in; nothing where the handout is not at hand."""
    root = places.ROOT / homework
    names = [file for file in sorted(root.rglob("*")) if file.suffix in (".py", ".cpp") and file.is_file()]
    found = {file.relative_to(root).as_posix(): file.read_bytes() for file in names}
    return {name: data for name, data in found.items() if _belongs(name, homework)}


@functools.cache
def _given(homework: str) -> frozenset[str]:
    """Return the functions that the handout gives whole."""
    codes = [parse_code(data.decode(), name) for name, data in handout(homework).items() if _is_python(name)]
    return frozenset(name for code in codes for name, one in code.functions.items() if one.is_filled)


def _is_python(file: str) -> bool:
    return file.endswith(".py")


def _python(text: str, file: str, given: frozenset[str]) -> list[Piece]:
    try:
        code = parse_code(text, file)
    except (HandoutError, RecursionError, MemoryError):
        return _marked(text, file)
    return [piece for function in code.functions.values() for piece in _body(code, function, given)]


def _body(code: Code, function: Function, given: frozenset[str]) -> Iterator[Piece]:
    region = function.region
    if not function.is_filled or function.is_one_line or (region is None and function.name in given):
        return
    start, stop = function.body
    if region is not None:
        start, stop = region.begin + 1, region.end
    yield from _piece(function.name, code.name, start, code.lines[start:stop])


def _marked(text: str, file: str) -> list[Piece]:
    lines = text.splitlines()
    found: list[Piece] = []
    for region in find_regions(lines) or []:
        start = region.begin + 1
        found += _piece(f"line {start + 1}", file, start, lines[start : region.end])
    return found


def _piece(name: str, file: str, start: int, lines: list[str] | tuple[str, ...]) -> Iterator[Piece]:
    kept = [line for line in lines if marker(line) is None]
    text = textwrap.dedent("\n".join(kept)).rstrip()
    if text.strip():
        yield Piece(name, file, start + 1, text)
