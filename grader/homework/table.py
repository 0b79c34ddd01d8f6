"""The homeworks by name."""

from __future__ import annotations

import importlib

from grader.errors import UsageError
from grader.homework.check import Homework

NAMES = ("hw0", "hw1", "hw2")


def find(name: str) -> Homework:
    """Return the table of a homework; raises `UsageError` for an unknown name."""
    if name not in NAMES:
        raise UsageError(f"{name}: no such homework; there are {', '.join(NAMES)}")
    homework: Homework = importlib.import_module(f"grader.homework.{name}").HOMEWORK
    return homework
