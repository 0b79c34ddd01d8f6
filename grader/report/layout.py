"""Places the boxes of a scene: igraph's Sugiyama layout inside each group, the groups in rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.report.scene import BACKWARD, PAST, STEP, Group, Scene

WIDTH, HEIGHT = 156.0, 38.0
HOLDER_WIDTH = 250.0
GAP_X, GAP_Y = 14.0, 24.0
MARGIN, HEAD = 14.0, 24.0
BETWEEN_COLUMNS, BETWEEN_ROWS = 56.0, 18.0
LOOSE_IN_ROW = 3

Point = tuple[float, float]
Area = tuple[float, float, float, float]  # x, y, width, height


class Missing(Exception):
    """The library for layouts is not installed."""


@dataclass
class Placed:
    """Where everything is: boxes by key (upper left corners), groups as areas, the size of the whole."""

    boxes: dict[str, Point] = field(default_factory=dict)
    groups: list[tuple[Group, Area]] = field(default_factory=list)
    column: dict[str, str] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    past: Point = (0.0, 0.0)  # width and height of the column of past steps


def require() -> None:
    """Raise `Missing` unless layouts can be made."""
    try:
        import igraph  # noqa: F401
    except ImportError as error:
        raise Missing from error


def place(scene: Scene, least_left: float = 0.0) -> Placed:
    """Return the places of a scene's boxes: past steps at the left, then forward (down) and backward (up).

    The column at the left is at least `least_left` wide.
    """
    out = Placed()
    inner = {id(group): _inside(group, scene) for group in scene.groups()}
    _place_past(out, scene, inner)
    left = max(out.past[0], least_left)
    left += BETWEEN_COLUMNS if left else 0.0
    columns = [max((_size(inner[id(row[i])])[0] for row in scene.rows), default=0.0) for i in (0, 1)]
    second = left + columns[0] + BETWEEN_COLUMNS
    y = 0.0
    for row in scene.rows:
        height = max(_size(inner[id(group)])[1] for group in row)
        for group, x, width in zip(row, (left, second), columns, strict=True):
            if group.boxes:
                _put(out, group, inner[id(group)], (x, y, width, height))
        y += height + BETWEEN_ROWS
    if scene.step is not None:
        width, height = _size(inner[id(scene.step)])
        _put(
            out, scene.step, inner[id(scene.step)], (left, y, max(second + columns[1] - left, width), height)
        )
    out.width = max((x + w for _, (x, _, w, _) in out.groups), default=0.0)
    out.height = max((y + h for _, (_, y, _, h) in out.groups), default=0.0)
    return out


def _place_past(out: Placed, scene: Scene, inner: dict[int, dict[str, Point]]) -> None:
    width = max((_size(inner[id(group)])[0] for group in scene.past), default=0.0)
    width = max(width, HOLDER_WIDTH) if scene.holders else width
    y = 0.0
    for holder in scene.holders:
        out.boxes[holder.key] = ((width - HOLDER_WIDTH) / 2, y)
        out.column[holder.key] = PAST
        y += HEIGHT + 26
    for group in scene.past:
        height = _size(inner[id(group)])[1]
        _put(out, group, inner[id(group)], (0.0, y, width, height))
        y += height + 2 * BETWEEN_ROWS
    out.past = width, y


def _put(out: Placed, group: Group, inner: dict[str, Point], area: Area) -> None:
    x, y, width, height = area
    out.groups.append((group, area))
    own_width, own_height = _size(inner)
    spare = 0.0 if group.column == STEP else (width - own_width) / 2
    left, top = x + spare + MARGIN, y + HEAD + (height - own_height) / 2
    for key, (dx, dy) in inner.items():
        out.boxes[key] = (left + dx, top + dy)
        out.column[key] = group.column


def _size(inner: dict[str, Point]) -> Point:
    """Return width and height of a group with its margins."""
    if not inner:
        return 0.0, 0.0
    width = max(x for x, _ in inner.values()) + WIDTH + 2 * MARGIN
    return width, max(y for _, y in inner.values()) + HEIGHT + HEAD + MARGIN


def _inside(group: Group, scene: Scene) -> dict[str, Point]:
    """Return the places of a group's boxes, from (0, 0)."""
    keys = [box.key for box in group.boxes]
    arrows = scene.flows + (scene.keeps if group.column == PAST else [])
    edges = [(a, b) for a, b in arrows if a in keys and b in keys]
    joined = [key for key in keys if any(key in edge for edge in edges)]
    places = _layered(joined, edges)
    if group.column == BACKWARD:
        bottom = max((y for _, y in places.values()), default=0.0)
        places = {key: (x, bottom - y) for key, (x, y) in places.items()}
    loose = [key for key in keys if key not in places]
    if group.column == PAST and places:  # beside, so that arrows to older steps pass
        across, down = max(x for x, _ in places.values()), max(y for _, y in places.values())
        return places | {
            key: (across + WIDTH + GAP_X, down - i * (HEIGHT + GAP_Y)) for i, key in enumerate(loose)
        }
    start = max((y + HEIGHT + GAP_Y for _, y in places.values()), default=0.0)
    in_row = max(LOOSE_IN_ROW if not places else 1, round(_size(places)[0] / (WIDTH + GAP_X)))
    for i, key in enumerate(loose):
        places[key] = ((i % in_row) * (WIDTH + GAP_X), start + (i // in_row) * (HEIGHT + GAP_Y / 2))
    return places


def _layered(keys: list[str], edges: list[tuple[str, str]]) -> dict[str, Point]:
    if not keys:
        return {}
    import igraph

    number = {key: i for i, key in enumerate(keys)}
    graph = igraph.Graph(n=len(keys), edges=[(number[a], number[b]) for a, b in edges], directed=True)
    points = list(graph.layout_sugiyama(hgap=WIDTH + GAP_X, vgap=HEIGHT + GAP_Y))[: len(keys)]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return {key: (x - left, y - top) for key, (x, y) in zip(keys, points, strict=True)}


def width(key: str) -> float:
    """Return the width of a box."""
    return HOLDER_WIDTH if key.startswith("holder ") else WIDTH
