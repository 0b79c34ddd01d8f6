"""Reads the files of a submission, from a folder or an archive, without trusting a name in it."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from grader.errors import UsageError

MIB = 1024 * 1024
SUFFIXES = frozenset(
    [
        ".py",
        ".cpp",
        ".cc",
        ".h",
        ".hpp",
        ".txt",
        ".md",
        ".csv",
        ".json",
        ".gz",
        ".cfg",
        ".ini",
        ".toml",
        ".yml",
        ".npy",
    ]
)
NAMES = frozenset({"Makefile", ".gitignore"})
REFUSED = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py", "setup.py", "pyproject.toml"})
SKIPPED_FOLDERS = frozenset(
    [
        "__pycache__",
        ".git",
        ".venv",
        "venv",
        "env",
        "node_modules",
        "site-packages",
        "__MACOSX",
        ".ipynb_checkpoints",
        ".idea",
        ".vscode",
    ]
)
MOST_FILES = 5000
MOST_BYTES = 256 * MIB
LARGEST = 16 * MIB
DEEPEST = 16
LONGEST_NAME = 240

Read = Callable[[], bytes]


@dataclass
class Listing:
    """The usable files of a submission by relative path, what was left out and why, empty folders."""

    files: dict[str, Read] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    empty_folders: list[str] = field(default_factory=list)
    ignore_rules: list[tuple[str, int, str]] = field(default_factory=list)

    def add(self, name: str, size: int, read: Read) -> None:
        """Add a file, or note why it is left out."""
        reason = refusal(name, size)
        if reason is None and name.casefold() in (one.casefold() for one in self._namesakes(name)):
            reason = "another file has the same name but for case"
        if reason is None and len(self.files) >= MOST_FILES:
            raise UsageError(f"more than {MOST_FILES} files; hand in the homework's folder alone")
        if reason is None:
            self.files[name] = read
        elif reason:
            self.left_out[name] = reason

    def _namesakes(self, name: str) -> Iterator[str]:
        if not hasattr(self, "_folded"):
            self._folded: dict[str, str] = {}
        known = self._folded.setdefault(name.casefold(), name)
        if known != name:
            yield known


def refusal(name: str, size: int) -> str | None:
    """Return None for a file to take, "" for one to pass over in silence, else why it is left out."""
    path = PurePosixPath(name)
    if any(part in SKIPPED_FOLDERS or part.endswith(".egg-info") for part in path.parts):
        return ""
    if path.name in REFUSED:
        return "a file of this name is never used"
    if path.suffix not in SUFFIXES and path.name not in NAMES:
        return (
            ""
            if path.suffix in (".pyc", ".ipynb", ".png", ".jpg", ".pdf", "")
            else "not a source or data file"
        )
    if len(path.parts) > DEEPEST or len(path.name) > LONGEST_NAME:
        return "its name is too long or lies too deep"
    if size > LARGEST:
        return f"larger than {LARGEST // MIB} MiB"
    return None


def listing(path: Path) -> Listing:
    """Return the usable files of a folder or an archive.

    Raises `UsageError`, naming the path, for what is neither, is empty or cannot be read.
    """
    if path.is_dir():
        found = _folder(path)
    elif not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    elif zipfile.is_zipfile(path):
        found = _zip(path)
    elif tarfile.is_tarfile(path):
        found = _tar(path)
    else:
        raise UsageError(f"{path}: neither a folder nor a readable .zip or .tar.gz archive")
    if not found.files:
        raise UsageError(f"{path}: holds no source file")
    return found


def _folder(root: Path) -> Listing:
    found = Listing()
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        relative = Path(folder).relative_to(root)
        if len(relative.parts) > DEEPEST:
            folders.clear()
        if not folders and not names:
            found.empty_folders.append(relative.as_posix())
        for name in sorted(names):
            _add_file(found, root, (relative / name).as_posix())
    return found


def _add_file(found: Listing, root: Path, name: str) -> None:
    path = root / name
    try:
        status = path.lstat()
    except OSError:
        return
    if stat.S_ISLNK(status.st_mode):
        found.left_out[name] = "a link"
    elif not stat.S_ISREG(status.st_mode):
        found.left_out[name] = "not a regular file"
    elif not _is_text(name):
        found.left_out[ascii(name)] = "its name is not valid UTF-8"
    else:
        found.add(name, status.st_size, lambda: _read_file(path))


def _read_file(path: Path) -> bytes:
    """Read a regular file without following a link that may have taken its place."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST + 1)[:LARGEST]


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in name


def _safe_name(name: str) -> str | None:
    """Return a member's name as a relative path, None if it leaves the folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0][1:2]:
        return None
    return path.as_posix() if _is_text(name) else None


def _zip(path: Path) -> Listing:
    found = Listing()
    try:
        archive = zipfile.ZipFile(path)
        members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UsageError(f"{path}: the archive cannot be read ({error})") from error
    for member in members[: 4 * MOST_FILES]:
        kind = member.external_attr >> 16
        if member.is_dir():
            continue
        regular = not stat.S_IFMT(kind) or stat.S_ISREG(kind)
        _add_member(found, member.filename, member.file_size, regular, _zip_reader(archive, member))
    return found


def _zip_reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read() -> bytes:
        try:
            with archive.open(member) as file:
                return file.read(LARGEST)
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            OSError,
            EOFError,
        ) as error:
            raise UsageError(
                f"{member.filename}: this member of the archive cannot be read ({error})"
            ) from error

    return read


def _tar(path: Path) -> Listing:
    found = Listing()
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isdir():
                    continue
                total += member.size
                if total > MOST_BYTES:
                    raise UsageError(f"{path}: unpacks to more than {MOST_BYTES // MIB} MiB")
                file = archive.extractfile(member) if member.isreg() and member.size <= LARGEST else None
                data = file.read() if file is not None else b""
                _add_member(found, member.name, member.size, member.isreg(), partial(bytes, data))
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: the archive cannot be read ({error})") from error
    return found


def _add_member(found: Listing, name: str, size: int, regular: bool, read: Read) -> None:
    safe = _safe_name(name)
    if safe is None:
        found.left_out[ascii(name)] = "its name leads out of the folder"
    elif not regular:
        found.left_out[safe] = "not a regular file"
    elif safe in found.files:
        found.left_out[safe] = "stands twice in the archive; the first one is used"
    else:
        found.add(safe, size, read)
