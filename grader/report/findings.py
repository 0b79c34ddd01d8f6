"""What a report has to tell: the causes first, then the failures that none of them explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grader.report import model
from grader.report.language import Speaker
from grader.report.model import Cause, CheckResult, Report
from grader.report.wording import is_head, last_lines, spot, text

ENGLISH = Speaker()
VERBATIM = ("printed", "at", "in", "through it", "not run")  # what these labels hold is never translated
NEAR = 1000.0  # tolerances: farther off, the number of them says nothing
MOST_NAMES = 6
# what costs nothing in the homework that asks for it first either
ALWAYS_ADVICE = ("graph", "axes", "forward_axes")


@dataclass(frozen=True)
class Finding:
    """What is told as one thing: the check that shows it best, and what else fails through it.

    `also` is what of that the table of questions counts.
    """

    name: str
    check: CheckResult
    through: list[CheckResult]
    cause: Cause | None = None
    also: list[CheckResult] = field(default_factory=list)

    @property
    def place(self) -> dict[str, Any] | None:
        """Return the line that the failure shows, the cause's if the failure shows another function's."""
        shown, cause = self.check.location, self.cause
        if cause is None or not cause.file:
            return shown
        function = str((shown or {}).get("function"))
        own = any(function == name or function.startswith(f"{name}.") for name in cause.functions)
        if own:
            return shown
        name = cause.functions[0] if cause.functions else ""
        return {"file": cause.file, "line": cause.line, "function": name, "excerpt": cause.excerpt}

    @property
    def lost(self) -> float:
        """Return the points that it costs."""
        return sum(check.max_points - check.points for check in [self.check, *self.through])

    def evidence(self, say: Speaker = ENGLISH) -> list[tuple[str, str]]:
        """Return label and text of all that follows the sentence, in the order in which it is read.

        `say` only words what is never translated later.
        """
        check = self.check
        error = check.measurements.get("error_in_tolerances")
        near = isinstance(error, (int, float)) and error < NEAR
        off = f"{error:.3g} times the tolerance" if near else ""
        rows = [
            ("hint", check.help),
            *((label, text(value)) for label, value in (check.counterexample or {}).items()),
            ("seen", check.symptom),
            ("yours", "" if check.actual is None else text(check.actual)),
            ("expected", "" if check.expected is None else text(check.expected)),
            ("off by", "" if check.symptom else off),
            ("in" if self.place and is_head(self.place) else "at", spot(self.place, say)),
            ("tried", self._tried(say)),
            ("printed", last_lines(check.output)),
            ("through it", _named([one for one in self.also if one.verdict != model.BLOCKED], say)),
            ("not run", _waiting([one for one in self.also if one.verdict == model.BLOCKED], say)),
        ]
        return [(label, said) for label, said in rows if said]

    def _tried(self, say: Speaker) -> str:
        line = self.check.measurements.get("line_that_helps")
        return say("one small change in line {line} makes this pass", line=line) if line else ""

    def evidence_in(self, say: Speaker) -> list[tuple[str, str]]:
        """Return the evidence in a language; what the submission printed stays as it is."""
        rows = self.evidence(say)
        return [(say.text(label), said if label in VERBATIM else say.text(said)) for label, said in rows]


def told(report: Report) -> list[Finding]:
    """Return the causes in their order, each with all it explains, then the failures without one."""
    by_id = {check.id: check for check in report.checks()}
    alone = {check.id for check in _without_points(report)}
    failures = [check for check in report.checks() if check.counts and not check.passed]
    if not any(check.counts for check in report.checks()):  # only advice was asked for: it is what is told
        quiet = (model.PASSED, model.NOT_RUN)
        failures = [check for check in report.checks() if check.verdict not in quiet]
    telling = {check.id for check in failures}
    found: list[Finding] = []
    seen: set[str] = set()
    for cause in report.causes:
        explained = [by_id[one] for one in cause.explains if one in by_id and one not in seen]
        if any(check.id in telling for check in explained):
            best = min(explained, key=lambda check: _distance(check, cause.functions))
            rest = [check for check in explained if check is not best]
            also = [check for check in rest if check.counts or check.id in alone]
            found.append(Finding(" and ".join(cause.functions), best, rest, cause, also))
            seen |= {check.id for check in explained}
    for check in failures:
        if check.id not in seen and not check.unfilled and check.verdict != model.BLOCKED:
            found.append(Finding(check.blame[0] if check.blame else check.id, check, []))
    return found


def advice(report: Report) -> list[CheckResult]:
    """Return the advice worth giving: what no cause explains, and what does not wait for something else."""
    explained = {check for cause in report.causes for check in cause.explains}
    quiet = (model.PASSED, model.BLOCKED, model.NOT_RUN)
    return [
        check
        for check in report.checks()
        if check.advice and check.verdict not in quiet and not check.unfilled and check.id not in explained
    ]


def is_mere_advice(check: CheckResult) -> bool:
    """Tell whether a check without points is no sign of a fault."""
    return check.advice and check.kind in ALWAYS_ADVICE


def _distance(check: CheckResult, functions: list[str]) -> tuple[int, int, int]:
    """Order the checks of a cause by how directly they show it."""
    subject = check.id.split(".")[1]
    direct = any(name.partition(".")[0] == subject for name in functions)
    return (check.verdict == model.BLOCKED, not direct, not check.known_mistake)


def first_reason(report: Report, check: CheckResult) -> str:
    """Return the message of the last check in a chain of blocked ones."""
    by_id = {one.id: one for one in report.checks()}
    while check.blocked_by in by_id and by_id[check.blocked_by].verdict == model.BLOCKED:
        check = by_id[check.blocked_by]
    return check.message


def _without_points(report: Report) -> Iterator[CheckResult]:
    """Yield the checks of questions that carry no points: the table counts these too."""
    for question in report.questions:
        if not any(check.counts for check in question.checks):
            yield from question.checks


def _waiting(checks: list[CheckResult], say: Speaker) -> str:
    """Return the names of checks that could not run, and that they earn nothing until they do."""
    names = _named(checks, say)
    costs = any(check.max_points > check.points for check in checks)
    return say("{names} (no points until then)", names=names) if costs else names


def _named(checks: list[CheckResult], say: Speaker) -> str:
    """Return the names of checks, of many the first and how many there are besides."""
    names = [check.id for check in checks]
    if len(names) <= MOST_NAMES + 1:
        return ", ".join(names)
    shown = ", ".join(names[:MOST_NAMES])
    return say("{names} and {count} more", names=shown, count=len(names) - MOST_NAMES)
