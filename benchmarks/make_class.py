"""Makes a class of hw2: right solutions in many styles, 12 mistakes that many made, and some that few made.

    python benchmarks/make_class.py FOLDER [--size 1000] [--seed 0]

FOLDER/submissions holds a folder or an archive for each student, FOLDER/truth.json what was planted: for each
of the 12 mistakes its function, the checks that fail by it and the students who made it, and beside that the
rare mistakes and who cannot be graded. The same size and seed make the same class.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.bank.hw2 import STYLES
from tests.bank.style import Style
from tests.faults.hw2 import FAULTS
from tests.faults.model import Fault
from tests.support import build

PLANTED = (
    "batchnorm-leak",
    "logsumexp-unstable",
    "adam-no-correction",
    "dropout-no-scale",
    "broadcast-node-per-axis",
    "dataset-int-only",
    "sgd-decoupled",
    "batchnorm-unbiased",
    "epoch-accuracy",
    "logsumexp-detached",
    "linear-bias-plain",
    "loader-one-order",
)
FIRST, STEP = 0.09, 0.005  # the first mistake is made by 9 % of the class, each other by 0.5 % less
TWICE = 0.1  # so many of those with a mistake have a second one
RARE = 0.06  # so many have a mistake of their own
MOST_OF_A_KIND = 0.01
UNREADABLE = 0.003
SMALLEST = 30
STRANGE = ("<script>alert(1)<script>", "=HYPERLINK(1)", "Zoë 张伟", "Robert'); DROP TABLE gradings;--")
BY_ID = {fault.id: fault for fault in FAULTS}


@dataclass
class Student:
    """A student: the style they write in, the mistakes they make."""

    name: str
    style: Style
    faults: list[Fault] = field(default_factory=list)


def main() -> None:
    """Make the class."""
    words = argparse.ArgumentParser(description="Makes a class of hw2.")
    words.add_argument("folder", type=Path)
    words.add_argument("--size", type=int, default=1000)
    words.add_argument("--seed", type=int, default=0)
    options = words.parse_args()
    if options.size < SMALLEST:
        words.error(f"a class has at least {SMALLEST} submissions")
    truth = make(options.folder, options.size, options.seed)
    print(f"{options.folder}: {options.size} submissions, {len(truth['planted'])} mistakes planted")


def make(folder: Path, size: int, seed: int = 0) -> dict:
    """Write the class and return what is planted in it."""
    rng = random.Random(seed)
    students = _students(size, rng)
    target = folder / "submissions"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    lost = [student.name for student in students[: max(1, round(UNREADABLE * size))]]
    for number, student in enumerate(students):
        if student.name in lost:
            (target / f"{student.name}.zip").write_bytes(b"PK\x03\x04 a broken archive")
        else:
            _write(target / student.name, student, ("folder", "zip", "gztar")[number % 3])
    truth = {
        "size": size,
        "planted": [_about(fault, students, lost) for fault in map(BY_ID.get, PLANTED) if fault],
        "rare": {one.name: [f.id for f in one.faults] for one in students if _is_rare(one)},
        "unreadable": lost,
    }
    (folder / "truth.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False), encoding="utf-8")
    return truth


def _students(size: int, rng: random.Random) -> list[Student]:
    names = [*STRANGE, *(f"student{number:04}" for number in range(size))][:size]
    names = names[len(STRANGE) :] + names[: len(STRANGE)]  # the unreadable ones are ordinary
    students = [Student(name, rng.choice(STYLES)) for name in names]
    free = iter(students[max(1, round(UNREADABLE * size)) :])
    planted = list(_planted(size, rng))
    for group in planted:
        student = next(free)
        student.faults = [BY_ID[one] for one in group]
    rare = list(_rare(size))
    for fault in rare:
        next(free).faults = [fault]
    for student in students:
        if student.faults and student.style.layout != "2023":
            student.style = rng.choice([style for style in STYLES if style.layout == "2023"])
    return students


def _planted(size: int, rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield the mistakes of each student who makes one of the 12, some of them two, in other classes."""
    tokens = [one for at, one in enumerate(PLANTED) for _ in range(max(1, round(size * (FIRST - STEP * at))))]
    rng.shuffle(tokens)
    doubles = round(TWICE * len(tokens))
    while tokens:
        first = tokens.pop()
        other = next((one for one in tokens if _class(one) != _class(first)), None) if doubles > 0 else None
        doubles -= 1
        if other is None:
            yield (first,)
        else:
            tokens.remove(other)
            yield (first, other)


def _class(fault: str) -> str:
    return next(iter(BY_ID[fault].solutions)).partition(".")[0]


def _rare(size: int) -> Iterator[Fault]:
    """Yield the mistakes that few make, of functions in which none of the 12 is."""
    taken = {name for one in PLANTED for name in BY_ID[one].solutions}
    others = [
        fault
        for fault in FAULTS
        if fault.expect.points_lost and fault.solutions and not taken & set(fault.solutions)
    ]
    most = max(1, round(MOST_OF_A_KIND * size))
    for at in range(min(round(RARE * size), most * len(others))):
        yield others[at % len(others)]


def _is_rare(student: Student) -> bool:
    return bool(student.faults) and not {fault.id for fault in student.faults} & set(PLANTED)


def _write(folder: Path, student: Student, form: str) -> None:
    """Write a submission: the style's functions, but for the classes that a mistake is in."""
    at_fault = {name.partition(".")[0] for fault in student.faults for name in fault.solutions}
    kept = {
        name: text
        for name, text in student.style.solutions("hw2").items()
        if name.partition(".")[0] not in at_fault
    }
    mistakes = {name: text for fault in student.faults for name, text in fault.solutions.items()}
    more = {**student.style.files, "NAME.txt": f"{student.name}\n"}
    build(folder, "hw2", student.style.layout, {**kept, **mistakes}, more, student.style.transforms)
    if form != "folder":
        shutil.make_archive(str(folder), form, folder)
        shutil.rmtree(folder)


def _about(fault: Fault, students: list[Student], lost: list[str]) -> dict:
    who = sorted(one.name for one in students if fault in one.faults and one.name not in lost)
    return {
        "id": fault.id,
        "functions": sorted(fault.solutions),
        "checks": list(fault.expect.failed),
        "count": len(who),
        "students": who,
    }


if __name__ == "__main__":
    main()
