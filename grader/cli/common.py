"""What several commands share: where the submission is, where a file goes, how a word is shown."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from grader.errors import UsageError
from grader.report.renderings import RENDERINGS, Rendering

HOMEWORKS = ("hw0", "hw1", "hw2")
INTERRUPTED = 3


def default(homework: str) -> Path:
    """Return ./hwN, or this folder if it is the homework's root."""
    folder = Path(homework)
    if folder.is_dir():
        return folder
    if any(Path(name).is_dir() for name in ("python", "src", "needle")):
        return Path()
    raise UsageError(
        f"no ./{homework} here and this folder is not its root; name the submission's folder or archive"
    )


def make_room(name: str | None) -> None:
    """Remove an older report, which could be taken for this run's; refuse where none can be written."""
    if not name or name == "-":
        return
    try:
        Path(name).unlink(missing_ok=True)
        with open(name, "xb"):
            pass
        Path(name).unlink()
    except OSError as error:
        raise unwritable(name, error) from error


def renderings(options: argparse.Namespace) -> dict[Rendering, str]:
    """Return the renderings that were asked for and their files; raises `UsageError` for two of one name."""
    files = {one: getattr(options, one.name) for one in RENDERINGS if getattr(options, one.name)}
    twice = next((name for name in files.values() if list(files.values()).count(name) > 1), None)
    if twice is not None:
        words = ", ".join(f"--{one.name}" for one, name in files.items() if name == twice)
        raise UsageError(f"{twice}: cannot hold {words} at once; give each a file of its own")
    return files


def unwritable(name: str, error: OSError) -> UsageError:
    """Return the error of a file that cannot be written."""
    return UsageError(f"{name}: cannot be written ({error.strerror}); choose another file")


def write(name: str, text: str, *, private: bool = False) -> None:
    """Write a file in one step; `-` is standard output.

    A file that is `private` (names and marks of a class) is its owner's alone.
    """
    if name == "-":
        sys.stdout.write(text)
        return
    target = Path(name)
    try:
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        partial.touch(0o600 if private else 0o666)
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise unwritable(name, error) from error


def in_color(stream: object) -> bool:
    """Return True for a terminal that may be coloured (NO_COLOR, TERM=dumb)."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def quoted(text: str) -> str:
    """Return a word as a shell would need it."""
    return shlex.quote(text)
