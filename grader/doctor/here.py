"""The homeworks in a folder: their data, their starter, and whether they import."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from grader.doctor.finding import Finding, ok, remark, trouble
from grader.errors import GraderError
from grader.homework import table

# name -> magic number, and how many sizes follow it
DATA = {
    "train-images-idx3-ubyte.gz": (2051, 3),
    "train-labels-idx1-ubyte.gz": (2049, 1),
    "t10k-images-idx3-ubyte.gz": (2051, 3),
    "t10k-labels-idx1-ubyte.gz": (2049, 1),
}
LARGEST = 1 << 28  # bytes, unpacked; MNIST's own is 47 MB
COPY = "copy the four files of MNIST, or those of the handout's data/, into"


def homeworks(folder: Path) -> Iterator[Finding]:
    """Look at ./hw0, ./hw1 and ./hw2, those that are there."""
    found = [name for name in table.NAMES if (folder / name).is_dir()]
    if not found:
        yield remark(
            "homework", f"no hw0, hw1 or hw2 in {folder.resolve()}", "call doctor where your homework lies"
        )
    for name in found:
        yield submission(folder / name, name)
        yield data(folder / name / "data", name)


def submission(folder: Path, name: str) -> Finding:
    """Have the grader load a homework, and say which starter it was made from."""
    from grader.classroom.grade import grade

    first = next(iter(table.find(name).checks())).id
    try:
        report = grade(folder, name, only=first, blame=False)
    except GraderError as error:
        return trouble(
            name, str(error), f"is {folder} the homework's own folder? `python -m grader start` makes one"
        )
    failed = next((note for note in report.notes if note.get("id") == "import-failed"), None)
    if failed:
        return trouble(
            name, str(failed["message"]), "mend that line first: nothing else can be graded meanwhile"
        )
    made = f"starter of {report.starter}" if report.starter else "as given"
    return ok(name, f"imports; {made}")


def data(folder: Path, name: str) -> Finding:
    """Look at the four files of digits: that they are there, whole, and fit together."""
    label = f"{name} data"
    missing = [one for one in DATA if not (folder / one).is_file()]
    if missing:
        return remark(
            label, f"{folder} lacks {', '.join(missing)}", f"{COPY} {folder} to train on them yourself"
        )
    counts = []
    for one in DATA:
        try:
            counts.append(count(folder / one))
        except (OSError, EOFError, ValueError, zlib.error, struct.error) as error:
            return trouble(label, f"{folder / one}: {error}", f"{COPY} {folder} again")
    if counts[0] != counts[1] or counts[2] != counts[3]:
        shown = f"{counts[0]} images, {counts[1]} labels; {counts[2]} and {counts[3]} in the test set"
        return trouble(label, shown, f"{COPY} {folder} again: all four from one place")
    return ok(label, f"{counts[0]} digits to train on, {counts[2]} to test with")


def count(file: Path) -> int:
    """Return how many items a gzipped IDX file holds.

    Raises OSError, EOFError or ValueError for a file that is cut off or something else.
    """
    magic, sizes = DATA[file.name]
    with gzip.open(file, "rb") as stream:
        head = stream.read(4 + 4 * sizes)
        found, *shape = struct.unpack(f">{1 + sizes}I", head)
        if found != magic:
            raise ValueError(f"not an IDX file of this kind (it begins with {found}, not {magic})")
        expected = 1
        for size in shape:
            expected *= size
        if expected > LARGEST or len(stream.read(expected + 1)) != expected:
            raise ValueError(f"its header says {' x '.join(map(str, shape))}, the file has another size")
    return int(shape[0])
