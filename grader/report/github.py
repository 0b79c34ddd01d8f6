"""The report for GitHub Actions: annotations at file and line, and a summary of the step in Markdown.

Sources: "Workflow commands for GitHub Actions", and `actions/toolkit` (core/src/command.ts) for the escaping:
`%`, CR and LF in messages, also `:` and `,` in properties. A `;` needs none in `::` commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grader.report import language, markdown, model
from grader.report.escape import terminal as clean
from grader.report.findings import Finding, advice, first_reason, told
from grader.report.language import Speaker
from grader.report.model import QuestionResult, Report
from grader.report.sums import sums
from grader.report.wording import aligned, is_head, points, spot

MOST = 10  # annotations of a kind and step that are shown
MOST_SUMMARY = 1 << 20  # bytes of the summary of a step
MOST_FINDINGS = 40
LONGEST = 1500  # characters of a message


def marks(report: Report, folder: str = "", lang: str = language.ENGLISH) -> str:
    """Return the commands that mark lines, those that matter most first: causes, failures, then remarks.

    `folder` is the submission's folder in the repository; places are told from there.
    """
    say = language.speaker(lang)
    lines = [*_errors(report, folder, say)][:MOST]
    lines += [*_warnings(report, folder, say)][:MOST]
    return "".join(f"{line}\n" for line in lines)


def fenced(page: str, token: str) -> str:
    """Return text for the log in which no command of GitHub's is obeyed; `token` must not be guessable."""
    page = page.replace("##[", "## [")  # the older form counts anywhere in a line
    return f"::stop-commands::{token}\n{page.rstrip()}\n\n::{token}::\n"


def _errors(report: Report, folder: str, say: Speaker) -> Iterator[str]:
    if not report.complete:
        said = say("grading has not finished; this is not a grade")
        yield _command("error", None, folder, say("not graded"), said)
    for note in report.notes:
        if note.get("id") == "import-failed":
            said = say.text(str(note["message"]))
            yield _command("error", _place_of(note), folder, say("does not import"), said)
    for finding, lost in zip(told(report), sums(report).lost, strict=True):
        places = (say("at"), say("in"))
        rows = [f"{label}: {said}" for label, said in finding.evidence_in(say) if label not in places]
        lost = f" (-{lost})" if lost else ""
        text = "\n".join([say.text(finding.check.message), *rows])
        yield _command("error", finding.place, folder, f"{finding.name}{lost}", text)


def _warnings(report: Report, folder: str, say: Speaker) -> Iterator[str]:
    for note in report.notes:
        if note.get("id") != "import-failed":
            said = say.text(str(note["message"]))
            yield _command("warning", _place_of(note), folder, str(note.get("id", "")), said)
    for check in advice(report):
        title = say("advice: {check}", check=check.id)
        yield _command("warning", check.location, folder, title, say.text(check.message))


def _place_of(note: dict[str, Any]) -> dict[str, Any] | None:
    return note if note.get("file") and note.get("line") else None


def _command(kind: str, location: dict[str, Any] | None, folder: str, title: str, message: str) -> str:
    properties = {}
    if location and location.get("file"):
        properties["file"] = "/".join(part for part in (folder, str(location["file"])) if part)
        properties["line"] = str(location.get("line", 1))
    properties["title"] = title
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {written}::{_data(message[:LONGEST])}"


def _data(text: str) -> str:
    shown = clean(text, lines=True).replace("##[", "## [")
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(clean(text)).replace(":", "%3A").replace(",", "%2C")


def summary(report: Report, most: int = MOST_SUMMARY, lang: str = language.ENGLISH) -> str:
    """Return the summary as Markdown of at most `most` bytes: score, questions, what to mend first."""
    findings, say = told(report), language.speaker(lang)
    head = "\n".join([*_head(report, say), "", *_table(report, say)])
    foot = "\n".join(_foot(report, say))
    parts, size = [head], len(head.encode()) + len(foot.encode()) + 200
    lost = sums(report).lost
    for number, finding in enumerate(findings[:MOST_FINDINGS], 1):
        part = "\n".join(_finding(number, finding, lost[number - 1], say))
        size += len(part.encode()) + 2
        if size > most:
            break
        parts.append(part)
    left = len(findings) - len(parts) + 1
    parts += [say("{left} more in the report itself.", left=left)] if left else []
    return "\n\n".join([*parts, foot] if foot else parts) + "\n"


