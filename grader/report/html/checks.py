"""Remarks and advice, and every check of every question."""

from __future__ import annotations

from grader.report import model
from grader.report.findings import advice, first_reason
from grader.report.html.elements import Markup, element, prose
from grader.report.html.summary import state
from grader.report.language import Speaker
from grader.report.model import CheckResult, QuestionResult, Report
from grader.report.wording import points, spot

MARKS = {model.PASSED: "✓", model.BLOCKED: "–", model.NOT_RUN: "–"}


def remarks(report: Report, say: Speaker) -> Markup:
    """Return what is still to be written, why checks could not run, and what costs no points."""
    parts = [
        _listed(say("Not filled in yet"), _unfilled(report)),
        _listed(say("Could not run"), _reasons(report, say)),
        _listed(say("Advice (costs no points)"), _advice(report, say)),
    ]
    return element("section", *parts) if any(parts) else Markup()


def _listed(title: str, items: list[str]) -> Markup | None:
    if not items:
        return None
    return element(
        "div", element("h2", title), element("ul", *(element("li", prose(item)) for item in items))
    )


def _unfilled(report: Report) -> list[str]:
    """Return a line for each question, `optim: SGD.step, Adam.step`: names, the same in any language."""
    found = []
    for question in report.questions:
        names = [one.message.removesuffix(" is not filled in yet") for one in question.checks if one.unfilled]
        shown = ", ".join(dict.fromkeys(names))
        found += [shown if shown == question.id else f"{question.id}: {shown}"] if names else []
    return found


def _reasons(report: Report, say: Speaker) -> list[str]:
    """Return why checks were blocked that no finding explains, with how many they are."""
    told = {check for cause in report.causes for check in cause.explains}
    counts: dict[str, int] = {}
    for check in report.checks():
        if check.verdict == model.BLOCKED and check.id not in told and not report.waits_for_unfilled(check):
            reason = first_reason(report, check)
            counts[reason] = counts.get(reason, 0) + 1
    return [f"{say.text(reason)} (× {count})" for reason, count in counts.items()]


def _advice(report: Report, say: Speaker) -> list[str]:
    said = [say.text(str(note.get("message", ""))) for note in report.notes]
    said += [_with_place(check, say) for check in advice(report)]
    return list(dict.fromkeys(said))


def _with_place(check: CheckResult, say: Speaker) -> str:
    sentence, where = say.text(check.message), spot(check.location, say, named=False)
    return f"{sentence} ({where})" if where and where not in sentence else sentence


def section(report: Report, say: Speaker) -> Markup:
    """Return all checks, folded by question; a question with faults is open."""
    folds = [_question(report, one, number, say) for number, one in enumerate(report.questions, 1)]
    return (
        element("section", element("h2", say("All checks")), *folds, class_="checks") if folds else Markup()
    )


def _question(report: Report, question: QuestionResult, number: int, say: Speaker) -> Markup:
    scored = [check for check in question.checks if check.counts]
    passed = sum(check.passed for check in scored)
    count = say("{passed} of {all}", passed=passed, all=len(scored)) if scored else say("no points")
    names = ("", say("check"), say("what is asked"), say("points"))
    top = element("tr", *(element("th", name, scope="col") for name in names))
    table = element(
        "table", element("thead", top), element("tbody", *(_row(one, say) for one in question.checks))
    )
    title = element(
        "summary", element("b", say.text(question.title)), " ", element("span", count, class_="soft")
    )
    is_open = bool(scored) and state(report, question) == "no"
    return element("details", title, table, id=f"question-{number}", open=is_open)


def _row(check: CheckResult, say: Speaker) -> Markup:
    kind = "ok" if check.passed else "soft" if check.verdict in MARKS else "advice" if check.advice else "no"
    score = f"{points(check.points)} / {points(check.max_points)}" if check.counts else ""
    said = None if check.passed else element("p", prose(say.text(check.message)), class_="said")
    mark = MARKS.get(check.verdict, "!" if check.advice else "✗")
    return element(
        "tr",
        element("td", mark, class_=f"mark {kind}", title=say.text(check.verdict)),
        element("td", element("code", check.id)),
        element("td", say.text(check.title), said),
        element("td", score, class_="number"),
    )
