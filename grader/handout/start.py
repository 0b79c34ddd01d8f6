"""`start`: a student's functions of homework 1, put into their handout of homework 2."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from grader.handout.carry import Draft
from grader.handout.generate import generate, replace_file
from grader.handout.package import Package, open_package
from grader.handout.parsed import Function, parse_code
from grader.handout.table import CARRIED_FROM, CARRIED_PACKAGE


@dataclass
class StartResult:
    """What became of each function of homework 1, by qualified name.

    `carried` now stands in hw2. `skipped` is not written in hw1. `not_found` is not there at all.
    `kept` was already written in hw2 and is as it was. `helpers` came along: imports, functions, methods.
    `missing` are sentences: what a carried function needs and could not be brought.
    """

    carried: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def start(target: Path, source: Path) -> StartResult:
    """Carry the functions of homework 1 at `source` over into homework 2 at `target`.

    Both are roots of a homework, in any layout; no code of either runs. Raises HandoutError, before
    anything is written, when a file cannot be read or the result would not be Python.
    """
    there, here = open_package(source), open_package(target)
    pristine = _pristine(CARRIED_FROM)
    result = StartResult()
    chosen: dict[str, list[tuple[Function, Function]]] = {}
    for name in _asked_names(pristine):
        pair = _pair(name, there, here, result)
        if pair is not None:
            chosen.setdefault(_path_in(here, pair[1]), []).append(pair)
    drafts = [Draft(here, path, there, pairs, pristine) for path, pairs in chosen.items()]
    texts = {draft.path: draft.carry(result) for draft in drafts}
    for path, text in texts.items():
        replace_file(here.folder / path, _in_convention(here.folder / path, text))
    return result


def _pair(name: str, there: Package, here: Package, result: StartResult) -> tuple[Function, Function] | None:
    """The function in the source and in the target, if it is to be carried; else a note in `result`."""
    candidates, places = there.find(name), here.find(name)
    if not places:
        result.missing.append(f"{name}: homework 2 has no place for it; was it renamed there?")
    elif places[0].is_filled:
        result.kept.append(name)
    elif not candidates:
        result.not_found.append(name)
    elif not candidates[0].is_filled:
        result.skipped.append(name)
    else:
        result.carried.append(name)
        return candidates[0], places[0]
    return None


def _pristine(homework: str) -> dict[str, Function]:
    """The functions of our handout's `needle`, by qualified name."""
    files = {
        name: content for name, content in generate(homework).items() if name.startswith(CARRIED_PACKAGE)
    }
    codes = [parse_code(content.decode(), name) for name, content in files.items() if name.endswith(".py")]
    return {name: function for code in codes for name, function in code.functions.items()}


def _asked_names(pristine: dict[str, Function]) -> list[str]:
    """The functions that homework 1 asks for: those with a region."""
    return [name for name, function in pristine.items() if function.region is not None]


def _path_in(package: Package, function: Function) -> str:
    return next(path for path, code in package.files.items() if code is function.code)


def _in_convention(path: Path, text: str) -> bytes:
    """`text` in UTF-8, with the line ends and the BOM that the file at `path` has."""
    old = path.read_bytes()
    if b"\r\n" in old:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b"") + text.encode("utf-8")
