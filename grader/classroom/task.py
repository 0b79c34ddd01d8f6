"""The work on one submission, as it travels to a process of its own, and what comes back.

Both travel as a JSON header and raw bytes: no pickle, as everywhere near code that is not trusted.
"""

from __future__ import annotations

import json
import re
import struct
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

HEAD = struct.Struct("<II")


@dataclass(frozen=True)
class Task:
    """A submission to grade (the archive of its parcel) and the options that its grade depends on."""

    archive: bytes = field(repr=False)
    data: tuple[str, ...]
    homework: str
    seed: int | str
    blame: bool = True
    following: bool = False
    sandbox: str = "process-only"


@dataclass(frozen=True)
class Outcome:
    """A report (its JSON, compressed), or the kind and reason of what was in the way.

    Kinds are those of `store.Problem`, and "full": the disk that the grading needs is full.
    """

    report: bytes = field(default=b"", repr=False)
    kind: str = ""
    reason: str = ""

    def data(self) -> dict[str, Any]:
        """Return the report as plain data. Raises `ValueError` if it is none."""
        found = json.loads(zlib.decompress(self.report))
        if not isinstance(found, dict) or "questions" not in found:
            raise ValueError("not a report")
        return found


def grade(task: Task) -> Outcome:
    """Grade a submission in this process."""
    import errno

    from grader.classroom import parcel
    from grader.classroom.grade import grade as graded
    from grader.errors import NotGraded, UsageError

    try:
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            archive = Path(folder) / task.homework
            parcel.unpack(task.archive, task.data, task.homework, archive)
            report = graded(
                archive,
                task.homework,
                seed=task.seed,
                blame=task.blame,
                sandbox=task.sandbox,
                following=task.following,
            )
    except UsageError as error:
        return Outcome(kind="unreadable", reason=str(error).partition(": ")[2] or str(error))
    except NotGraded as error:
        return Outcome(kind="not-graded", reason=str(error))
    except Exception as error:
        kind = "full" if getattr(error, "errno", None) == errno.ENOSPC else "crash"
        first = f"{type(error).__name__}: {error}".partition("\n")[0]
        return Outcome(kind=kind, reason=f"the grader itself failed on it ({first[:300]})")
    report.submission = ""  # whoever asked knows its name
    text = _own_paths().sub("", json.dumps(report.as_dict()))
    return Outcome(zlib.compress(text.encode(), 1))


def _own_paths() -> re.Pattern[str]:
    """Return the pattern of the folder of a submission while it is graded: places are told from there."""
    folder = json.dumps(str(Path(tempfile.gettempdir()).resolve()))[1:-1]
    return re.compile(re.escape(folder) + r"/grader-\w+/submission/")


def environment() -> dict[str, str]:
    """Return the versions that a grade depends on, of the Python that runs this; numpy is not imported."""
    import platform
    from importlib import metadata

    from grader import __version__

    versions = {"grader": __version__, "python": platform.python_version()}
    return versions | {"numpy": metadata.version("numpy")}


Record = TypeVar("Record", Task, Outcome)


def send(stream: BinaryIO, record: Task | Outcome) -> None:
    """Write a task or an outcome."""
    blob = record.archive if isinstance(record, Task) else record.report
    header = json.dumps({**vars(record), "archive" if isinstance(record, Task) else "report": ""}).encode()
    stream.write(HEAD.pack(len(header), len(blob)) + header + blob)
    stream.flush()


def receive(stream: BinaryIO, kind: type[Record]) -> Record:
    """Read what `send` wrote. Raises `EOFError` when the other side is gone."""
    sizes = HEAD.unpack(_exactly(stream, HEAD.size))
    header = json.loads(_exactly(stream, sizes[0]))
    blob = _exactly(stream, sizes[1])
    if kind is Task:
        return kind(**{**header, "data": tuple(header["data"]), "archive": blob})
    return kind(**{**header, "report": blob})


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
