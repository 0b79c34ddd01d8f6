"""Builds the C++ extension of a submission from source, in the background; reads what the compiler says."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.homework import sanitizer
from grader.judge.failure import Failure
from grader.report.model import NOT_RUN
from grader.sandbox.build import Outcome, Tool

COMPILERS = ("c++", "g++", "clang++")
FLAGS = ("-O3", "-shared", "-std=c++17", "-fPIC")
SHARED_ON_MAC = ("-undefined", "dynamic_lookup")
SANITIZE = "sanitize"

_DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d{1,9}):(?:\d+:)? *(?P<kind>.*)$", re.MULTILINE)
_ERROR = re.compile(r"^(?:fatal )?error: *(.*)$")
_UNDEFINED = re.compile(r"^.*(undefined (?:reference|symbol).*|ld: .*|error: .*)$", re.MULTILINE)
# None of these may take more than one look at a character: sources are other people's, and up to 16 MiB long.
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STUB = re.compile(r"throw\s+std::\w+\(\"[^\"]*is not written yet\"\)\s*;")


@dataclass(frozen=True)
class Extension:
    """An extension module that a homework asks for: its source, its name, the one function in it."""

    source: str
    module: str
    function: str


@dataclass
class Built:
    """The build of one submission's extension; entering it starts the compiler, leaving it kills it."""

    extension: Extension
    root: Path
    folder: Path
    extras: Collection[str] = ()
    tools: list[Tool] = field(default_factory=list)
    obstacle: Failure | None = None
    sanitizing: sanitizer.Sanitizing | None = None

    def __enter__(self) -> Built:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.obstacle = self._obstacle()
        if self.obstacle is None:
            command = [*compiler(), *FLAGS, *includes(), str(self.source), "-o", str(self.target)]
            command += SHARED_ON_MAC if sys.platform == "darwin" else ()
            readable: list[Path | str] = [self.root, *include_folders()]
            tool = Tool(command, self.folder / "compile", readable=readable, writable=(self.folder,))
            self.tools.append(tool.start())
            if SANITIZE in self.extras:
                self.sanitizing = sanitizer.Sanitizing(self.source, self.extension.function, self.folder)
                self.tools.append(self.sanitizing.start(compiler()))
        return self

    def __exit__(self, *_: object) -> None:
        for tool in self.tools:
            tool.close()

    @property
    def source(self) -> Path:
        """Return the source's path in the grader's copy of the submission."""
        return self.root / self.extension.source

    @property
    def target(self) -> Path:
        """Return the path of the shared object: outside the submission, so nothing shipped can be it."""
        return self.folder / f"{self.extension.module}.so"

    def wait(self) -> None:
        """Wait until the compiler is done; returns at once when there is nothing to wait for."""
        for tool in self.tools:
            tool.wait()

    def path(self) -> str:
        """Return the path of the shared object; raises `Failure` when there is none."""
        if self.obstacle is not None:
            raise self.obstacle
        outcome = self.tools[0].wait()
        if outcome.code != 0 or not self.target.is_file():
            raise self._failure(outcome)
        self.target.chmod(0o644)  # a worker may run as another user
        return str(self.target)

    def place(self) -> dict[str, Any]:
        """Return where the function stands in the source."""
        text = self.source.read_text("utf-8", "replace") if self.source.is_file() else ""
        found = re.search(rf"^[^\n/]*\b{self.extension.function}\s*\(", text, re.MULTILINE)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        return {"file": self.extension.source, "line": line, "function": self.extension.function}

    def _obstacle(self) -> Failure | None:
        """Return why there is nothing to compile, or nothing to compile it with."""
        function = self.extension.function
        if not self.source.is_file():
            return Failure(
                f"{self.extension.source} is missing", verdict="error", group="missing", help="hand it in too"
            )
        if is_stub(self.source.read_text("utf-8", "replace"), function):
            return Failure(
                f"{function} is not filled in yet",
                help="write it between the solution marks",
                location=self.place(),
                verdict="error",
                group="unfilled",
            )
        missing = what_is_missing()
        return Failure(missing[0], help=missing[1], verdict=NOT_RUN, group=NOT_RUN) if missing else None

    def _failure(self, outcome: Outcome) -> Failure:
        name = self.extension.source
        if outcome.code is None:
            seconds = f"{self.tools[0].limits.seconds:.0f}"
            return Failure(f"{name} did not compile within {seconds} s", verdict="timeout", group="compile")
        text, place = first_error(outcome.output, self.root)
        where = f"{place['file']}:{place['line']}: " if place else ""
        return Failure(
            f"{name} does not compile: {where}{text}",
            help="`make` in the homework's folder shows the compiler's whole output",
            location=place,
            verdict="error",
            measurements={"compiler_output": outcome.output[:4000]},
            group="compile",
        )