def _head(report: Report, say: Speaker) -> Iterator[str]:
    shown = sums(report)
    score = f"{shown.score} / {shown.max_score}"
    yield f"## {markdown.text(report.homework)}: {score}"
    yield ""
    facts = [f"{name} {value}" for name, value in report.environment.items() if name in ("python", "numpy")]
    level = say.text(str(report.confinement.get("level", "none")))
    facts += [say("seed {seed}", seed=say.text(str(report.seed)))]
    facts += [say("{seconds} s", seconds=f"{report.seconds:.1f}"), say("sandbox: {level}", level=level)]
    yield markdown.text(" · ".join(facts))
    if not report.complete:
        yield say("\n**Grading has not finished: this is not a grade.**")
    if report.score_without_follow_through is not None:
        without = points(report.score_without_follow_through)
        yield "\n" + say("with follow-through; {score} without it", score=without)


def _table(report: Report, say: Speaker) -> Iterator[str]:
    yield say("| | question | points | checks |")
    yield "| --- | --- | ---: | ---: |"
    for question, (got, most) in zip(report.questions, sums(report).questions, strict=True):
        scored = [check for check in question.checks if check.counts]
        passed = sum(check.passed for check in scored)
        if scored:
            score = f"{got} / {most}"
            title = markdown.cell(say.text(question.title))
            tally = say("{passed} of {all}", passed=passed, all=len(scored))
            yield f"| {_mark(report, question)} | {title} | {score} | {tally} |"


def _mark(report: Report, question: QuestionResult) -> str:
    lost = [check for check in question.checks if check.counts and not check.passed]
    if not lost:
        return "✅"
    return "⬜" if all(report.waits_for_unfilled(check) for check in lost) else "❌"


def _finding(number: int, finding: Finding, lost: str, say: Speaker) -> Iterator[str]:
    lost = f" (−{lost})" if lost else ""
    yield f"### {number}. {markdown.text(finding.name)}{lost}"
    yield ""
    yield markdown.text(say.text(finding.check.message))
    yield ""
    rows = [(label, said[:LONGEST]) for label, said in finding.evidence_in(say)]
    yield markdown.block([*aligned(rows), *_code(finding)])


def _code(finding: Finding) -> Iterator[str]:
    location = finding.place or {}
    excerpt = location.get("excerpt")
    if excerpt:
        yield ""
        for number, line in enumerate(excerpt["lines"], excerpt["first"]):
            marked = number == location["line"] and not is_head(location)
            yield f"{'>' if marked else ' '} {number:>4}  {line}"


def _foot(report: Report, say: Speaker) -> Iterator[str]:
    said = [str(note.get("message", "")) for note in report.notes]
    said += [_sentence(check, say) for check in advice(report)]
    reasons = [first_reason(report, check) for check in report.checks() if check.verdict == model.BLOCKED]
    said += [reason for reason in dict.fromkeys(reasons) if not reason.startswith("not run: ")]
    open_ones = [check.message for check in report.checks() if check.unfilled]
    if open_ones:
        names = ", ".join(dict.fromkeys(one.removesuffix(" is not filled in yet") for one in open_ones))
        yield say("Not filled in yet: {names}", names=markdown.text(names[: 4 * LONGEST]))
        yield ""
    if said:
        yield "### " + say("Remarks")
        yield ""
    yield from (
        f"- {markdown.text(say.text(sentence)[:LONGEST])}"
        for sentence in list(dict.fromkeys(said))[:MOST_FINDINGS]
    )


def _sentence(check: model.CheckResult, say: Speaker) -> str:
    where = spot(check.location, say, named=False)
    return say.text(check.message) + (f" ({where})" if where else "")
