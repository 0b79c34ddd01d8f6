"""One graded submission, reduced to what a comparison needs: a pure function of its report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from grader.classroom.compare.faults import Fault, find_faults
from grader.classroom.compare.work import Work, work_of
from grader.report import model
from grader.report.escape import terminal as clean
from grader.report.findings import Finding
from grader.report.model import CheckResult, Report

LONGEST = 1200  # characters of one text; the report holds all
LETTERS = {
    model.PASSED: "p",
    model.FAILED: "f",
    model.ERROR: "e",
    model.TIMEOUT: "t",
    model.CRASHED: "c",
    model.BLOCKED: "b",
    model.NOT_RUN: "n",
}
UNFILLED = "u"


@dataclass(frozen=True)
class Entry:
    """A report and whose it is; `content` is a hash of what was handed in, "" where it is not known."""

    student: str
    report: Report
    content: str = ""
    when: str = ""


@dataclass(frozen=True)
class Failure:
    """What a check that did not pass has to say: a sentence, and labelled texts below it."""

    message: str
    evidence: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CheckInfo:
    """A check, whatever came of it."""

    id: str
    question: str
    title: str
    max_points: float
    advice: bool


@dataclass(frozen=True)
class Row:
    """One submission: letters of the verdicts by check id, failures by check id, faults, what it cost.

    `conditions` are the grader's and the environment's versions, and the seed.
    """

    student: str
    submission: str
    homework: str
    score: float
    max_score: float
    complete: bool
    verdicts: dict[str, str]
    failures: dict[str, Failure]
    faults: tuple[Fault, ...]
    points: dict[str, float]
    work: Work
    conditions: dict[str, str] = field(default_factory=dict)
    content: str = ""
    when: str = ""


def row(entry: Entry) -> Row:
    """Return what a comparison needs of one report, its texts safe to show."""
    report = entry.report
    checks = list(report.checks())
    return Row(
        short(entry.student),
        short(report.submission),
        report.homework,
        report.score,
        report.max_score,
        report.complete,
        {check.id: letter(check) for check in checks},
        {check.id: _failure(check) for check in checks if not check.passed},
        find_faults(report),
        {question.id: question.points for question in report.questions},
        work_of(report),
        {**report.environment, "seed": str(report.seed)},
        entry.content,
        entry.when,
    )


def letter(check: CheckResult) -> str:
    """Return one letter for what came of a check."""
    return UNFILLED if check.unfilled else LETTERS.get(check.verdict, "e")


def short(text: str) -> str:
    """Return a text that came from a submission as it may be shown: no invisible characters, not too long."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + " … (shortened here; the report has all)"
    return sys.intern(text if text.isprintable() else clean(text, lines=True))


def _failure(check: CheckResult) -> Failure:
    evidence = Finding(check.id, check, []).evidence()
    return Failure(
        short(check.message or check.verdict),
        tuple((short(label), short(text)) for label, text in evidence),
    )


@dataclass
class Table:
    """All rows, and the checks and questions that any of them has, in the homework's order."""

    rows: list[Row] = field(default_factory=list)
    checks: dict[str, CheckInfo] = field(default_factory=dict)
    questions: dict[str, tuple[str, float]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Take one report in; nothing of it is kept but its row."""
        self.rows.append(row(entry))
        for question in entry.report.questions:
            self.questions.setdefault(question.id, (short(question.title), question.max_points))
            for check in question.checks:
                if check.id not in self.checks:
                    self.checks[check.id] = _info(check, question.id)

    def arrange(self) -> None:
        """Put the questions that carry no points, an earlier homework's, behind the others."""
        worth = {name: most > 0 for name, (_, most) in self.questions.items()}
        self.questions = dict(sorted(self.questions.items(), key=lambda item: not worth[item[0]]))
        order = {name: place for place, name in enumerate(self.questions)}
        self.checks = dict(sorted(self.checks.items(), key=lambda item: order[item[1].question]))


def table(entries: Iterable[Entry]) -> Table:
    """Return the rows of all entries, which are read one at a time."""
    made = Table()
    for entry in entries:
        made.add(entry)
    made.arrange()
    return made


def _info(check: CheckResult, question: str) -> CheckInfo:
    return CheckInfo(check.id, question, short(check.title or check.id), check.max_points, check.advice)


def not_passed(one: Row) -> Iterator[str]:
    """Yield the ids of the checks that a submission was asked and did not pass."""
    return (check for check, letter in one.verdicts.items() if letter not in "pn")
