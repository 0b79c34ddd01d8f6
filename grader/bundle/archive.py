"""Writes files to a zip or a folder; the same files make the same bytes, whenever and wherever."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from grader.errors import UsageError

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name
PLAIN, PROGRAM, SECRET = 0o644, 0o755, 0o600

Files = Mapping[str, tuple[bytes, int]]


def write(target: Path, files: Files) -> None:
    """Write `files` (name to content and mode) to a zip, if `target` ends so, or to a new or empty folder.

    Raises `UsageError` if that is not possible; a zip that was there before stays until the new one is whole.
    """
    try:
        if target.suffix.lower() == ".zip":
            _zip(target, files)
        else:
            _folder(target, files)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}); choose another file") from error


def _zip(target: Path, files: Files) -> None:
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, (content, mode) in sorted(files.items()):
                entry = zipfile.ZipInfo(name, EPOCH)
                entry.create_system = 3  # modes are Unix's, on every system
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _folder(target: Path, files: Files) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(
            f"{target}: there is something already; name a new folder, or a file that ends in .zip"
        )
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        for name, (content, mode) in sorted(files.items()):
            path = partial / PurePosixPath(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        if target.exists():
            target.rmdir()
        partial.replace(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
