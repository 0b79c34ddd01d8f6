"""The report as a person reads it on a terminal of 80 columns: a pure function of the report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from grader.report import language, model, wrap
from grader.report.escape import terminal as clean
from grader.report.findings import Finding, first_reason, is_mere_advice, told
from grader.report.model import CheckResult, QuestionResult, Report
from grader.report.sums import sums
from grader.report.wording import NARROWEST, column, points, spot

WIDTH = 80
INDENT = "   "
CODES = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}


@dataclass(frozen=True)
class _Pen:
    """How the page is written: in colour or not, and in which language."""

    color: bool
    say: language.Speaker

    def paint(self, text: str, name: str) -> str:
        """Return the text in a colour."""
        return f"\x1b[{CODES[name]}m{text}\x1b[0m" if self.color and text else text

    def wrapped(self, text: str, *, indent: str = INDENT, later: str | None = None) -> list[str]:
        """Return a sentence of the report in lines."""
        text = clean(self.say.text(text))
        return wrap.lines(text, WIDTH, first=indent, later=indent if later is None else later)

    def labelled(self, label: str, text: str, wide: int = NARROWEST) -> Iterable[str]:
        """Return lines with a label before the first in a column of its own, none for an empty text."""
        if not text:
            return []
        head = f"{INDENT}{wrap.pad(wrap.cut(clean(label), wide), wide)} "
        return wrap.lines(clean(text), WIDTH, first=head, later=" " * wrap.width(head)) or [head]

    def whole(self, label: str, text: str, wide: int) -> Iterable[str]:
        """Return a labelled text in one line, to be copied; it is below its label where it does not fit."""
        head = f"{INDENT}{wrap.pad(wrap.cut(clean(label), wide), wide)} "
        text = clean(text)
        if not text:
            return []
        return [head + text] if wrap.width(head + text) <= WIDTH else [head.rstrip(), f"{INDENT}  {text}"]


def render(report: Report, *, color: bool = False, command: str = "", lang: str = language.ENGLISH) -> str:
    """Return the whole page; `command` is the call to repeat for one check."""
    pen = _Pen(color, language.speaker(lang))
    failures = [check for check in report.checks() if check.counts and not check.passed]
    findings = told(report)
    shown = {finding.check.id for finding in findings} | {c.id for f in findings for c in f.through}
    lines = [*_head(report, pen), "", *_questions(report, shown, pen)]
    for number, (finding, lost) in enumerate(zip(findings, sums(report).lost, strict=True), 1):
        lines += ["", *_finding(number, finding, lost, pen, command)]
    lines += _unfilled(report, failures, pen)
    lines += _blocked(report, failures, {check.id for finding in findings for check in finding.through}, pen)
    advice = [
        check for check in report.checks() if check.advice and not check.passed and _worth_saying(check)
    ]
    reasons = {first_reason(report, check) for check in failures if check.verdict == model.BLOCKED}
    notes = [note for note in report.notes if note["message"] not in reasons]
    lines += _advice([check for check in advice if check.id not in shown], notes, pen)
    lines += ["", *_foot(report, len(findings), pen)]
    return "\n".join(lines) + "\n"


def progress(check: CheckResult) -> str:
    """Return one character for a finished check."""
    return {"passed": ".", "blocked": "-", "not-run": "-"}.get(check.verdict, "a" if check.advice else "x")


def _head(report: Report, pen: _Pen) -> Iterator[str]:
    shown = sums(report)
    score = f"{shown.score} / {shown.max_score}"
    name = clean(report.submission)
    room = WIDTH - len(report.homework) - len(score) - 4
    name = wrap.pad(wrap.cut_left(name, room), room)
    color = "green" if report.full_marks else "red"
    yield f"{pen.paint(report.homework, 'bold')}  {name}  {pen.paint(score, color)}"
    yield from (pen.paint(line, "dim") for line in pen.wrapped(_facts(report, pen), indent=""))
    if report.score_without_follow_through is not None:
        without = points(report.score_without_follow_through)
        yield pen.say("with follow-through; {score} without it", score=without)


def _facts(report: Report, pen: _Pen) -> str:
    environment, level = report.environment, str(report.confinement.get("level", "none"))
    facts = [pen.say("starter {year}", year=report.starter)] if report.starter else []
    facts += [
        f"python {environment.get('python')}",
        f"numpy {environment.get('numpy')}",
        pen.say("seed {seed}", seed=pen.say.text(str(report.seed))),
        pen.say("{seconds} s", seconds=f"{report.seconds:.1f}"),
        pen.say("sandbox: {level}", level=pen.say.text(level)),
    ]
    return " · ".join(facts)


def _questions(report: Report, shown: Collection[str], pen: _Pen) -> Iterator[str]:
    for question, (got, most) in zip(report.questions, sums(report).questions, strict=True):
        scored = [check for check in question.checks if check.counts]
        lost = [check for check in scored if not check.passed]
        unfilled = bool(lost) and all(report.waits_for_unfilled(check) for check in lost)
        if not scored:
            yield from _unscored(report, question, shown, pen)
            continue
        mark = (
            pen.paint("ok", "green")
            if not lost
            else pen.paint("--", "dim")
            if unfilled
            else pen.paint("no", "red")
        )
        score = f"{got:>5} / {most}"
        empty = unfilled and len(lost) == len(scored)
        tally = pen.say("not filled in yet") if empty else _tally(question, scored, lost, pen)
        yield f"  {mark}  {_title(question, pen)}{score:<14}{tally}"


def _title(question: QuestionResult, pen: _Pen) -> str:
    return wrap.pad(pen.say.text(question.title), 34)


def _unscored(report: Report, question: QuestionResult, shown: Collection[str], pen: _Pen) -> Iterator[str]:
    """Yield a line for a question that carries no points here, if something in it fails.

    `shown` are the checks that the numbered findings tell of.
    """
    failed = [check for check in question.checks if not check.passed and check.verdict != model.NOT_RUN]
    if failed:
        waiting = sum(report.waits_for_unfilled(check) for check in failed)
        unfilled = waiting == len(failed)
        mere = all(is_mere_advice(check) and check.id not in shown for check in failed)
        mark = pen.paint("--", "dim") if unfilled else " *" if mere else pen.paint("!!", "yellow")
        tally = (
            pen.say("not filled in yet")
            if unfilled
            else pen.say("advice below")
            if mere
            else _failing(question, len(failed), waiting, pen)
        )
        none = pen.say("no points")
        yield f"  {mark}  {_title(question, pen)}{' ' * (9 - wrap.width(none))}{none}     {tally}"


def _failing(question: QuestionResult, failed: int, waiting: int, pen: _Pen) -> str:
    """Return how many checks fail, apart from those that wait for what is still to be written."""
    blocked = sum(check.verdict == model.BLOCKED for check in question.checks) - waiting
    if waiting:
        return pen.say("{failed} fail, {waiting} not filled in", failed=failed - waiting, waiting=waiting)
    if blocked > 0:
        return pen.say("{failed} wrong, {blocked} not run", failed=failed - blocked, blocked=blocked)
    return pen.say("{failed} of {all} checks fail", failed=failed, all=len(question.checks))


def _tally(question: QuestionResult, scored: list[CheckResult], lost: list[CheckResult], pen: _Pen) -> str:
    left = sum(check.verdict == model.NOT_RUN for check in question.checks)
    aside = pen.say(", {left} not in your starter", left=left) if left else ""
    passed = len(scored) - len(lost)
    return pen.say("{passed} of {all} checks{aside}", passed=passed, all=len(scored), aside=aside)


def _finding(number: int, finding: Finding, lost: str, pen: _Pen, command: str) -> Iterator[str]:
    check = finding.check
    lost = f"-{lost}" if lost else ""
    name = f"{number}  {wrap.cut(clean(pen.say.text(finding.name)), WIDTH - 20)}"
    yield f"{pen.paint(name, 'bold')}  {pen.paint(lost, 'red')}".rstrip()
    yield from pen.wrapped(check.message)
    rows = finding.evidence_in(pen.say)
    again = (pen.say("again"), f"{command} --only {check.id}" if command else "")
    wide = column(clean(label) for label, _ in [*rows, again])
    for label, value in rows:
        yield from pen.labelled(label, value, wide)
    yield from pen.whole(*again, wide)


def _unfilled(report: Report, failures: list[CheckResult], pen: _Pen) -> Iterator[str]:
    """Yield one calm sentence per question about what is still to be written."""
    lines = []
    for question in report.questions:
        open_checks = [
            check for check in failures if check in question.checks and report.waits_for_unfilled(check)
        ]
        names = [
            check.message.removesuffix(" is not filled in yet") for check in open_checks if check.unfilled
        ]
        if names:
            listed = ", ".join(dict.fromkeys(names))
            said = pen.say("{question}: not filled in yet: {names}", question=question.id, names=listed)
            lines += pen.wrapped(said, indent="")
        elif open_checks:
            heads = (check.blocked_by.partition(".")[0] for check in open_checks if check.blocked_by)
            first = set(heads) - {question.id}
            listed = ", ".join(sorted(first))
            said = pen.say("{question}: waits for {questions}", question=question.id, questions=listed)
            lines += pen.wrapped(said, indent="")
    if lines:
        yield ""
        yield from lines


def _blocked(report: Report, failures: list[CheckResult], told: set[str], pen: _Pen) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for check in failures:
        if check.verdict == model.BLOCKED and check.id not in told and not report.waits_for_unfilled(check):
            reasons.setdefault(first_reason(report, check), []).append(check.id)
    if reasons:
        yield ""
    for reason, ids in reasons.items():
        few = pen.say("1 check") if len(ids) == 1 else pen.say("{count} checks", count=len(ids))
        said = pen.say("{reason} ({checks})", reason=pen.say.text(reason), checks=few)
        yield from pen.wrapped(said, indent="")


def _worth_saying(check: CheckResult) -> bool:
    return check.verdict not in (model.BLOCKED, model.NOT_RUN) and not check.unfilled


def _advice(advice: list[CheckResult], notes: list[dict[str, Any]], pen: _Pen) -> Iterator[str]:
    sentences = [f"{note['message']}" for note in notes]
    sentences += [_sentence(check, pen) for check in advice]
    if sentences:
        yield ""
        yield pen.paint(pen.say("Advice (costs no points)"), "yellow")
    for sentence in dict.fromkeys(sentences):
        yield from pen.wrapped(sentence, indent=" - ", later="   ")


def _sentence(check: CheckResult, pen: _Pen) -> str:
    where = spot(check.location, pen.say, named=False)
    return pen.say.text(check.message) + (f" ({where})" if where and where not in check.message else "")


def _foot(report: Report, findings: int, pen: _Pen) -> Iterator[str]:
    if not report.complete:
        yield pen.paint(pen.say("stopped before the end: this is what was known so far, not a grade"), "red")
    elif report.full_marks and not findings:
        count = report.scored_passed
        yield pen.paint(pen.say("All {count} checks passed. Full marks.", count=count), "green")
    elif findings:
        yield pen.say("{count} to mend; start with the first.", count=findings)
