"""Reports read back from where they were kept: every rendering can be made of them again."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.report import model
from grader.report.model import Cause, CheckResult, QuestionResult, Report

NEEDED = {"homework", "submission", "starter", "seed", "score", "max_score", "questions"}


def read(path: Path) -> Report:
    """Return the report in a file that `--json` wrote.

    Raises `UsageError` when the file cannot be read or holds something else.
    """
    try:
        return load(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a report of this grader ({error}); --json FILE writes one") from None


def load(data: Any) -> Report:
    """Return the report that `Report.as_dict` made `data` of; fields of later versions are left out.

    Raises `ValueError` when `data` is no report, or of a schema that this version does not know.
    """
    if not isinstance(data, dict) or not data.keys() >= NEEDED:
        raise ValueError("its fields are missing")
    if data.get("schema") != model.SCHEMA:
        raise ValueError(f"schema {data.get('schema')!r}, this version reads {model.SCHEMA}")
    report = _made(Report, data)
    report.causes = _each(report.causes, lambda one: _made(Cause, one))
    report.questions = _each(report.questions, _question)
    return report


def _question(data: Any) -> QuestionResult:
    question = _made(QuestionResult, data)
    question.checks = _each(question.checks, lambda one: _made(CheckResult, one))
    return question


def _each(items: Iterable[Any], make: Callable[[Any], Any]) -> list[Any]:
    if not isinstance(items, list):
        raise ValueError("a list is missing")
    return [make(one) for one in items]


@functools.cache
def _names(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


def _made(kind: type, data: Any) -> Any:
    if not isinstance(data, dict):
        raise ValueError(f"no {kind.__name__} where one belongs")
    known = _names(kind)
    try:
        return kind(**{name: value for name, value in data.items() if name in known})
    except TypeError as error:
        raise ValueError(str(error).partition("() ")[2] or str(error)) from None
