"""The top and the end of the page: score, circumstances, questions."""

from __future__ import annotations

from grader.report import model
from grader.report.html.elements import Markup, element
from grader.report.language import Speaker
from grader.report.model import QuestionResult, Report
from grader.report.sums import sums
from grader.report.wording import points

# a question's state: its mark, and its word for those who do not see it
STATES = {"ok": ("✓", "all right"), "no": ("✗", "with faults"), "open": ("○", "not filled in yet")}


def head(report: Report, say: Speaker) -> Markup:
    """Return homework, score, the submission's name, and under which circumstances it was graded."""
    shown = sums(report)
    score = element("p", element("strong", shown.score), f" / {shown.max_score}", class_="score")
    return element(
        "header",
        element("h1", report.homework),
        score,
        bar(report.score, report.max_score),
        element("p", report.submission, class_="submission"),
        element("p", facts(report, say), class_="soft"),
        *warnings(report, say),
    )


def facts(report: Report, say: Speaker) -> str:
    """Return starter, versions, seed, time and confinement in one line."""
    found = [say("starter {year}", year=report.starter)] if report.starter else []
    found += [
        f"{name} {report.environment[name]}" for name in ("python", "numpy") if name in report.environment
    ]
    found += [say("seed {seed}", seed=report.seed), say("{seconds} s", seconds=f"{report.seconds:.1f}")]
    level = say.text(str(report.confinement.get("level", "none")))
    found += [say("sandbox: {level}", level=level)]
    return " · ".join(found)


def warnings(report: Report, say: Speaker) -> list[Markup]:
    """Return what must be known before the score is believed."""
    found = []
    if not report.complete:
        found.append(say("stopped before the end: this is what was known so far, not a grade"))
    if report.score_without_follow_through is not None:
        without = points(report.score_without_follow_through)
        found.append(say("with follow-through; {points} without it", points=without))
    return [element("p", one, class_="warning", role="note") for one in found]


def bar(part: float, whole: float) -> Markup:
    """Return a bar that shows a share; the figures stand beside it."""
    share = 100 * min(1.0, max(0.0, part / whole)) if whole else 0.0
    full = " full" if share >= 100 else ""
    return element("div", element("i", style=f"width:{share:.1f}%"), class_=f"bar{full}", aria_hidden="true")


def questions(report: Report, say: Speaker) -> Markup:
    """Return the table of questions, each with a link to its checks."""
    shown = sums(report).questions
    rows = [
        _question(report, question, number, score, say)
        for number, (question, score) in enumerate(zip(report.questions, shown, strict=True), 1)
        if any(check.counts for check in question.checks)
    ]
    names = ("", say("question"), say("points"), "", say("checks"))
    top = element("tr", *(element("th", name, scope="col") for name in names))
    table = element("table", element("thead", top), element("tbody", *rows), class_="questions")
    return element("section", element("h2", say("Questions")), table)


def _question(
    report: Report, question: QuestionResult, number: int, score: tuple[str, str], say: Speaker
) -> Markup:
    scored = [check for check in question.checks if check.counts]
    passed = sum(check.passed for check in scored)
    mark, word = STATES[state(report, question)]
    return element(
        "tr",
        element("td", mark, class_=f"mark {state(report, question)}", title=say.text(word)),
        element("th", element("a", say.text(question.title), href=f"#question-{number}"), scope="row"),
        element("td", " / ".join(score), class_="number"),
        element("td", bar(question.points, question.max_points), class_="share"),
        element("td", say("{passed} of {all}", passed=passed, all=len(scored)), class_="number"),
    )


def state(report: Report, question: QuestionResult) -> str:
    """Return "ok", "no", or "open" where all that fails waits for functions still to be written."""
    lost = [check for check in question.checks if check.counts and not check.passed]
    if not lost:
        return "ok"
    return "open" if all(report.waits_for_unfilled(check) for check in lost) else "no"


def foot(report: Report, say: Speaker) -> Markup:
    """Return who graded, and what held the submission meanwhile."""
    version = report.environment.get("grader", "")
    how = str(report.confinement.get("how", ""))
    held = [say("held by: {how}", how=how)] if how else []
    words = " · ".join(
        [f"needle-grader {version}", say("report schema {number}", number=model.SCHEMA), *held]
    )
    return element("footer", element("p", words, class_="soft"))
