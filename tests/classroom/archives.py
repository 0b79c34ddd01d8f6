"""Writes archives, the broken and the hostile ones too, member by member."""

from __future__ import annotations

import io
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path

Members = Iterable[tuple[str, bytes]]
SOURCE = b"def add(x, y):\n    return x + y\n"


def write_zip(path: Path, members: Members) -> Path:
    """A zip with members in this order, duplicates too."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


def write_tar(path: Path, members: Members, mode: str = "w:gz") -> Path:
    """A tar with regular files as members."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


WRITERS = {"zip": write_zip, "tar": write_tar}


def write_odd_tar(path: Path, members: Iterable[tuple[str, bytes, str]]) -> Path:
    """A tar of members that are not regular files: name, type, target of a link."""
    with tarfile.open(path, "w:gz") as archive:
        source = tarfile.TarInfo("src/simple_ml.py")
        source.size = len(SOURCE)
        archive.addfile(source, io.BytesIO(SOURCE))
        for name, kind, target in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
    return path


def write_zip_link(path: Path, name: str, target: str) -> Path:
    """A zip with a source file and a symbolic link."""
    write_zip(path, [("src/simple_ml.py", SOURCE)])
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    return path


def encrypted_zip(path: Path) -> Path:
    """A zip whose member says that it is encrypted."""
    write_zip(path, [("src/simple_ml.py", SOURCE)])
    data = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + offset] |= 1
    path.write_bytes(data)
    return path
