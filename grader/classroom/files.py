"""Reads the files of a submission, from a folder or an archive, without trusting a name in it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from grader.classroom import tars
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
LONGEST_NAME = 240  # bytes
COMPRESSED: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}

Read = Callable[[], bytes]


@dataclass
class Listing:
    """The usable files of a submission by relative path, what was left out and why, empty folders."""

    files: dict[str, Read] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    empty_folders: list[str] = field(default_factory=list)
    _folded: dict[str, str] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)

    def add(self, name: str, size: int, read: Read) -> None:
        """Add a file, or note why it is left out."""
        reason = refusal(name, size)
        if reason is None and name.casefold() in (one.casefold() for one in self._namesakes(name)):
            reason = "another file has the same name but for case"
        if reason is None and len(self.files) >= MOST_FILES:
            raise UsageError(f"more than {MOST_FILES} files; hand in the homework's folder alone")
        if reason is None:
            self.files[name] = read
            self._folders |= {str(parent) for parent in PurePosixPath(name.casefold()).parents}
        elif reason:
            self.left_out[name] = reason

    def is_crossed(self, name: str) -> bool:
        """Tell whether a name is a folder of a file that is there, or lies below such a file."""
        folded = PurePosixPath(name.casefold())
        above = {str(parent) for parent in folded.parents}
        return str(folded) in self._folders or not above.isdisjoint(self._folded)

    def _namesakes(self, name: str) -> Iterator[str]:
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
    if len(path.parts) > DEEPEST or max(len(part.encode()) for part in path.parts) > LONGEST_NAME:
        return "its name is too long or lies too deep"
    if size > LARGEST:
        return f"larger than {LARGEST // MIB} MiB"
    return None


def listing(path: Path) -> Listing:
    """Return the usable files of a folder or an archive.

    Raises `UsageError`, naming the path, for what is neither, is empty or cannot be read.
    """
    try:
        kind = path.stat().st_mode
        size = _unpacked_size(path) if stat.S_ISREG(kind) else 0
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file or folder") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)})") from error
    if size > MOST_BYTES:
        raise UsageError(f"{path}: unpacks to more than {MOST_BYTES // MIB} MiB")
    if stat.S_ISDIR(kind):
        found = _folder(path)
    elif not stat.S_ISREG(kind):  # reading a pipe or a device may never end
        raise UsageError(f"{path}: neither a folder nor a file")
    elif zipfile.is_zipfile(path):
        found = _zip(path)
    elif tars.is_tar(path):
        found = _tar(path)
    else:
        raise UsageError(f"{path}: neither a folder nor a readable .zip or .tar.gz archive")
    if not found.files:
        raise UsageError(f"{path}: holds no source file")
    return found


def _unpacked_size(path: Path) -> int:
    """Return the size of a file when unpacked, or any number above the limit.

    It is counted first because the readers of archives take a header's word for how much to allocate.
    """
    with path.open("rb") as file:
        magic = file.read(6)
    opener = next((opener for start, opener in COMPRESSED.items() if magic.startswith(start)), None)
    if opener is None:
        return 0
    total = 0
    with opener(path) as stream:
        while total <= MOST_BYTES and (data := stream.read(MIB)):
            total += len(data)
    return total


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


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
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(LARGEST)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)})") from error


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
    except Exception as error:  # a parser of other people's bytes raises whatever it likes
        raise UsageError(f"{path}: the archive cannot be read ({_reason(error)})") from error
    for member in members[: 4 * MOST_FILES]:
        kind = member.external_attr >> 16
        if member.filename.endswith("/"):  # is_dir() fails on an empty name
            continue
        regular = not stat.S_IFMT(kind) or stat.S_ISREG(kind)
        _add_member(found, member.filename, member.file_size, regular, _zip_reader(archive, member))
    return found


def _zip_reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read() -> bytes:
        try:
            with archive.open(member) as file:
                return file.read(LARGEST)
        except Exception as error:  # as above; encrypted members too
            reason = _reason(error)
            raise UsageError(
                f"{member.filename}: this member of the archive cannot be read ({reason})"
            ) from error

    return read


def _tar(path: Path) -> Listing:
    found = Listing()
    total = 0
    try:
        with tars.opened(path) as archive:
            for member in tars.members(archive):
                total += member.size
                if total > MOST_BYTES:
                    raise UsageError(f"{path}: unpacks to more than {MOST_BYTES // MIB} MiB")
                file = archive.extractfile(member) if member.isreg() and member.size <= LARGEST else None
                data = file.read() if file is not None else b""
                _add_member(found, member.name, member.size, member.isreg(), partial(bytes, data))
    except UsageError:
        raise
    except Exception as error:  # a parser of other people's bytes raises whatever it likes
        raise UsageError(f"{path}: the archive cannot be read ({_reason(error)})") from error
    return found


def _add_member(found: Listing, name: str, size: int, regular: bool, read: Read) -> None:
    safe = _safe_name(name)
    if safe is None:
        found.left_out[ascii(name)] = "its name leads out of the folder"
    elif not regular:
        found.left_out[safe] = "not a regular file"
    elif safe in found.files:
        found.left_out[safe] = "stands twice in the archive; the first one is used"
    elif found.is_crossed(safe):
        found.left_out[safe] = "a file and a folder have the same name"
    else:
        found.add(safe, size, read)
