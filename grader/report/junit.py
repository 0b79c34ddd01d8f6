"""The report as JUnit XML, after the schema of Jenkins: one suite for a question, one case for a check."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from grader.report import model
from grader.report.escape import terminal as clean
from grader.report.findings import Finding
from grader.report.model import CheckResult, QuestionResult, Report

# what a verdict is called
ELEMENTS = {
    model.FAILED: "failure",
    model.ERROR: "error",
    model.TIMEOUT: "error",
    model.CRASHED: "error",
    model.BLOCKED: "error",
    model.NOT_RUN: "skipped",
}


def render(report: Report) -> str:
    """Return the XML. A run that did not finish has a case of its own, which is an error."""
    suites = [_suite(report, question) for question in report.questions]
    if not report.complete:
        suites.append(_unfinished(report))
    top = ET.Element("testsuites", name=clean(report.homework), time=_time(report.seconds))
    for kind in ("tests", "failures", "errors"):
        top.set(kind, str(sum(int(suite.get(kind, "0")) for suite in suites)))
    if suites:
        suites[0].insert(0, _properties(report))
        suites[-1].extend(_remarks(report))
    top.extend(suites)
    ET.indent(top, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, encoding="unicode") + "\n"


def _suite(report: Report, question: QuestionResult) -> ET.Element:
    cases = [_case(report, check) for check in question.checks]
    return _with_counts(f"{report.homework}.{question.id}", cases, sum(c.seconds for c in question.checks))


def _with_counts(name: str, cases: list[ET.Element], seconds: float) -> ET.Element:
    counts = {"tests": len(cases)}
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[kind] = sum(case.find(tag) is not None for case in cases)
    suite = ET.Element("testsuite", name=clean(name), time=_time(seconds))
    suite.attrib.update({kind: str(count) for kind, count in counts.items()})
    suite.extend(cases)
    return suite


def _case(report: Report, check: CheckResult) -> ET.Element:
    """Return one check: skipped if it waits for another, so that one fault is one red line."""
    home, _, kind = check.id.rpartition(".")
    case = ET.Element(
        "testcase", classname=clean(f"{report.homework}.{home}"), name=clean(kind), time=_time(check.seconds)
    )
    if check.passed:
        return case
    text = _text(check)
    if check.advice and check.verdict != model.NOT_RUN:
        ET.SubElement(case, "system-out").text = f"advice: {text}"
        return case
    waits = check.verdict == model.BLOCKED and check.blocked_by is not None
    tag = "skipped" if waits else ELEMENTS.get(check.verdict, "error")
    found = ET.SubElement(case, tag, message=clean(check.message), type=clean(check.verdict))
    found.text = text
    if check.output:
        ET.SubElement(case, "system-out").text = clean(check.output, lines=True)
    return case


def _text(check: CheckResult) -> str:
    rows = [f"{clean(label)}: {clean(said)}" for label, said in Finding(check.id, check, []).evidence()]
    return "\n".join([clean(check.message), *rows])


def _unfinished(report: Report) -> ET.Element:
    case = ET.Element("testcase", classname=clean(report.homework), name="finished", time=_time(0))
    ET.SubElement(case, "error", message="grading has not finished; this is not a grade", type="not-finished")
    return _with_counts(f"{report.homework}.grading", [case], 0)


def _properties(report: Report) -> ET.Element:
    facts = {
        **report.environment,
        "score": report.score,
        "max_score": report.max_score,
        "seed": report.seed,
        "starter": report.starter,
        "sandbox": report.confinement.get("level", "none"),
    }
    found = ET.Element("properties")
    for name, value in facts.items():
        ET.SubElement(found, "property", name=clean(name), value=clean(str(value)))
    return found


def _remarks(report: Report) -> Iterable[ET.Element]:
    if report.notes:
        found = ET.Element("system-out")
        found.text = "\n".join(clean(str(note.get("message", ""))) for note in report.notes)
        yield found


def _time(seconds: float) -> str:
    return f"{min(max(seconds, 0.0), 999999.0):.3f}"
