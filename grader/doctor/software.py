"""Python, the packages, BLAS, the compiler of homework 0, and copies of needle on the path."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.doctor.finding import Finding, ok, remark, trouble

OLDEST, NEWEST = (3, 10), (3, 13)  # that our own tests run on
PACKAGES = {"numpy": (1, 26), "hypothesis": (6, 100), "numdifftools": (0, 9, 41), "pybind11": (2, 12)}
SLOW_BLAS = ("none", "lapack_lite", "blas", "lapack")
COMPILER_SECONDS = 20.0


def python(version: Sequence[int] = sys.version_info[:3]) -> Finding:
    """Look at the version of Python."""
    shown = f"Python {'.'.join(map(str, version))}, {sys.executable}"
    if tuple(version[:2]) < OLDEST:
        return trouble(
            "python", shown, "install Python 3.10 or later, and make a new virtual environment with it"
        )
    if tuple(version[:2]) > NEWEST:
        return remark("python", shown, "not tried with this grader yet; 3.13 is the latest that was")
    return ok("python", shown)


def packages(names: Sequence[str] = tuple(PACKAGES)) -> Iterator[Finding]:
    """Look at what the grader imports: that it is there, imports, and is new enough."""
    for name in names:
        try:
            importlib.import_module(name)
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = "?"
        except Exception as error:  # a broken package may raise anything
            fix = f"{sys.executable} -m pip install --upgrade {name}"
            yield trouble(name, f"does not import ({type(error).__name__}: {error})", fix)
            continue
        least = PACKAGES.get(name, ())
        if _numbers(version) < least:
            needed = ".".join(map(str, least))
            yield trouble(name, version, f"{sys.executable} -m pip install '{name}>={needed}'")
        else:
            yield ok(name, version)


def _numbers(version: str) -> tuple[int, ...]:
    numbers = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers) or (sys.maxsize,)


def blas(build: dict[str, Any] | None = None) -> Finding:
    """Look at which BLAS numpy multiplies matrices with; `build` is what numpy says of it."""
    try:
        build = _build() if build is None else build
        name, version = str(build["name"]), str(build.get("version", ""))
    except (ImportError, KeyError, TypeError, AttributeError):
        return remark("blas", "numpy does not say which", "nothing to do unless training is slow")
    if name.lower() in SLOW_BLAS:
        fix = (
            "training runs many times slower so: install numpy's wheel (pip install --force-reinstall numpy)"
        )
        return remark("blas", f"{name}, without an optimised library", fix)
    return ok("blas", f"{name} {version}".strip())


def _build() -> dict[str, Any]:
    import numpy as np

    show: Any = np.show_config
    found: dict[str, Any] = show(mode="dicts")["Build Dependencies"]["blas"]
    return found


def compiler() -> Iterator[Finding]:
    """Look at what compiles the C++ of homework 0."""
    from grader.homework import extension

    words = extension.compiler()
    if not words:
        fix = "install g++ or clang++ (macOS: xcode-select --install); hw0's C++ is not graded meanwhile"
        yield remark("compiler", "no C++ compiler", fix)
        return
    yield ok("compiler", _first_line([*words, "--version"]) or words[0])
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not headers.is_file():
        fix = "install python3-dev (Debian, Ubuntu) or python3-devel (Fedora): hw0's C++ needs them"
        yield remark("headers", f"no {headers}", fix)


def _first_line(command: list[str]) -> str:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COMPILER_SECONDS)
        return (done.stdout.splitlines() or [""])[0]
    return ""


def picture() -> Finding:
    """Look for the library that lays out the graph's picture."""
    if importlib.util.find_spec("igraph") is None:
        fix = f"{sys.executable} -m pip install 'needle-grader[picture]', for --graph and --html"
        return remark("pictures", "igraph is not installed", fix)
    return ok("pictures", f"igraph {importlib.metadata.version('igraph')}")


def needles(path: Sequence[str] = tuple(sys.path)) -> Finding:
    """Look for copies of needle outside a homework: two copies are two Tensor classes."""
    found = []
    for folder in dict.fromkeys(path):
        for place in (Path(folder or ".") / "needle", Path(folder or ".") / "needle.py"):
            with contextlib.suppress(OSError):
                if place.is_file() or (place.is_dir() and any(place.glob("*.py"))):
                    found.append(str(place))
    if not found:
        return ok("needle", "no copy on Python's path; the grader takes it from the submission")
    shown = ", ".join(found)
    fix = "the grader ignores it, notebooks do not: pip uninstall needle, or mend PYTHONPATH"
    if len(found) > 1:
        return trouble("needle", f"{len(found)} copies on Python's path: {shown}", fix)
    return remark("needle", f"a copy on Python's path: {shown}", fix)


def machine() -> Finding:
    """Say what kind of machine this is."""
    return ok("system", f"{platform.system()} {platform.release()}, {platform.machine()}")
