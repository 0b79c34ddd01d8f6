"""Whose submissions are in the paths that were given: folders, archives, exports, a repository's branches.

An export's names are read by the patterns in `exports`; a folder that is a submission goes by its own name,
the submissions in any other folder by theirs. `--names FILE.csv` has the last word (`names`).
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.classroom import branches, exports, files
from grader.classroom.exports import ARCHIVES, Named, plain, stem
from grader.classroom.files import Listing
from grader.errors import UsageError

KINDS = ("auto", "plain", "canvas", "moodle", "gradescope", "github", "branches")
ROOTS = frozenset({"python", "needle", "src", "apps"})
WRAPPER = re.compile(r"(hw|homework|needle|dlsys|10-?[47]14)[-_ ]?\d?(-main|-master)?", re.IGNORECASE)


@dataclass(frozen=True)
class Entry:
    """A submission: whose it is, what else is known of them, where it is (as shown), how it is read."""

    student: str
    source: str
    read: Callable[[], Listing] = field(repr=False, compare=False)
    facts: dict[str, Any] = field(default_factory=dict)
    words: frozenset[str] = frozenset()  # by any of which `--names` may call it


@dataclass(frozen=True)
class Refusal:
    """What cannot be graded, and why; the kinds are those of `store.Problem`."""

    student: str
    source: str
    kind: str
    reason: str


@dataclass
class Roster:
    """The submissions by student, and what is none."""

    entries: list[Entry] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def collect(paths: Sequence[Path], kind: str = "auto", glob: str | None = None) -> Roster:
    """Return all submissions in some paths, by name; `glob` chooses branches."""
    found = Roster()
    for path in paths:
        try:
            found.entries += _in_path(path, kind, glob)
        except UsageError as error:
            found.refusals.append(Refusal("", plain(str(path)), "unreadable", plain(str(error))))
    return found


def settle(found: Roster) -> Roster:
    """Return the roster sorted, with those refused who share a name: nobody knows which one counts."""
    by_name: dict[str, list[Entry]] = defaultdict(list)
    for entry in {entry.source: entry for entry in found.entries}.values():  # a path may be given twice
        by_name[entry.student].append(entry)
    settled = Roster([], list(found.refusals))
    for student, entries in sorted(by_name.items()):
        if len(entries) == 1:
            settled.entries += entries
            continue
        where = ", ".join(sorted(entry.source for entry in entries))
        reason = f"{len(entries)} submissions of this name ({where}): keep one, or tell them apart by --names"
        settled.refusals += [Refusal(student, entry.source, "same-name", reason) for entry in entries]
    return settled


def _in_path(path: Path, kind: str, glob: str | None) -> Iterator[Entry]:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    if kind == "branches" or (kind == "auto" and glob is not None):
        for branch in branches.find(path, glob):
            source = f"{path}@{branch.ref}"
            words = frozenset({branch.student, branch.ref})
            yield Entry(branch.student, plain(source), branch.listing, {}, words)
    elif path.is_dir() and not (kind in ("auto", "plain") and _is_submission(path)):
        yield from _in_folder(path, exports.kind_of(path) if kind == "auto" else kind)
    else:
        _refuse_class(path)
        yield _entry(path, exports.named(path, exports.kind_of_file(path) if kind == "auto" else kind))


def _in_folder(path: Path, kind: str) -> Iterator[Entry]:
    children = [child for child in sorted(path.iterdir()) if not child.name.startswith((".", "__MACOSX"))]
    prefix = exports.assignment(path, children) if kind == "github" else ""
    by_student: dict[str, list[tuple[bool, Entry]]] = defaultdict(list)
    for child in children:
        named = exports.named(child, kind, prefix)
        usable = child.is_dir() or child.name.lower().endswith(ARCHIVES)
        if named is None and usable and (child.is_file() or _is_submission(child)):
            named = Named(stem(child))  # it was put there by hand, say: no submission is left out
        if named is not None and (usable or named.by_pattern):
            by_student[named.student].append((usable, _entry(child, named)))
    if not by_student:
        raise UsageError(f"{path}: no submission in it: neither a homework nor folders or archives of one")
    for entries in by_student.values():  # a text beside the archive is no second submission
        yield from [entry for usable, entry in entries if usable] or [entries[0][1]]


def _entry(path: Path, named: Named | None) -> Entry:
    named = named or Named(stem(path))
    words = {named.student, path.name, stem(path), *map(str, named.facts.values())}
    student, source = plain(named.student), plain(str(path))
    return Entry(student, source, lambda: files.listing(path), dict(named.facts), frozenset(words))


def _is_submission(path: Path) -> bool:
    """Tell whether a folder is one submission: the homework lies in it, or in one folder named for it."""
    names = {child.name for child in path.iterdir() if child.is_dir() and not child.name.startswith(".")}
    if names & ROOTS:
        return True
    return len(names) == 1 and bool(WRAPPER.fullmatch(next(iter(names))))


def _refuse_class(path: Path) -> None:
    """Refuse an archive of a whole class, of which one submission would be found, and no other."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.partition("/")[0] for name in archive.namelist()[:20000]}
    except (OSError, ValueError, zipfile.BadZipFile):
        return
    if sum(exports.kind_of_file(Path(name)) != "plain" for name in names) > 0:
        raise UsageError(f"{path}: an export of a class; unpack it and give the folder")


def rename(entry: Entry, student: str, facts: dict[str, Any]) -> Entry:
    """Return an entry under the name that a list gives it."""
    return replace(entry, student=student, facts={**entry.facts, **facts})
