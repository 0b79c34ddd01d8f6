"""One submission as bytes that can travel: its files in a zip, and the hash of what a grade depends on.

Data sets stay behind: every check draws its own data, and a class would carry gigabytes of copies. Where one
lay, whoever grades puts the handout's small one.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from grader import places
from grader.classroom import intake
from grader.classroom.files import MIB, Listing, Read
from grader.errors import UsageError

MOST = 64 * MIB
DATA_SET = "-ubyte.gz"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files make the same bytes


@dataclass(frozen=True)
class Parcel:
    """A submission's files.

    `content` is the hash of the files, wherever the homework lies in them; `root` is that place in the
    archive, "" or "a/b/". `data` names the data sets left behind, `notes` what cannot be seen any more.
    """

    content: str
    root: str
    archive: bytes = field(repr=False)
    data: tuple[str, ...] = ()
    notes: tuple[dict[str, Any], ...] = ()


def content_hash(found: Listing, homework: str, source: str) -> str:
    """Return the hash of a submission's files. Raises `UsageError` where there is no such homework."""
    root = intake.find_root(found, homework, Path(source))
    files = ((name, _read(source, read)) for name, read in _kept(found, root))
    return _digest(files, root, _data_sets(found, root))


def pack(found: Listing, homework: str, source: str) -> Parcel:
    """Return the parcel of a submission. Raises as `content_hash` does, and for more than 64 MiB."""
    root = intake.find_root(found, homework, Path(source))
    files: dict[str, bytes] = {}
    for name, read in _kept(found, root):
        files[name] = _read(source, read)
        if sum(map(len, files.values())) > MOST:
            raise UsageError(f"{source}: more than {MOST // MIB} MiB beside the data sets")
    data, left = _data_sets(found, root), tuple(intake.left_out(found, root))
    return Parcel(_digest(files.items(), root, data), root, _zipped(files), data, left)


def _digest(files: Iterable[tuple[str, bytes]], root: str, data: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    names = [(b"data", name.removeprefix(root).encode()) for name in data]
    for parts in (*names, *((name.removeprefix(root).encode(), content) for name, content in files)):
        for part in parts:
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def unpack(archive: bytes, data: tuple[str, ...], homework: str, target: Path) -> None:
    """Write a parcel's archive to a file, with the handout's data sets where there were some."""
    target.write_bytes(archive)
    with zipfile.ZipFile(target, "a") as packed:
        for name in data:
            ours = places.starter(homework) / "data" / PurePosixPath(name).name
            if ours.is_file():
                packed.write(ours, name)


def _kept(found: Listing, root: str) -> Iterator[tuple[str, Read]]:
    """Yield the files that travel: those of the homework, and what says why one of them is missing."""
    for name in sorted(found.files):
        is_ignore = PurePosixPath(name).name == ".gitignore"
        if (name.startswith(root) or is_ignore) and not _is_data_set(name):
            yield name, found.files[name]


def _data_sets(found: Listing, root: str) -> tuple[str, ...]:
    return tuple(sorted(name for name in found.files if name.startswith(root) and _is_data_set(name)))


def _is_data_set(name: str) -> bool:
    return name.endswith(DATA_SET)


def _read(source: str, read: Read) -> bytes:
    try:
        return read()
    except UsageError as error:
        text = str(error)
        raise UsageError(text if text.startswith(source) else f"{source}: {text}") from error
