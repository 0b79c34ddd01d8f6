"""The graph of a training step as SVG: a pure function of the report's `picture`.

Marks are told by shape and word, not by colour alone: cut corners for nodes of past steps, one cut corner
for nodes that will stay, a double line for nodes over the budget, a hexagon for the holder.
"""

from __future__ import annotations

from typing import Any

from grader.report import language, live_plot, svg
from grader.report.layout import HEIGHT, Placed, place, width
from grader.report.scene import Box, Scene, scene
from grader.report.wrap import width as columns

EDGE, TOP = 20.0, 84.0
CUT = 9.0
LEGEND = {
    "node": "a node: op, shape, function:line that made it",
    "given": "was there before the step",
    "more": "several nodes, folded",
    "kept": "of this step, will stay alive",
    "past": "of a past step, STILL ALIVE",
    "over": "over the budget of its gradient",
    "holder": "who holds them",
}
SAMPLE = 30.0


def graph(picture: dict[str, Any], lang: str = language.ENGLISH) -> str:
    """Return the graph as a self-contained SVG."""
    return _drawn(picture, language.speaker(lang), with_plot=False)


def document(picture: dict[str, Any], lang: str = language.ENGLISH) -> str:
    """Return the graph with the plot of live nodes beside it, as one self-contained SVG."""
    return _drawn(picture, language.speaker(lang), with_plot=True)


def _drawn(picture: dict[str, Any], say: language.Speaker, *, with_plot: bool) -> str:
    drawn = scene(picture).said(say.text)
    places = place(drawn, live_plot.WIDTH if with_plot else 0.0)
    legend, legend_width = _legend(drawn, say)
    across = max(places.width, columns(drawn.title) * 9.2, legend_width) + 2 * EDGE
    height = max(places.height, places.past[1] + (live_plot.HEIGHT if with_plot else 0.0))
    inside = [
        *_groups(places),
        *_arrows(drawn, places),
        *[_box(box, *places.boxes[box.key]) for box in _boxes(drawn)],
    ]
    if with_plot:
        inside.append(
            svg.tag("g", live_plot.plot(picture, say.code), transform=f"translate(0,{places.past[1]:g})")
        )
    body = svg.tag("g", *inside, transform=f"translate({EDGE:g},{TOP:g})")
    head = [svg.text(drawn.title, EDGE, 30, "title"), *_subtitle(picture, say), legend]
    return svg.picture(across, height + TOP + EDGE, drawn.title, *head, body)


def _boxes(drawn: Scene) -> list[Box]:
    return [box for group in drawn.groups() for box in group.boxes] + drawn.holders


def _subtitle(picture: dict[str, Any], say: language.Speaker) -> list[str]:
    what = f"{picture['subject']} and its gradient on one input"
    if not picture["subject"]:
        what = f"step {picture['step']} of a training of {picture['model']} with {picture['optimiser']}"
    said = say.text(f"{what}; forward runs down, backward runs up")
    return [svg.text(said, EDGE, 48, "soft")]


def _legend(drawn: Scene, say: language.Speaker) -> tuple[str, float]:
    """Return the legend of what occurs, and its width."""
    found = {box.mark or box.kind for box in _boxes(drawn)} | {box.kind for box in _boxes(drawn)}
    x, parts = EDGE, []
    for name in (name for name in LEGEND if name in found):
        shape = _outline(name if name in ("given", "more", "holder") else "node", name, SAMPLE, 14.0)
        sample = svg.tag("g", shape, class_=name, transform=f"translate({x:g},58)")
        said = say.text(LEGEND[name])
        parts += [sample, svg.text(said, x + SAMPLE + 6, 69, "soft")]
        x += SAMPLE + 26 + 5.6 * columns(said)
    for name, words in (("flow", "is an input of"), ("keeps", "keeps alive")):
        said = say.text(words)
        if drawn.flows if name == "flow" else drawn.keeps:
            parts += [_line((x, 65.0), (x + SAMPLE, 65.0), name), svg.text(said, x + SAMPLE + 8, 69, "soft")]
            x += SAMPLE + 26 + 5.6 * columns(said)
    return svg.tag("g", *parts, class_="legend"), x


def _groups(places: Placed) -> list[str]:
    out = []
    for group, (x, y, wide, high) in places.groups:
        out.append(svg.tag("rect", x=x, y=y, width=wide, height=high, rx=8, class_="group"))
        title = svg.fitted(group.title, wide - 20, 7.0)
        out.append(svg.text(title, x + 10, y + 16, "head"))
    return out


def _box(box: Box, x: float, y: float) -> str:
    """Return one box with its two lines and, on its lower edge, what its mark means."""
    wide = width(box.key)
    size = 8.0 if box.kind == "holder" else 6.5
    parts = [
        svg.tag("title", svg.clean(f"{box.title} · {box.place} {box.tag}".strip())),
        _outline(box.kind, box.mark, wide, HEIGHT),
        svg.text(svg.fitted(box.title, wide - 14, size), wide / 2, 15.5, "name", "middle"),
        svg.text(svg.fitted(box.place, wide - 10, 5.6), wide / 2, 28, "soft", "middle"),
        *_tag(box.tag, wide),
    ]
    classes = " ".join(dict.fromkeys(one for one in (box.kind, box.mark) if one))
    return svg.tag("g", *parts, class_=classes, transform=f"translate({x:g},{y:g})")


