"""What a report has to tell: the causes first, then the failures that none of them explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.report import model
from grader.report.language import Speaker
from grader.report.model import Cause, CheckResult, Report
from grader.report.wording import last_lines, place, text

VERBATIM = ("printed", "at")  # what these labels hold is never translated
NEAR = 1000.0  # tolerances: farther off, the number of them says nothing


@dataclass(frozen=True)
class Finding:
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
        causes_own = {"file": cause.file, "line": cause.line, "excerpt": cause.excerpt}
        return shown if own else causes_own

    @property
    def also(self) -> list[CheckResult]:
        """Return the other checks that it takes down and that carry points, as the questions count them."""
        return [check for check in self.through if check.counts]

    @property
    def lost(self) -> float:
        """Return the points that it costs."""
        return sum(check.max_points - check.points for check in [self.check, *self.through])

    def evidence(self) -> list[tuple[str, str]]:
        """Return label and text of all that follows the sentence, in the order in which it is read."""
        check = self.check
        error = check.measurements.get("error_in_tolerances")
        near = isinstance(error, (int, float)) and error < NEAR
        off = f"{error:.3g} times the tolerance" if near else ""
        rows = [
            ("hint", check.help),
            *((label, text(value)) for label, value in (check.counterexample or {}).items()),
            ("yours", "" if check.actual is None else text(check.actual)),
            ("expected", "" if check.expected is None else text(check.expected)),
            ("off by", off),
            ("at", place(self.place)),
            ("printed", last_lines(check.output)),
            ("through it", through(self.also)),
        ]
        return [(label, said) for label, said in rows if said]

    def evidence_in(self, say: Speaker) -> list[tuple[str, str]]:
        """Return the evidence in a language; what the submission printed stays as it is."""
        rows = self.evidence()
        return [(say.text(label), said if label in VERBATIM else say.text(said)) for label, said in rows]


def told(report: Report) -> list[Finding]:
    """Return the causes in their order, each with all it explains, then the failures without one."""
    by_id = {check.id: check for check in report.checks()}
    failures = [check for check in report.checks() if check.counts and not check.passed]
    found: list[Finding] = []
    seen: set[str] = set()
    for cause in report.causes:
        explained = [by_id[one] for one in cause.explains if one in by_id and one not in seen]
        if any(check.counts for check in explained):
            best = min(explained, key=lambda check: _distance(check, cause.functions))
            rest = [check for check in explained if check is not best]
            found.append(Finding(" and ".join(cause.functions), best, rest, cause))
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


def through(checks: list[CheckResult]) -> str:
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
