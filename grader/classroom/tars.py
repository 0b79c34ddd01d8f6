"""Tar archives whose headers are short: reading one costs no more than the files in it.

Extra headers (long names, pax records) may be as long as the archive, follow each other without end, and are
read by `tarfile` with patterns that some of its versions try again at every character.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LONGEST, MOST_EXTRA = 64 * 1024, 4 * 1024 * 1024  # bytes of one extra header, and of all
MOST_MEMBERS = 50_000
DIGITS = re.compile(rb"\d{64}")


class Member(tarfile.TarInfo):
    """A member of an archive; refuses extra headers that nobody needs."""

    def _proc_gnulong(self, archive: Any) -> Any:
        _demand_short(self, archive)
        return super()._proc_gnulong(archive)  # type: ignore[misc]

    def _proc_pax(self, archive: Any) -> Any:
        _demand_short(self, archive)
        _Seen(archive, archive.fileobj.read(self._block(self.size)))  # type: ignore[attr-defined]
        return super()._proc_pax(archive)  # type: ignore[misc]


class _Seen:
    """Stands for an archive's stream once: the bytes that were looked at are read again."""

    def __init__(self, archive: Any, data: bytes) -> None:
        if DIGITS.search(data):
            raise _odd()
        self.archive, self.stream, self.data = archive, archive.fileobj, data
        archive.fileobj = self

    def read(self, size: int) -> bytes:
        """Return the bytes, and give the stream its place back."""
        self.archive.fileobj = self.stream
        return self.data[:size]


def _demand_short(member: Member, archive: Any) -> None:
    archive.extra = getattr(archive, "extra", 0) + member.size
    if member.size > LONGEST or archive.extra > MOST_EXTRA:
        raise _odd()


def _odd() -> ValueError:
    return ValueError("its headers are longer than those of any homework")


def opened(path: Path) -> tarfile.TarFile:
    """Open an archive for reading. Raises `ValueError` for odd headers, and all that `tarfile` does."""
    return tarfile.open(path, tarinfo=Member)


def is_tar(path: Path) -> bool:
    """Tell whether a file is an archive, readable or not."""
    try:
        opened(path).close()
    except tarfile.TarError:
        return False
    except Exception:  # a parser of other people's bytes raises whatever it likes
        return True
    return True


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members but folders. Raises `ValueError` for more of them than a homework has."""
    for number, member in enumerate(archive):
        if number >= MOST_MEMBERS:
            raise ValueError(f"it has more than {MOST_MEMBERS} members")
        if not member.isdir():
            yield member