def compiler() -> list[str]:
    """Return the C++ compiler's path as a command, [] if there is none."""
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    return [os.path.abspath(found)] if found else []


def includes() -> list[str]:
    """Return the flags that name the headers of Python and of pybind11."""
    return [f"-I{folder}" for folder in include_folders()]


def include_folders() -> list[str]:
    """Return the folders of the headers of Python and of pybind11."""
    return [folder for folder in (sysconfig.get_path("include"), _pybind11()) if folder]


def what_is_missing() -> tuple[str, str] | None:
    """Return what this machine lacks for a build, and what to do about it."""
    if not compiler():
        return "no C++ compiler found", "install g++ or clang++; these points do not count meanwhile"
    if not _pybind11():
        return "pybind11 is not installed", "`pip install pybind11`; these points do not count meanwhile"
    if not os.path.isfile(os.path.join(sysconfig.get_path("include"), "Python.h")):
        return "Python's C headers are not installed", "install python3-dev or the like"
    return None


def _pybind11() -> str:
    """Return the folder of pybind11's headers, "" if it is not installed."""
    spec = importlib.util.find_spec("pybind11")
    if spec is None:
        return ""
    import pybind11

    return str(pybind11.get_include())


def is_stub(text: str, function: str) -> bool:
    """Tell whether the function's body is empty but for comments, or only throws what the handout's does."""
    body = re.search(rf"\b{function}\s*\([^;{{()]*\)\s*\{{(?P<rest>.*)", _COMMENT.sub("", text), re.DOTALL)
    if body is None:
        return False
    rest = body["rest"].lstrip()
    return rest.startswith("}") or _STUB.sub("", rest, count=1).lstrip().startswith("}")


def first_error(output: str, root: Path) -> tuple[str, dict[str, Any] | None]:
    """Return the text and the place of the first error, the place in the submission if it can be told.

    An error inside a header has the line of the submission that led there in a note before it.
    """
    inside = None
    for found in _DIAGNOSTIC.finditer(output):
        own = _relative(found["file"], root)
        if own and inside is None:
            inside = {"file": own, "line": int(found["line"]), "function": ""}
        error = _ERROR.match(found["kind"])
        if error is None:
            continue
        if own:
            return error[1], {"file": own, "line": int(found["line"]), "function": ""}
        return f"{error[1]} (in {Path(found['file']).name})", inside or _later(output, found.end(), root)
    linker = _UNDEFINED.search(output)
    last = (output.strip().splitlines() or ["the compiler says nothing"])[-1]
    return (linker[1] if linker else last), None


def _later(output: str, start: int, root: Path) -> dict[str, Any] | None:
    for found in _DIAGNOSTIC.finditer(output, start):
        own = _relative(found["file"], root)
        if own:
            return {"file": own, "line": int(found["line"]), "function": ""}
    return None


def _relative(file: str, root: Path) -> str:
    """Return a file of the submission relative to its root, "" for one from elsewhere."""
    path = os.path.normpath(file)
    return os.path.relpath(path, root) if path.startswith(str(root) + os.sep) else ""
