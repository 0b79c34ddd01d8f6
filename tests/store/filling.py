"""Gradings to put into stores, and a program that does so until it is ended."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import Any

from grader.classroom import store
from grader.classroom.store import Run, Writer
from grader.classroom.store.writing import Graded
from grader.report.model import CheckResult, QuestionResult, Report

ENVIRONMENT = {"grader": "0.1.0", "python": "3.11.0", "numpy": "2.0.0"}


def report(score: float = 7.0) -> dict[str, Any]:
    """A small report, and one bulky text in it that no compression makes small."""
    bulk = random.Random(score).randbytes(3000).hex()
    check = CheckResult("a.B.c", "forward", "failed", 0.0, 1.0, message="wrong", output=bulk)
    advice = CheckResult("a.B.d", "hygiene", "failed", 0.0, 0.0, advice=True)
    question = QuestionResult("a", "A", score, 10.0, [check, advice])
    return Report(
        "hw1", "x", "2024", 0, ENVIRONMENT, score=score, max_score=10.0, questions=[question]
    ).as_dict()


def graded(student: str, score: float = 7.0, key: str = "key", content: str = "hash") -> Graded:
    """What is stored of one submission."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("top/python/needle/a.py", student)
        archive.writestr(".gitignore", "init")
    return Graded(
        student, {"id": "1"}, key, content, "top/", data.getvalue(), f"{student}.zip", report(score)
    )


def begin(db: Writer) -> Run:
    """A run."""
    return db.start("hw1", "0", ENVIRONMENT, {"blame": True}, False)


def fill(path: Path, count: int = 10**6) -> int:
    """Grade until the disk is full; return how many were stored. Each is announced when it is."""
    with store.create(path) as db:
        run = begin(db)
        for number in range(count):
            db.add(run, graded(f"s{number}", number, f"key{number}", f"hash{number}"))
            print(number, flush=True)
    return count
