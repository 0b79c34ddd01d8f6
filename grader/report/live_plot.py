"""Live nodes after each training step, beside the reference's, as SVG: a pure function of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.report import language, svg

WIDTH, HEIGHT = 430.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 108.0, 46.0, 42.0
TICKS = 4


def plot(picture: dict[str, Any], lang: str = language.ENGLISH) -> str:
    """Return the plot as a self-contained SVG; without readings it says so."""
    say = language.speaker(lang)
    yours, reference = picture["alive"], picture["reference"] or []
    title = say("nodes alive after each training step")
    if not yours:
        return svg.picture(WIDTH, HEIGHT, title, svg.text(say("no training step was run"), LEFT, TOP))
    most = _round(max(*yours, *reference, 1))
    steps = max(len(yours), len(reference))
    return svg.picture(
        WIDTH,
        HEIGHT,
        say("{title}: yours {numbers}", title=title, numbers=", ".join(map(str, yours))),
        svg.text(title, LEFT - 30, 22, "head"),
        *_axes(most, steps, say("training step")),
        *(_series(reference, most, steps, "reference") if reference else []),
        *_series(yours, most, steps, "yours"),
        *_labels(yours, reference, most, steps, say),
    )


def _round(most: int) -> int:
    """Return the first multiple of four in two digits that is not below `most`."""
    unit = TICKS * 10 ** max(0, len(str(most)) - 2)
    return -(-most // unit) * unit


def _at(step: int, value: float, most: int, steps: int) -> tuple[float, float]:
    across = (step - 1) / max(1, steps - 1)
    return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)


def _axes(most: int, steps: int, label: str) -> list[str]:
    out = []
    for i in range(TICKS + 1):
        value = most * i // TICKS
        x, y = _at(1, value, most, steps)
        out.append(svg.tag("line", x1=x, y1=y, x2=WIDTH - RIGHT, y2=y, class_="grid"))
        out.append(svg.text(str(value), x - 8, y + 4, "soft", "end"))
    for step in range(1, steps + 1, -(-steps // 12)):
        out.append(svg.text(str(step), _at(step, 0, most, steps)[0], HEIGHT - BOTTOM + 16, "soft", "middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*out, svg.text(label, middle, HEIGHT - BOTTOM + 32, "soft", "middle")]


def _series(values: Sequence[int], most: int, steps: int, name: str) -> list[str]:
    points = [_at(i, value, most, steps) for i, value in enumerate(values, 1)]
    line = svg.tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=name)
    return [line, *[_dot(x, y, name) for x, y in points]]


def _dot(x: float, y: float, name: str) -> str:
    if name == "yours":
        return svg.tag("circle", cx=x, cy=y, r=4, class_="yours-dot")
    return svg.tag("rect", x=x - 5.5, y=y - 5.5, width=11, height=11, class_="reference-dot")


def _labels(
    yours: Sequence[int], reference: Sequence[int], most: int, steps: int, say: language.Speaker
) -> list[str]:
    x, y = _at(len(yours), yours[-1], most, steps)
    out = [svg.text(say("yours: {number}", number=yours[-1]), x + 12, y + 4, "name")]
    if reference:
        below = _at(len(reference), reference[-1], most, steps)[1]
        if abs(below - y) < 14:
            below = y + (14 if below >= y else -14)
        out.append(svg.text(say("reference: {number}", number=reference[-1]), x + 12, below + 4, "soft"))
    return out
