"""The patterns by which the places that collect submissions name them.

    Canvas            janedoe_12345_67890_hw2.zip          `_LATE_` after the name; janedoe, id 12345
    Moodle            Jane Doe_12345_assignsubmission_file_/   or the same with the file's name after it
    Gradescope        submission_12345/                    names in submission_metadata.yml beside them
    GitHub Classroom  hw2-janedoe/ in hw2-submissions/     the folder's name less the assignment's
    plain             janedoe/ or janedoe.zip

A Gradescope submission of a group is one submission of all its members.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.errors import UsageError

ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
CANVAS = re.compile(r"(?P<student>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<file>\d+)_.+", re.DOTALL)
MOODLE = re.compile(r"(?P<student>.+?)_(?P<id>\d+)_assignsubmission_file(_.*)?", re.DOTALL)
GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
METADATA = "submission_metadata.yml"
LONGEST = 200


@dataclass(frozen=True)
class Named:
    """Who a file or folder is from, what else its name says, and whether a pattern says so."""

    student: str
    facts: dict[str, Any] = field(default_factory=dict)
    by_pattern: bool = False


def kind_of(folder: Path) -> str:
    """Return the kind of export that a folder is, "plain" if it is none."""
    if (folder / METADATA).is_file():
        return "gradescope"
    if folder.name.endswith("-submissions") and any((child / ".git").exists() for child in folder.iterdir()):
        return "github"
    kinds = [kind_of_file(child) for child in folder.iterdir() if not child.name.startswith(".")]
    return next((kind for kind in ("canvas", "moodle", "gradescope") if kind in kinds), "plain")


def kind_of_file(path: Path) -> str:
    """Return the kind of export that a name in one is of, "plain" for any other name."""
    if MOODLE.fullmatch(path.name):
        return "moodle"
    if CANVAS.fullmatch(path.name):
        return "canvas"
    return "gradescope" if GRADESCOPE.fullmatch(path.name) else "plain"


def named(path: Path, kind: str, prefix: str = "") -> Named | None:
    """Return who a file or folder is from, None for what an export holds beside submissions."""
    if kind in ("canvas", "moodle"):
        found = (CANVAS if kind == "canvas" else MOODLE).fullmatch(path.name)
        if found is None:
            return None
        late = {"late": True} if kind == "canvas" and found["late"] else {}
        return Named(found["student"][:LONGEST], {"id": found["id"], **late}, True)
    if kind == "gradescope":
        return _gradescope(path)
    if kind == "github":
        student = path.name.removeprefix(prefix)
        return Named(student[:LONGEST], {"github": student}) if path.is_dir() and student else None
    return Named(stem(path)[:LONGEST])


def plain(text: str) -> str:
    """Return text that a store can hold: bytes of a file's name that are no UTF-8 are written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def stem(path: Path) -> str:
    """Return a file's name without what says that it is an archive."""
    end = next((end for end in sorted(ARCHIVES, key=len)[::-1] if path.name.lower().endswith(end)), "")
    name = path.name if path.name else path.resolve().name
    return name[: len(name) - len(end)] or name


def assignment(folder: Path, children: Sequence[Path]) -> str:
    """Return what an assignment's repositories begin with: its name, as the folder has it or all share it."""
    if folder.name.endswith("-submissions"):
        return folder.name.removesuffix("submissions")
    names = [child.name.split("-") for child in children if child.is_dir()]
    shared = 0
    while len(names) > 1 and all(
        len(name) > shared + 1 and name[shared] == names[0][shared] for name in names
    ):
        shared += 1
    return "".join(f"{part}-" for part in names[0][:shared]) if names else ""


def _gradescope(path: Path) -> Named | None:
    found = GRADESCOPE.fullmatch(path.name)
    if found is None or not path.is_dir():
        return None
    people = _people(path.parent / METADATA).get(path.name, [])
    facts: dict[str, Any] = {"submission": found["id"]}
    if not people:
        return Named(path.name, facts, True)
    for word in ("email", "sid"):
        known = [str(one[word]) for one in people if one.get(word)]
        facts |= {word: ", ".join(known)} if known else {}
    names = [str(one.get("name") or one.get("email") or path.name) for one in people]
    facts |= {"members": names} if len(names) > 1 else {}
    return Named(", ".join(names)[:LONGEST], facts, True)


@lru_cache(maxsize=4)
def _people(metadata: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the submitters of each submission of an export, none where there is no list of them."""
    if not metadata.is_file():
        return {}
    try:
        import yaml
    except ImportError:
        raise UsageError(
            f"{metadata}: the names in it need a reader of YAML: pip install 'needle-grader[gradescope]'"
        ) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(metadata.read_bytes(), loader)  # a safe loader: plain data alone
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{metadata}: cannot be read ({reason}); or give the names by --names") from error
    entries = data.items() if isinstance(data, dict) else ()
    return {str(name): _submitters(about) for name, about in entries}


def _submitters(about: Any) -> list[dict[str, Any]]:
    people = about.get(":submitters") if isinstance(about, dict) else None
    return [
        {str(word).lstrip(":"): value for word, value in one.items()}
        for one in (people if isinstance(people, list) else [])
        if isinstance(one, dict)
    ]
