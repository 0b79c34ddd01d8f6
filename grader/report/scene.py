"""The picture's data becomes boxes, groups and arrows: what is drawn, what is folded, what is marked.

No coordinates here, and no text of a medium: `layout` places the boxes and `picture` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from grader.report.caption import title
from grader.report.kept import Kept

Node = dict[str, Any]
FORWARD, BACKWARD, STEP, PAST = "forward", "backward", "step", "past"
LOSS = "loss"
MOST_IN_GROUP = 40


@dataclass
class Box:
    """A box: a node, a tensor that was there before, a holder, or several nodes folded into one.

    `kind` is "node", "given", "more" or "holder"; `mark` is "", "kept" (of this step, will stay), "past"
    (of a past step, still alive) or "over" (beyond the budget), and `tag` says it in words.
    """

    key: str
    title: str
    place: str = ""
    kind: str = "node"
    mark: str = ""
    tag: str = ""


@dataclass
class Group:
    """Boxes that belong together: one layer in one phase, the optimiser, or one past step."""

    title: str
    column: str
    boxes: list[Box] = field(default_factory=list)


@dataclass
class Scene:
    """Everything that is drawn. `flows` are (input, node), `keeps` are (who keeps, what), by key."""

    title: str
    rows: list[tuple[Group, Group]] = field(default_factory=list)
    step: Group | None = None
    past: list[Group] = field(default_factory=list)
    holders: list[Box] = field(default_factory=list)
    flows: list[tuple[str, str]] = field(default_factory=list)
    keeps: list[tuple[str, str]] = field(default_factory=list)

    def groups(self) -> Iterable[Group]:
        """Yield every group."""
        for row in self.rows:
            yield from row
        if self.step is not None:
            yield self.step
        yield from self.past

    def said(self, text: Callable[[str], str]) -> Scene:
        """Put all that is read through `text`, in place; keys stay."""
        self.title = text(self.title)
        for group in self.groups():
            group.title = text(group.title)
        for box in [*self.holders, *(box for group in self.groups() for box in group.boxes)]:
            box.title, box.place, box.tag = text(box.title), text(box.place), text(box.tag)
        return self


def scene(picture: dict[str, Any]) -> Scene:
    """Return what is drawn of a picture's data."""
    return _Stage(picture).scene()


