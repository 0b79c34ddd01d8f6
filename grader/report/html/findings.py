"""What to mend, the causes first: the sentence, the smallest input, yours against expected, the code."""

from __future__ import annotations

from typing import Any

from grader.report.findings import Finding, told
from grader.report.html.elements import Markup, element, prose, text
from grader.report.language import Speaker
from grader.report.model import CheckResult, Report
from grader.report.sums import sums
from grader.report.wording import is_head, place, spot

# these have a form of their own below
APART = frozenset({"hint", "yours", "expected", "off by", "at", "in", "printed", "through it", "not run"})


def section(report: Report, say: Speaker) -> Markup:
    """Return the findings in their order; where there is none, a sentence says why."""
    found = told(report)
    if found:
        costs = enumerate(zip(found, sums(report).lost, strict=True), 1)
        cards = [_card(report, number, finding, lost, say) for number, (finding, lost) in costs]
        return element("section", element("h2", say("What to mend")), *cards, id="mend")
    if report.full_marks:
        count = report.scored_passed
        return element("section", element("p", say("All {count} checks passed. Full marks.", count=count)))
    return Markup()


def _card(report: Report, number: int, finding: Finding, lost: str, say: Speaker) -> Markup:
    check = finding.check
    cost = element("span", f"−{lost}", class_="lost") if lost else None
    title = element("h3", element("span", str(number), class_="count"), element("code", finding.name), cost)
    return element(
        "article",
        title,
        element("p", prose(say.text(check.message)), class_="message"),
        _hint(check, say),
        _values(finding, say),
        _code(finding, say),
        _printed(check, say),
        _through(finding, say),
        _again(report, check, say),
        id=f"finding-{number}",
    )


def _hint(check: CheckResult, say: Speaker) -> Markup | None:
    if not check.help:
        return None
    return element("p", element("b", say.text("hint")), " ", prose(say.text(check.help)), class_="hint")


def _values(finding: Finding, say: Speaker) -> Markup | None:
    """Return the input, then yours beside what was expected."""
    rows = dict(finding.evidence())
    inputs = [(name, said) for name, said in finding.evidence() if name not in APART]
    listed = [
        element("div", element("dt", say.text(name)), element("dd", say.text(said))) for name, said in inputs
    ]
    compared = [
        element("figure", element("figcaption", say.text(name)), element("pre", say.text(said)), class_=name)
        for name, said in rows.items()
        if name in ("yours", "expected")
    ]
    parts = [element("dl", *listed)] if listed else []
    parts += [element("div", *compared, class_="compared")] if compared else []
    parts += (
        [element("p", say.text("off by"), " ", say.text(rows["off by"]), class_="soft")]
        if "off by" in rows
        else []
    )
    return element("div", *parts, class_="values") if parts else None


def _code(finding: Finding, say: Speaker) -> Markup | None:
    location = finding.place
    if not location:
        return None
    where = element("figcaption", element("code", spot(location, say)))
    excerpt = location.get("excerpt")
    if not excerpt:
        return element("figure", where, class_="code")
    lines = [_line(number, line, location) for number, line in enumerate(excerpt["lines"], excerpt["first"])]
    label = say("the code at {place}", place=place(location))
    inside = element("pre", *lines, tabindex=0, role="region", aria_label=label)
    return element("figure", where, inside, class_="code")


def _line(number: int, line: str, location: dict[str, Any]) -> Markup:
    found = number == location["line"] and not is_head(location)
    count = element("span", f"{'▸' if found else ' '}{number:>4} ", class_="n")
    inside = (count, text(line.expandtabs(8)), Markup("\n"))
    return element("mark" if found else "span", *inside, class_="line")


def _printed(check: CheckResult, say: Speaker) -> Markup | None:
    if not check.output.strip():
        return None
    inside = element("pre", text(check.output.strip("\n"), lines=True), tabindex=0)
    return element("details", element("summary", say("what it printed")), inside)


def _through(finding: Finding, say: Speaker) -> Markup | None:
    """Return the other checks with points that this one fault takes down."""
    if not finding.also:
        return None
    items = [element("li", element("code", check.id), " ", _word(check, say)) for check in finding.also]
    words = say("{count} more checks fail through it", count=len(items))
    words = words if len(items) > 1 else say("one more check fails through it")
    return element("details", element("summary", words), element("ul", *items))


def _word(check: CheckResult, say: Speaker) -> Markup:
    return element("span", say.text(check.verdict), class_="soft")


def _again(report: Report, check: CheckResult, say: Speaker) -> Markup:
    command = f"python -m grader {report.homework} --only {check.id}"
    return element("p", say("again:"), " ", element("code", command, class_="command"), class_="soft again")
