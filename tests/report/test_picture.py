"""The picture: well-formed SVG, marks where something is kept or too much, and none where nothing is."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import pytest

from grader.report import layout, live_plot
from grader.report.picture import document, graph
from grader.report.scene import scene
from tests.report.pictures import HOSTILE, hostile, leaking, node, picture

SVG = "{http://www.w3.org/2000/svg}"
ALL = {"clean": picture(), "leaking": leaking(), "hostile": hostile()}


def classes(drawing: str) -> list[set[str]]:
    """The classes of each box that is drawn, the legend's samples not counted."""
    root = ElementTree.fromstring(drawing)
    body = next(one for one in root if one.get("transform") and one.tag == f"{SVG}g")
    return [set((one.get("class") or "").split()) for one in body.iter(f"{SVG}g")]


def marked(drawing: str, mark: str) -> int:
    """How many boxes have a mark."""
    return sum(mark in each for each in classes(drawing))


def texts(drawing: str) -> list[str]:
    """Every text, tooltips included."""
    root = ElementTree.fromstring(drawing)
    return [one.text or "" for name in ("text", "title") for one in root.iter(SVG + name)]


def broken_budget() -> dict[str, Any]:
    """A gradient of Summation that makes five nodes where three are allowed."""
    more = [node(110 + i, phase="backward", of=101, inputs=[102], layer="") for i in range(4)]
    return picture(nodes=picture()["nodes"] + more)


@pytest.mark.parametrize("name", ALL)
def test_drawing_is_pure(name: str) -> None:
    """Drawing twice gives the same text, and leaves the data as they were."""
    before = copy.deepcopy(ALL[name])

    drawings = {document(ALL[name]) for _ in range(2)}

    assert 1 == len(drawings)
    assert before == ALL[name]


def test_clean_step_has_no_marks() -> None:
    """Nothing is marked where nothing is kept and nothing is over its budget."""
    drawing = document(picture())

    assert [0, 0, 0, 0] == [marked(drawing, mark) for mark in ("past", "kept", "over", "holder")]
    assert "STILL ALIVE" not in drawing
    assert "Linear.forward:7" in texts(drawing)
    assert "MatMul (3, 2)" in texts(drawing)


def test_leak_shows_holder_and_two_past_steps() -> None:
    """The holder, two past steps with some of their nodes each, and the older ones in one box."""
    drawing = document(leaking())

    said = texts(drawing)
    assert "Norm.mean holds 36 nodes of past steps, 9 more with every step" in said
    assert 1 == marked(drawing, "holder")
    assert {"step 4", "step 3"} <= set(said)
    assert {"+ 4 more nodes", "of step 4", "+ 18 more nodes", "of steps 1 to 2"} <= set(said)
    assert 2 * 5 + 3 == marked(drawing, "past")


def test_marks_differ_in_shape() -> None:
    """Past and kept nodes are polygons of their own, so that colour is not needed."""
    root = ElementTree.fromstring(document(leaking()))

    shapes = {}
    for one in root.iter(f"{SVG}g"):
        for mark in set((one.get("class") or "").split()) & {"past", "kept", "holder"}:
            if "more" not in (one.get("class") or ""):
                shapes[mark] = len((one.find(f"{SVG}polygon").get("points") or "").split())  # type: ignore[union-attr]
    assert {"past": 8, "kept": 5, "holder": 6} == shapes


def test_arrows_join_the_steps() -> None:
    """From the holder into this step, and from each step into the one before."""
    drawn = scene(leaking())

    home = {box.key: group.title for group in drawn.groups() for box in group.boxes}
    joined = {(home.get(a, a), home.get(b, b)) for a, b in drawn.keeps}
    past = ["step 4: should be gone", "step 3: should be gone", "steps 1 to 2: should be gone"]
    assert {("holder Norm.mean", "Linear, forward"), ("Linear, forward", past[0])} <= joined
    assert {(past[0], past[1]), (past[1], past[2])} <= joined


def test_nodes_over_budget_are_marked() -> None:
    """Those beyond the budget, and no others."""
    drawing = document(broken_budget())

    assert 2 == marked(drawing, "over")
    assert "Summation.gradient makes 5 nodes in one call, the budget is 3" in texts(drawing)


@pytest.mark.parametrize("draw", [document, graph, live_plot.plot])
def test_hostile_names_are_text(draw: Any) -> None:
    """A name from a submission makes no element, no attribute, no control character."""
    drawing = draw(hostile())

    root = ElementTree.fromstring(drawing)
    assert [] == [one for one in root.iter() if one.tag.endswith("script")]
    assert {"\x1b", "\x00", "\u202e"} & set(drawing) == set()
    assert "<script" not in drawing
    assert draw is live_plot.plot or any("<script>" in one for one in texts(drawing))
    assert HOSTILE not in drawing


def test_self_contained() -> None:
    """Nothing is fetched: no reference to another file, and no script."""
    drawing = document(leaking()).replace("http://www.w3.org/2000/svg", "")

    assert [] == [word for word in ("http", "href", "url(", "@import", "<script") if word in drawing]
    assert "prefers-color-scheme:dark" in drawing


def test_no_boxes_overlap() -> None:
    """No box lies on another."""
    for one in (picture(), leaking(), broken_budget()):
        assert [] == list(_overlapping(layout.place(scene(one))))


def _overlapping(places: layout.Placed) -> Iterator[tuple[str, str]]:
    boxes = list(places.boxes.items())
    for i, (a, (ax, ay)) in enumerate(boxes):
        for b, (bx, by) in boxes[i + 1 :]:
            beside = ax + layout.width(a) <= bx + 0.1 or bx + layout.width(b) <= ax + 0.1
            if not beside and abs(ay - by) < layout.HEIGHT:
                yield a, b


def test_plot_has_both_lines() -> None:
    """A point per step for the submission and for the reference; one line where there is no reference."""
    root = ElementTree.fromstring(live_plot.plot(leaking()))
    alone = ElementTree.fromstring(live_plot.plot(leaking() | {"reference": None}))

    assert ["reference", "yours"] == sorted(str(one.get("class")) for one in root.iter(f"{SVG}polyline"))
    assert 5 == len(list(root.iter(f"{SVG}circle")))
    assert ["yours"] == [one.get("class") for one in alone.iter(f"{SVG}polyline")]


def test_a_list_points_at_each_step() -> None:
    """A holder of nodes of every step has an arrow into each step that is drawn."""
    one = leaking()
    first = {node["step"]: node["n"] for node in one["nodes"]}  # the last of each step is the newest
    heads = [["Norm.mean", n] for n in first.values()]

    drawn = scene(one | {"held": heads})

    home = {box.key: group.title for group in drawn.groups() for box in group.boxes}
    held = {home[b] for a, b in drawn.keeps if a == "holder Norm.mean"}
    assert {"Linear, forward", "step 4: should be gone", "step 3: should be gone"} <= held
