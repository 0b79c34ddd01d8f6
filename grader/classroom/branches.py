"""The branches of a git repository, each one student's submission.

Files are listed and read by git's plumbing (`ls-tree`, `cat-file`), which runs no filter, hook or pager
of the repository's.
"""

from __future__ import annotations

import fnmatch
import io
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.files import Listing, refusal
from grader.classroom.parcel import DATA_SET
from grader.errors import UsageError

TRUNKS = ("main", "master", "HEAD")
SECONDS = 60


@dataclass(frozen=True)
class Branch:
    """A branch: the repository, its whole ref, and the student it is named for."""

    repository: Path
    ref: str
    student: str

    def listing(self) -> Listing:
        """Return its files, as `files.listing` does for a folder; the first read reads all sources."""
        found, blobs = Listing(), _Blobs(self.repository)
        for mode, name, size, blob in self._tree():
            if mode not in ("100644", "100755"):
                found.left_out[name] = "a link" if mode == "120000" else "not a regular file"
            elif refusal(name, size) is None:
                found.add(name, size, blobs.reader(blob, ahead=not name.endswith(DATA_SET)))
        if not found.files:
            raise UsageError(f"{self.repository}@{self.ref}: holds no source file")
        return found

    def _tree(self) -> Iterator[tuple[str, str, int, str]]:
        listed = _git(self.repository, ["ls-tree", "-r", "-z", "--long", "--full-tree", self.ref])
        for line in filter(None, listed.split(b"\0")):
            about, _, raw = line.partition(b"\t")
            mode, _, blob, size = about.decode("ascii").split()
            name = raw.decode("utf-8", "backslashreplace")
            yield mode, name, int(size) if size.isdigit() else 0, blob


class _Blobs:
    """Contents of a repository, fetched by one call for all that will be asked for."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self.wanted: list[str] = []
        self.found: dict[str, bytes] = {}

    def reader(self, blob: str, *, ahead: bool) -> Callable[[], bytes]:
        if ahead:
            self.wanted.append(blob)
        return lambda: self.read(blob)

    def read(self, blob: str) -> bytes:
        if blob not in self.found:
            wanted = list(dict.fromkeys([*self.wanted, blob]))
            names = "".join(f"{one}\n" for one in wanted).encode()
            stream = io.BytesIO(_git(self.repository, ["cat-file", "--batch"], names))
            for one in wanted:
                size = int(stream.readline().split()[-1])
                self.found[one] = stream.read(size)
                stream.read(1)
        return self.found[blob]


def find(repository: Path, glob: str | None) -> list[Branch]:
    """Return the branches of a repository that a pattern names, by default all but main and master.

    A branch of a remote counts where no local one has its name. What stands before the first `*` of the
    pattern is no part of the students' names: `hw2/*` names jane for `hw2/jane`.
    """
    refs = _git(repository, ["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]).decode()
    by_name: dict[str, str] = {}
    for ref in refs.splitlines():
        local = ref.startswith("refs/heads/")
        name = ref.removeprefix("refs/heads/") if local else ref.split("/", 3)[-1]
        if (
            fnmatch.fnmatchcase(name, glob or "*")
            and (glob is not None or name not in TRUNKS)
            and name != "HEAD"
        ):
            by_name.setdefault(name, ref)  # local ones are listed first
    if not by_name:
        raise UsageError(f"{repository}: no branch of it is a submission; --branches GLOB chooses them")
    prefix = glob.partition("*")[0] if glob and "*" in glob else ""
    return [Branch(repository, ref, name.removeprefix(prefix)) for name, ref in sorted(by_name.items())]


def _git(repository: Path, words: list[str], given: bytes = b"") -> bytes:
    quiet = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-C", str(repository), *words],
            env={**os.environ, **quiet},
            input=given,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError(f"{repository}: git is needed to read its branches") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{repository}: git took more than {SECONDS} s") from error
    if done.returncode:
        said = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(f"{repository}: git cannot read it ({said})")
    return done.stdout
