"""The report as a person reads it on a terminal of 80 columns: a pure function of the report."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from grader.report import model
from grader.report.escape import terminal as clean
from grader.report.model import Cause, CheckResult, QuestionResult, Report

WIDTH = 80
INDENT = "   "
LONGEST_LABEL = 24
CODES = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}


def render(report: Report, *, color: bool = False, command: str = "") -> str:
    """Return the whole page; `command` is the call to repeat for one check."""
    paint = _painter(color)
    failures = [check for check in report.checks() if check.counts and not check.passed]
    findings = _findings(report, failures)
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


@dataclass(frozen=True)
class _Finding:
    """What is told as one thing: the check that shows it best, and what else fails through it."""

    name: str
    check: CheckResult
    through: list[CheckResult]
    cause: Cause | None = None

    @property
    def place(self) -> dict[str, Any] | None:
        """Return the line that the failure shows, the cause's if the failure shows another function's."""
        shown, cause = self.check.location, self.cause
        if cause is None or not cause.file:
            return shown
        function = str((shown or {}).get("function"))
        own = any(function == name or function.startswith(f"{name}.") for name in cause.functions)
        return shown if own else {"file": cause.file, "line": cause.line}

    @property
    def lost(self) -> float:
        return sum(check.max_points - check.points for check in [self.check, *self.through])


def _findings(report: Report, failures: list[CheckResult]) -> list[_Finding]:
    """Return the causes in their order, each with all it explains, then the failures without one."""
    by_id = {check.id: check for check in report.checks()}
    found: list[_Finding] = []
    told: set[str] = set()
    for cause in report.causes:
        explained = [by_id[one] for one in cause.explains if one in by_id and one not in told]
        if any(check.counts for check in explained):
            best = min(explained, key=lambda check: _distance(check, cause.functions))
            rest = [check for check in explained if check is not best]
            found.append(_Finding(" and ".join(cause.functions), best, rest, cause))
            told |= {check.id for check in explained}
    for check in failures:
        if check.id not in told and not check.unfilled and check.verdict != model.BLOCKED:
            found.append(_Finding(check.blame[0] if check.blame else check.id, check, []))
    return found


def _distance(check: CheckResult, functions: list[str]) -> tuple[int, int, int]:
    """Order the checks of a cause by how directly they show it."""
    subject = check.id.split(".")[1]
    direct = any(name.partition(".")[0] == subject for name in functions)
    return (check.verdict == model.BLOCKED, not direct, not check.known_mistake)


def progress(check: CheckResult) -> str:
    """Return one character for a finished check."""
    return {"passed": ".", "blocked": "-", "not-run": "-"}.get(check.verdict, "a" if check.advice else "x")


def _painter(color: bool) -> Any:
    def paint(text: str, name: str) -> str:
        return f"\x1b[{CODES[name]}m{text}\x1b[0m" if color and text else text

    return paint


def _head(report: Report, paint: Any) -> Iterator[str]:
    score = f"{_points(report.score)} / {_points(report.max_score)}"
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
        yield f"with follow-through; {_points(report.score_without_follow_through)} without it"


def _questions(report: Report, paint: Any) -> Iterator[str]:
    for question in report.questions:
        scored = [check for check in question.checks if check.counts]
        lost = [check for check in scored if not check.passed]
        unfilled = bool(lost) and all(report.waits_for_unfilled(check) for check in lost)
        if not scored:
            yield from _unscored(report, question, paint)
            continue
        mark = paint("ok", "green") if not lost else paint("--", "dim") if unfilled else paint("no", "red")
        points = f"{_points(question.points):>5} / {_points(question.max_points)}"
        tally = (
            "not filled in yet" if unfilled and len(lost) == len(scored) else _tally(question, scored, lost)
        )
        yield f"  {mark}  {question.title:<34}{points:<14}{tally}"


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


def _finding(number: int, finding: _Finding, paint: Any, command: str) -> Iterator[str]:
    check = finding.check
    lost = f"-{_points(finding.lost)}" if finding.lost else ""
    name = f"{number}  {_cut(clean(finding.name), WIDTH - 20)}"
    yield f"{paint(name, 'bold')}  {paint(lost, 'red')}".rstrip()
    yield from _wrapped(check.message)
    yield from _labelled("hint", check.help)
    for label, value in (check.counterexample or {}).items():
        yield from _labelled(label, _text(value))
    if check.actual is not None:
        yield from _labelled("yours", _text(check.actual))
    if check.expected is not None:
        yield from _labelled("expected", _text(check.expected))
    error = check.measurements.get("error_in_tolerances")
    if isinstance(error, (int, float)):
        yield from _labelled("off by", f"{error:.3g} times the tolerance")
    yield from _labelled("at", _place(finding.place))
    yield from _labelled("printed", _last_lines(check.output))
    yield from _labelled("through it", _through(finding.through))
    yield from _labelled("again", f"{command} --only {check.id}" if command else "")


def _through(checks: list[CheckResult]) -> str:
    """Return the other checks that a cause takes down, the blocked ones counted."""
    failed = [check.id for check in checks if check.verdict != model.BLOCKED]
    blocked = len(checks) - len(failed)
    parts = [
        words
        for words in (", ".join(failed[:4]), f"{len(failed) - 4} more" if len(failed) > 4 else "")
        if words
    ]
    parts += [f"{blocked} {'check' if blocked == 1 else 'checks'} could not run"] if blocked else []
    return "; ".join(parts)


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
            reasons.setdefault(_first_reason(report, check), []).append(check.id)
    if reasons:
        yield ""
    for reason, ids in reasons.items():
        yield from _wrapped(f"{reason} ({len(ids)} {'check' if len(ids) == 1 else 'checks'})", indent="")


def _first_reason(report: Report, check: CheckResult) -> str:
    """Return the message of the last check in a chain of blocked ones."""
    by_id = {one.id: one for one in report.checks()}
    while check.blocked_by in by_id and by_id[check.blocked_by].verdict == model.BLOCKED:
        check = by_id[check.blocked_by]
    return check.message


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
    place = _place(check.location)
    return check.message + (f" ({place})" if place and place not in check.message else "")


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


def _text(value: Any) -> str:
    if isinstance(value, dict) and "text" in value:
        return str(value["text"])
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _place(location: dict[str, Any] | None) -> str:
    return f"{location['file']}:{location['line']}" if location else ""


def _last_lines(output: str) -> str:
    return " / ".join(output.strip().splitlines()[-3:])[:200]


def _points(points: float) -> str:
    return f"{points:.1f}".removesuffix(".0")
