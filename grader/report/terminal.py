"""The report as a person reads it on a terminal of 80 columns: a pure function of the report."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from grader.report import model
from grader.report.escape import terminal as clean
from grader.report.findings import Finding, first_reason, told
from grader.report.model import CheckResult, QuestionResult, Report
from grader.report.wording import place, points

WIDTH = 80
INDENT = "   "
LONGEST_LABEL = 24
CODES = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}


def render(report: Report, *, color: bool = False, command: str = "") -> str:
    """Return the whole page; `command` is the call to repeat for one check."""
    paint = _painter(color)
    failures = [check for check in report.checks() if check.counts and not check.passed]
    findings = told(report)
    lines = [*_head(report, paint), "", *_questions(report, paint)]
    for number, finding in enumerate(findings, 1):
        lines += ["", *_finding(number, finding, paint, command)]
    lines += _unfilled(report, failures, paint)
    lines += _blocked(report, failures, {check.id for finding in findings for check in finding.through})
    shown = {finding.check.id for finding in findings} | {c.id for f in findings for c in f.through}
    advice = [
        check for check in report.checks() if check.advice and not check.passed and _worth_saying(check)
    ]
    lines += _advice([check for check in advice if check.id not in shown], report.notes, paint)
    lines += ["", *_foot(report, len(findings), paint)]
    return "\n".join(lines) + "\n"


def progress(check: CheckResult) -> str:
    """Return one character for a finished check."""
    return {"passed": ".", "blocked": "-", "not-run": "-"}.get(check.verdict, "a" if check.advice else "x")


def _painter(color: bool) -> Any:
    def paint(text: str, name: str) -> str:
        return f"\x1b[{CODES[name]}m{text}\x1b[0m" if color and text else text

    return paint


def _head(report: Report, paint: Any) -> Iterator[str]:
    score = f"{points(report.score)} / {points(report.max_score)}"
    name = clean(report.submission)
    room = WIDTH - len(report.homework) - len(score) - 4
    name = name if len(name) <= room else "..." + name[-(room - 3) :]
    color = "green" if report.full_marks else "red"
    yield f"{paint(report.homework, 'bold')}  {name:<{room}}  {paint(score, color)}"
    environment = report.environment
    facts = [f"starter {report.starter}"] if report.starter else []
    facts += [
        f"python {environment.get('python')}",
        f"numpy {environment.get('numpy')}",
        f"seed {report.seed}",
    ]
    facts += [f"{report.seconds:.1f} s", f"sandbox: {report.confinement.get('level', 'none')}"]
    yield from (paint(line, "dim") for line in _wrapped(" · ".join(facts), indent=""))
    if report.score_without_follow_through is not None:
        yield f"with follow-through; {points(report.score_without_follow_through)} without it"


def _questions(report: Report, paint: Any) -> Iterator[str]:
    for question in report.questions:
        scored = [check for check in question.checks if check.counts]
        lost = [check for check in scored if not check.passed]
        unfilled = bool(lost) and all(report.waits_for_unfilled(check) for check in lost)
        if not scored:
            yield from _unscored(report, question, paint)
            continue
        mark = paint("ok", "green") if not lost else paint("--", "dim") if unfilled else paint("no", "red")
        score = f"{points(question.points):>5} / {points(question.max_points)}"
        tally = (
            "not filled in yet" if unfilled and len(lost) == len(scored) else _tally(question, scored, lost)
        )
        yield f"  {mark}  {question.title:<34}{score:<14}{tally}"


def _unscored(report: Report, question: QuestionResult, paint: Any) -> Iterator[str]:
    """Yield a line for a question that carries no points here, if something in it fails."""
    failed = [check for check in question.checks if not check.passed and check.verdict != model.NOT_RUN]
    if failed:
        unfilled = all(report.waits_for_unfilled(check) for check in failed)
        mark = paint("--", "dim") if unfilled else paint("!!", "yellow")
        tally = "not filled in yet" if unfilled else f"{len(failed)} of {len(question.checks)} checks fail"
        yield f"  {mark}  {question.title:<34}{'no points':>9}     {tally}"


def _tally(question: QuestionResult, scored: list[CheckResult], lost: list[CheckResult]) -> str:
    left = [check for check in question.checks if check.verdict == model.NOT_RUN]
    aside = f", {len(left)} not in your starter" if left else ""
    return f"{len(scored) - len(lost)} of {len(scored)} checks{aside}"


def _finding(number: int, finding: Finding, paint: Any, command: str) -> Iterator[str]:
    check = finding.check
    lost = f"-{points(finding.lost)}" if finding.lost else ""
    name = f"{number}  {_cut(clean(finding.name), WIDTH - 20)}"
    yield f"{paint(name, 'bold')}  {paint(lost, 'red')}".rstrip()
    yield from _wrapped(check.message)
    for label, value in finding.evidence():
        yield from _labelled(label, value)
    yield from _labelled("again", f"{command} --only {check.id}" if command else "")


def _unfilled(report: Report, failures: list[CheckResult], paint: Any) -> Iterator[str]:
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
            lines += _wrapped(
                f"{question.id}: not filled in yet: {', '.join(dict.fromkeys(names))}", indent=""
            )
        elif open_checks:
            heads = (check.blocked_by.partition(".")[0] for check in open_checks if check.blocked_by)
            first = set(heads) - {question.id}
            lines += _wrapped(f"{question.id}: waits for {', '.join(sorted(first))}", indent="")
    if lines:
        yield ""
        yield from lines


def _blocked(report: Report, failures: list[CheckResult], told: set[str]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for check in failures:
        if check.verdict == model.BLOCKED and check.id not in told and not report.waits_for_unfilled(check):
            reasons.setdefault(first_reason(report, check), []).append(check.id)
    if reasons:
        yield ""
    for reason, ids in reasons.items():
        yield from _wrapped(f"{reason} ({len(ids)} {'check' if len(ids) == 1 else 'checks'})", indent="")


def _worth_saying(check: CheckResult) -> bool:
    return check.verdict not in (model.BLOCKED, model.NOT_RUN) and not check.unfilled


def _advice(advice: list[CheckResult], notes: list[dict[str, Any]], paint: Any) -> Iterator[str]:
    sentences = [f"{note['message']}" for note in notes]
    sentences += [_sentence(check) for check in advice]
    if sentences:
        yield ""
        yield paint("Advice (costs no points)", "yellow")
    for sentence in dict.fromkeys(sentences):
        yield from _wrapped(sentence, indent=" - ", later="   ")


def _sentence(check: CheckResult) -> str:
    where = place(check.location)
    return check.message + (f" ({where})" if where and where not in check.message else "")


def _foot(report: Report, findings: int, paint: Any) -> Iterator[str]:
    if not report.complete:
        yield paint("stopped before the end: this is what was known so far, not a grade", "red")
    elif report.full_marks:
        count = sum(check.passed for check in report.checks())
        yield paint(f"All {count} checks passed. Full marks.", "green")
    elif findings:
        yield f"{findings} to mend; start with the first."


def _wrapped(text: str, *, indent: str = INDENT, later: str | None = None) -> list[str]:
    return textwrap.wrap(
        clean(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if later is None else later,
        break_long_words=True,
        break_on_hyphens=False,
    )


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 3] + "..."


def _labelled(label: str, text: str) -> Iterable[str]:
    if not text:
        return []
    head = f"{INDENT}{_cut(clean(label), LONGEST_LABEL):<10} "
    lines = textwrap.wrap(
        clean(text), WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    )
    return lines or [head]
