"""The faults of one submission, named so that the same fault of another has the same name.

Blame comes first: however many checks a function takes down, it is one fault. What the fault is, its
symptoms tell: the known mistakes that its own checks recognised, else their first message without numbers,
places and quoted text. Values and memory are told apart, since one function can be wrong in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.report import model
from grader.report.findings import Finding, first_reason, is_mere_advice, told
from grader.report.model import CheckResult, Report

GRAPH_KINDS = re.compile(r"graph|memory|cycles|counter|growth")
PLACE = re.compile(r"(?: at)? ?[^\s'\"()]+\.(?:py|cpp|cc|h):\d+|\([^()\s]+\.(?:py|cpp|cc|h), line \d+\)")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
NUMBER = re.compile(r"(?<![A-Za-z_])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)\b")
KNOWN, SAID = "known", "said"
NOT_IMPORTED = " does not import: "

Symptom = tuple[str, str]


@dataclass(frozen=True)
class Fault:
    """Functions at fault and its symptoms; `check` shows it best, `checks` are all that it takes down.

    `lost` is what it costs, `advice` is true of one that costs nothing by its kind.
    """

    functions: tuple[str, ...]
    symptoms: frozenset[Symptom]
    message: str
    help: str
    check: str
    checks: tuple[str, ...]
    lost: float
    example: tuple[tuple[str, str], ...] = ()
    known: str | None = None
    advice: bool = False
    raised: bool = False


def find_faults(report: Report) -> tuple[Fault, ...]:
    """Return the faults of a submission, each once; what is not written yet is none."""
    found = [_fault(finding) for finding in _grouped(told(report))]
    named = {check for fault in found for check in fault.checks}
    found += _not_imported(report)
    found += _advice(report, named)
    return tuple({(fault.functions, fault.symptoms): fault for fault in reversed(found)}.values())[::-1]


def unwritten(report: Report) -> tuple[str, ...]:
    """Return the functions that are not filled in yet."""
    messages = (check.message for check in report.checks() if check.unfilled)
    return tuple(dict.fromkeys(one.removesuffix(" is not filled in yet") for one in messages))


def _grouped(findings: Sequence[Finding]) -> list[Finding]:
    """Put failures without a cause together that are of one subject."""
    grouped: dict[str, Finding] = {}
    for finding in findings:
        name = finding.name if finding.cause else _subject(finding.check)
        if name in grouped:
            first = grouped[name]
            through = [*first.through, finding.check, *finding.through]
            grouped[name] = Finding(name, first.check, through, first.cause)
        else:
            grouped[name] = Finding(name, finding.check, finding.through, finding.cause)
    return list(grouped.values())


def _subject(check: CheckResult) -> str:
    """Return the function that a failure without a cause is charged to."""
    if check.blame:
        return " and ".join(check.blame)
    function = (check.location or {}).get("function")
    return str(function) if function else check.id.rpartition(".")[0]


def _fault(finding: Finding) -> Fault:
    functions = tuple(sorted(finding.cause.functions)) if finding.cause else (finding.name,)
    checks = [finding.check, *finding.through]
    open_checks = [check for check in checks if check.verdict != model.BLOCKED and not check.unfilled]
    direct = [check for check in open_checks if _is_direct(check, functions)] or open_checks or checks
    # work of an earlier homework has no points here, but its own checks say what is wrong
    scored = [check for check in direct if check.counts or _says_more(check)] or direct
    made = _made(functions, _best(scored, finding.check), _symptoms(scored), checks)
    return replace(made, message=_all_known(scored) or made.message)


def _says_more(check: CheckResult) -> bool:
    return check.known_mistake is not None and not is_mere_advice(check)


def _is_direct(check: CheckResult, functions: Iterable[str]) -> bool:
    parts = check.id.split(".")
    return any(name.partition(".")[0] in parts for name in functions)


def _best(checks: Sequence[CheckResult], shown: CheckResult) -> CheckResult:
    """Return the check that is shown: a recognised mistake first, then the one that the report shows."""
    return next((check for check in checks if check.known_mistake), shown if shown in checks else checks[0])


def _all_known(checks: Sequence[CheckResult]) -> str:
    """Return the sentences of several recognised mistakes that one function shows, "" for one or none."""
    said = {check.known_mistake: check.message for check in checks if check.known_mistake}
    return "; ".join(dict.fromkeys(said.values())) if len(said) > 1 else ""


def _symptoms(checks: Sequence[CheckResult]) -> frozenset[Symptom]:
    found: set[Symptom] = set()
    graph = [check for check in checks if GRAPH_KINDS.match(check.kind) or ".graph." in check.id]
    values = [check for check in checks if check not in graph]
    for aspect in (values, graph):
        known = {(KNOWN, check.known_mistake) for check in aspect if check.known_mistake}
        found |= known or {(SAID, normal(check.message)) for check in aspect[:1]}
    return frozenset(found)


def normal(message: str) -> str:
    """Return a message without what differs from one submission to the next."""
    return NUMBER.sub("#", QUOTED.sub("'…'", PLACE.sub("", message)))[:300]


def _made(
    functions: tuple[str, ...],
    best: CheckResult,
    symptoms: frozenset[Symptom],
    checks: Sequence[CheckResult],
    *,
    advice: bool = False,
) -> Fault:
    return Fault(
        functions,
        symptoms,
        best.message,
        best.help,
        best.id,
        tuple(check.id for check in checks),
        round(sum(check.max_points - check.points for check in checks if check.counts), 4),
        _example(best),
        best.known_mistake,
        advice,
        best.verdict in (model.ERROR, model.CRASHED) or NOT_IMPORTED in best.message,
    )


def _example(check: CheckResult) -> tuple[tuple[str, str], ...]:
    """Return the input and both results as text; only what the grader itself has written out.

    Counterexamples are generated by the grader; of the results, arrays come in its own notation, and text
    could be the submission's words.
    """
    arrays = [("yours", check.actual), ("expected", check.expected)]
    pairs = [*(check.counterexample or {}).items(), *arrays]
    shown = [(label, value) for label, value in pairs if label != "yours" or isinstance(value, dict)]
    return tuple((str(label), _text(value)) for label, value in shown if value is not None)


def _text(value: object) -> str:
    if isinstance(value, dict) and "text" in value:
        return str(value["text"])
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _not_imported(report: Report) -> list[Fault]:
    """Return a fault for what blocks checks and is no check: a file that does not import."""
    by_reason: dict[str, list[CheckResult]] = {}
    for check in report.checks():
        if check.verdict == model.BLOCKED and check.counts and check.blocked_by is None:
            by_reason.setdefault(first_reason(report, check), []).append(check)
    if not by_reason:
        return []
    reason, blocked = max(by_reason.items(), key=lambda item: len(item[1]))
    symptoms = frozenset({(SAID, normal(reason))})
    return [_made((), blocked[0], symptoms, [check for some in by_reason.values() for check in some])]


def _advice(report: Report, named: set[str]) -> list[Fault]:
    """Return what is said without a loss of points, by function."""
    found = []
    known = {check: cause for cause in report.causes for check in cause.explains}
    for check in report.checks():
        if not check.advice or check.passed or check.unfilled or check.id in named:
            continue
        if check.verdict in (model.BLOCKED, model.NOT_RUN):
            continue
        cause = known.get(check.id)
        functions = tuple(sorted(cause.functions)) if cause else (_subject(check),)
        found.append(_made(functions, check, _symptoms([check]), [check], advice=True))
    return found