def _tag(said: str, wide: float) -> list[str]:
    if not said:
        return []
    long = 5.9 * columns(said) + 10
    pill = svg.tag("rect", x=wide - long, y=HEIGHT - 5, width=long, height=13, rx=6, class_="pill")
    return [pill, svg.text(said, wide - long / 2, HEIGHT + 5, "tag", "middle")]


def _outline(kind: str, mark: str, wide: float, height: float) -> str:
    cut = min(CUT, height / 3)
    if kind == "holder":
        side = height / 2
        return _polygon(
            [(side, 0), (wide - side, 0), (wide, side), (wide - side, height), (side, height), (0, side)]
        )
    if mark == "past":
        corners = [(cut, 0), (wide - cut, 0), (wide, cut), (wide, height - cut), (wide - cut, height)]
        return _polygon([*corners, (cut, height), (0, height - cut), (0, cut)])
    if mark == "kept":
        return _polygon([(0, 0), (wide - cut, 0), (wide, cut), (wide, height), (0, height)])
    round_ = height / 2 if kind == "given" else 4
    outer = svg.tag("rect", width=wide, height=height, rx=round_, class_="box")
    if mark == "over":
        inner = {"x": 3, "y": 3, "width": wide - 6, "height": height - 6, "rx": 2}
        return outer + svg.tag("rect", **inner, class_="inner")
    return outer


def _polygon(points: list[tuple[float, float]]) -> str:
    return svg.tag("polygon", points=" ".join(f"{x:g},{y:g}" for x, y in points), class_="box")


def _arrows(drawn: Scene, places: Placed) -> list[str]:
    out = []
    for kind, arrows in (("flow", drawn.flows), ("keeps", drawn.keeps)):
        for source, target in arrows:
            if source in places.boxes and target in places.boxes:
                out.append(_arrow(source, target, kind, places))
    return out


def _arrow(source: str, target: str, kind: str, places: Placed) -> str:
    """Return an arrow between boxes: up or down inside a column, sideways between columns."""
    (ax, ay), (bx, by) = places.boxes[source], places.boxes[target]
    columns = places.column[source], places.column[target]
    if columns[0] == columns[1] and abs(ay - by) > 1:
        down = by > ay
        start = ax + width(source) / 2, ay + (HEIGHT if down else 0)
        end = bx + width(target) / 2, by + (0 if down else HEIGHT)
        return _line(start, end, kind, upright=True)
    if kind == "flow":
        return _across((ax + width(source), ay + HEIGHT / 2), (bx + 20, by + HEIGHT))
    right = bx > ax
    start = ax + (width(source) if right else 0), ay + HEIGHT / 2
    end = bx + (0 if right else width(target)), by + HEIGHT / 2
    return _line(start, end, kind)


def _across(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return an arrow from a box's side to another's lower edge, as gradients take forward values."""
    (ax, ay), (bx, by) = start, end
    bend = (bx - ax) / 2
    curve = f"M{ax:.1f},{ay:.1f} C{ax + bend:.1f},{ay:.1f} {bx:.1f},{by + 70:.1f} {bx:.1f},{by + 7:.1f}"
    points = f"{bx:.1f},{by:.1f} {bx - 3:.1f},{by + 7:.1f} {bx + 3:.1f},{by + 7:.1f}"
    tip = svg.tag("polygon", points=points, class_="tip")
    return svg.tag("path", d=curve, class_="flow across") + tip


def _line(start: tuple[float, float], end: tuple[float, float], kind: str, *, upright: bool = False) -> str:
    (ax, ay), (bx, by) = start, end
    tip = 7.0
    if upright:
        sign = 1 if by > ay else -1
        stop, bend = by - sign * tip, (by - ay) / 2
        curve = f"M{ax:.1f},{ay:.1f} C{ax:.1f},{ay + bend:.1f} {bx:.1f},{by - bend:.1f} {bx:.1f},{stop:.1f}"
        head = [(bx, by), (bx - 3.5, stop), (bx + 3.5, stop)]
    else:
        sign = 1 if bx > ax else -1
        stop, bend = bx - sign * tip, sign * max(18.0, abs(bx - ax) / 2)
        curve = f"M{ax:.1f},{ay:.1f} C{ax + bend:.1f},{ay:.1f} {bx - bend:.1f},{by:.1f} {stop:.1f},{by:.1f}"
        head = [(bx, by), (stop, by - 3.5), (stop, by + 3.5)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in head)
    tip_class = "keeps-tip" if kind == "keeps" else "tip"
    return svg.tag("path", d=curve, class_=kind) + svg.tag("polygon", points=points, class_=tip_class)
