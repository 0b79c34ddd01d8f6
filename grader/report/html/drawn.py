"""The graph of a training step, and how many nodes stay alive, where the report has them."""

from __future__ import annotations

from grader.report import layout, live_plot, picture
from grader.report.html.elements import Markup, element
from grader.report.language import Speaker
from grader.report.model import Report


def section(report: Report, say: Speaker) -> Markup:
    """Return plot and graph; the graph is left out where the library for layouts is not installed."""
    if report.picture is None:
        return Markup()
    plot = _scrolled(live_plot.plot(report.picture, say.code), say("nodes alive after each training step"))
    parts = [element("h2", say("Graph and memory")), plot]
    try:
        layout.require()
        drawing = _scrolled(
            picture.graph(report.picture, say.code), say("the graph of a training step"), "drawing wide"
        )
        parts.append(drawing)
    except layout.Missing:
        parts.append(
            element("p", say("the graph is drawn where needle-grader[picture] is installed"), class_="soft")
        )
    return element("section", *parts)


def _scrolled(drawing: str, label: str, kind: str = "drawing") -> Markup:
    """Return a drawing that is moved sideways where it is wider than the page; by keys as well."""
    return element("div", Markup(drawing), class_=kind, tabindex=0, role="region", aria_label=label)
