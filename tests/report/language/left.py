"""What of a Chinese text is still English, and is no name, code, path or number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.report.language import catalogue
from grader.report.model import CheckResult, Report

QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
# What Python or the compiler says of an error is theirs, and stays.
SAID = re.compile(r"(引发了|无法导入：|无法编译：).*")
WORD = re.compile(r"(?<![\w./*=\[\\-])[A-Za-z]?[a-z]+(?![\w./*=(\[\\-])")
CODE = re.compile(r"\w+\([^()]*\)|[\[(][-\d\s.,'\w()\[\]=]*[\])]")
VARIABLE = re.compile(r"(?<=中的 )\w+")  # a name of the submission's
# Names of arguments and dtypes: labels of an input, and the values that a probe was given.
NAMES_TEXT = """
a b x y p img u m v t e g np lr eps dim norm model opt batch shuffle hidden weight bias gain mean var train eval
epoch object axes axis exp log relu softmax logits init float nan inf ndarray list tuple dict int str bool
"""
NAMES = frozenset(NAMES_TEXT.split())


def words_of_the_catalogue() -> frozenset[str]:
    """Latin words that stand in translations on purpose."""
    said = catalogue.read(catalogue.file().read_text(encoding="utf-8")).values()
    return frozenset(word for one in said for word in re.findall(r"[A-Za-z]+", catalogue.FIELD.sub("", one)))


KNOWN = words_of_the_catalogue()


def english(text: str) -> list[str]:
    """The English words of a text."""
    for pattern in (SAID, QUOTED, CODE, VARIABLE):
        text = pattern.sub("", text)
    found = [one for one in WORD.findall(text) if one not in KNOWN and one not in NAMES]
    return [one for one in found if one.islower()]


def texts(report: Report) -> Iterator[str]:
    """All that a person reads in a report, but output and code."""
    yield from (str(note["message"]) for note in report.notes)
    for question in report.questions:
        yield question.title
        for check in question.checks:
            yield from _of(check)


def _of(check: CheckResult) -> Iterator[str]:
    yield from (check.title, check.message, check.help)
    for label, value in (check.counterexample or {}).items():
        yield label
        if isinstance(value, str):
            yield value
    yield from (value for value in (check.expected, check.actual) if isinstance(value, str))