class _Stage:
    """Puts nodes into groups."""

    def __init__(self, picture: dict[str, Any]) -> None:
        self.picture = picture
        self.by_number: dict[int, Node] = {node["n"]: node for node in picture["nodes"]}
        self.now = [node for node in picture["nodes"] if node["step"] == picture["step"]]
        self.kept = Kept(picture)
        self.over = self._over()
        self.live = self._live()
        self.key: dict[int, str] = {}  # of the box that a node is in
        self.layer: dict[int, str] = {}
        self.oldest = ""  # the box of all steps that are not drawn
        self.out = Scene(title(picture))

    def scene(self) -> Scene:
        """Return the scene."""
        self._layers()
        names = [self.picture["subject"]] if self.picture["subject"] else [*self.picture["layers"], LOSS]
        for name in names:
            self._row(name)
        self._optimiser()
        self._past()
        self._arrows()
        return self.out

    def _over(self) -> set[int]:
        """Return the nodes of each call of `gradient` that are beyond its budget."""
        seen: dict[int, int] = {}
        over = set()
        for node in self.now:
            of = self.by_number.get(node["of"]) if node["of"] is not None else None
            if of is not None:
                seen[of["n"]] = seen.get(of["n"], 0) + 1
                if seen[of["n"]] > self.picture["budgets"].get(of["op"], seen[of["n"]]):
                    over.add(node["n"])
        return over

    def _layers(self) -> None:
        """Find each node's layer: a gradient's is that of its forward node, a sum's that of its input."""
        fallback = self.picture["subject"] or LOSS
        for node in self.now:
            if node["phase"] == FORWARD:
                named = node["layer"] or (self._consumer(node) if not node["inputs"] else "")
            elif node["of"] is not None:
                named = self.layer.get(node["of"], "")
            else:
                named = next((self.layer[n] for n in node["inputs"] if n in self.layer), "")
            self.layer[node["n"]] = named or fallback

    def _consumer(self, leaf: Node) -> str:
        return next((one["layer"] for one in self.now if leaf["n"] in one["inputs"]), "")

    def _row(self, name: str) -> None:
        mine = [node for node in self.now if self.layer[node["n"]] == name]
        pair = []
        for column in (FORWARD, BACKWARD):
            group = Group(f"{name}, {column}", column)
            nodes = [node for node in mine if node["phase"] == column]
            self._fill(group, nodes, self._in_graph(nodes))
            pair.append(group)
        for node in mine:
            self._given(pair[0], node)
        if pair[0].boxes or pair[1].boxes:
            self.out.rows.append((pair[0], pair[1]))

    def _in_graph(self, nodes: list[Node]) -> list[Node]:
        """Return the nodes that are drawn each: those gradients go through, and those that stay."""
        if self.picture["subject"]:
            return nodes[:MOST_IN_GROUP]
        drawn = [n for n in nodes if n["phase"] == BACKWARD or n["n"] in self.live]
        return drawn[:MOST_IN_GROUP]

    def _live(self) -> set[int]:
        """Return the nodes that a gradient went through, those that are shown as kept, and all they need."""
        wanted = {node["of"] for node in self.now if node["of"] is not None} | self.kept.shown
        for node in reversed(self.now):
            if node["n"] in wanted:
                wanted.update(node["inputs"])
        return wanted

    def _fill(self, group: Group, nodes: list[Node], drawn: list[Node]) -> None:
        for node in drawn:
            group.boxes.append(self._box(node))
        chosen = {node["n"] for node in drawn}
        self._fold(group, [node for node in nodes if node["n"] not in chosen])

    def _fold(self, group: Group, nodes: list[Node], said: str = "values beside the graph") -> None:
        if not nodes:
            return
        more = Box(f"more {group.title}", f"+ {_nodes(len(nodes), bool(group.boxes))}", said, "more")
        kept = sum(node["n"] in self.kept.now for node in nodes)
        if kept:
            more.mark, more.tag = "kept", f"{kept} kept"
        group.boxes.append(more)
        self.key |= {node["n"]: more.key for node in nodes}

    def _box(self, node: Node) -> Box:
        box = Box(f"n{node['n']}", _named(node), _place(node))
        self.key[node["n"]] = box.key
        if node["step"] < self.picture["step"]:
            box.mark, box.tag = "past", f"step {node['step']}"
        elif node["n"] in self.over:
            box.mark, box.tag = "over", "over budget"
        elif node["n"] in self.kept.now:
            box.mark, box.tag = "kept", "kept"
        return box

    def _given(self, group: Group, node: Node) -> None:
        """Add the tensors that a node takes and that were there before the step: weights, say."""
        for n in node["inputs"]:
            drawn = self.key.get(node["n"], "more").startswith("n")
            if n < 0 and n not in self.key and drawn:
                given = self.picture["given"][-n - 1]
                name = given["name"].rpartition(".")[2] or "tensor"
                group.boxes.append(Box(f"g{-n}", f"{name} {_shape(given)}".strip(), given["name"], "given"))
                self.key[n] = f"g{-n}"

    def _optimiser(self) -> None:
        nodes = [node for node in self.now if node["phase"] not in (FORWARD, BACKWARD)]
        if nodes:
            self.out.step = Group(f"{self.picture['optimiser']}.step", STEP)
            drawn = [node for node in nodes if node["n"] in self.kept.shown]
            self._fill_step(self.out.step, nodes, drawn)

    def _fill_step(self, group: Group, nodes: list[Node], drawn: list[Node]) -> None:
        group.boxes += [self._box(node) for node in drawn]
        rest = [node for node in nodes if node not in drawn]
        gone = sum(not node["alive"] for node in rest)
        self._fold(group, rest, f"{gone} gone already" if gone else "")

    def _past(self) -> None:
        for step in self.kept.drawn_steps:
            group = Group(f"step {step}: should be gone", PAST)
            nodes = [node for node in self.kept.past if node["step"] == step]
            drawn = [node for node in nodes if node["n"] in self.kept.shown]
            group.boxes = [self._box(node) for node in drawn]
            self._more_past(group, [n for n in nodes if n not in drawn], f"of step {step}")
            self.out.past.append(group)
        older = [node for node in self.kept.past if node["step"] not in self.kept.drawn_steps]
        if older:
            steps = sorted({node["step"] for node in older})
            said = (
                f"step{'s' if len(steps) > 1 else ''} {' to '.join(map(str, sorted({steps[0], steps[-1]})))}"
            )
            group = Group(f"{said}: should be gone", PAST)
            self._more_past(group, older, f"of {said}")
            self.oldest = group.boxes[0].key
            self.out.past.append(group)
        counts = {one["name"]: one["nodes"] for one in self.picture["holders"]}
        for name in self.kept.names:
            said = f"holds {counts[name]} nodes of past steps"
            self.out.holders.append(Box(f"holder {name}", name, said, "holder"))

    def _more_past(self, group: Group, nodes: list[Node], said: str) -> None:
        if nodes:
            text = f"+ {len(nodes)} more {'node' if len(nodes) == 1 else 'nodes'}"
            more = Box(f"more {group.title}", text, said, "more", "past", "still alive")
            group.boxes.append(more)
            self.key |= {node["n"]: more.key for node in nodes}

    def _arrows(self) -> None:
        flows, keeps = self.out.flows, self.out.keeps
        for node in self.picture["nodes"]:
            for n in node["inputs"]:
                source, target = self.key.get(n), self.key.get(node["n"])
                if source is None or target is None or source == target:
                    continue
                if n in self.kept.past_numbers:
                    if source == self.oldest or not _folded(source, target):
                        keeps.append((target, source))
                elif not _folded(source, target) and node["step"] == self.picture["step"]:
                    flows.append((source, target))
        first = {self.key[n] for n in self.kept.shown if n in self.key}
        for name, n in self.kept.held:
            if self.key.get(n) in first:
                keeps.append((f"holder {name}", self.key[n]))
        self.out.flows, self.out.keeps = list(dict.fromkeys(flows)), list(dict.fromkeys(keeps))


def _folded(*keys: str) -> bool:
    return any(key.startswith("more") for key in keys)


def _nodes(count: int, more: bool) -> str:
    return f"{count} {'more ' if more else ''}{'node' if count == 1 else 'nodes'}"


def _named(node: Node) -> str:
    is_batch = node["phase"] == FORWARD and not node["layer"]
    return f"{node['op'] or ('batch' if is_batch else 'tensor')} {_shape(node)}".strip()


def _shape(one: dict[str, Any]) -> str:
    shape = one["shape"]
    if shape is None:
        return ""
    comma = ", " if len(shape) < 3 else ","
    return f"({comma.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _place(node: Node) -> str:
    if node["function"] in ("", "Tensor.__init__", "TensorOp.__call__", "Op.__call__"):
        return "made by the grader"
    return f"{node['function']}:{node['line']}"
