"""Which nodes stay alive after their step, by whom, and which few of them show it."""

from __future__ import annotations

from collections import deque
from typing import Any

DRAWN_STEPS = 2
MOST_SHOWN = 5  # nodes of a past step
MOST_NAMES = 2


class Kept:
    """What a leak keeps; everything is empty where nothing grows.

    `past` are the living nodes of past steps, `now` the numbers of those of this step that a holder
    reaches, `held` pairs (holder's name, number), `shown` the numbers that are drawn each.
    """

    def __init__(self, picture: dict[str, Any]) -> None:
        leaks = picture["growth"] > 0
        self.step: int = picture["step"]
        self.nodes = {node["n"]: node for node in picture["nodes"]} if leaks else {}
        self.past = [node for node in self.nodes.values() if node["step"] < self.step]
        self.past_numbers = {node["n"] for node in self.past}
        steps = sorted({node["step"] for node in self.past}, reverse=True)
        self.drawn_steps = steps[:DRAWN_STEPS]
        most = max((one["nodes"] for one in picture["holders"]), default=0)
        big = [one["name"] for one in picture["holders"] if 2 * one["nodes"] >= most]
        self.names = big[:MOST_NAMES] if leaks else []
        self.held = [(name, n) for name, n in picture["held"] if name in self.names and n in self.nodes]
        self.parents = self._walk([n for _, n in self.held])
        self.now = {n for n in self.parents if self.nodes[n]["step"] == self.step}
        self.shown = self._shown()

    def _walk(self, starts: list[int]) -> dict[int, int | None]:
        """Return the node through which each is reached first, from the holders along inputs."""
        parents: dict[int, int | None] = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            n = queue.popleft()
            for inner in self.nodes[n]["inputs"]:
                if inner in self.nodes and inner not in parents:
                    parents[inner] = n
                    queue.append(inner)
        return parents

    def _shown(self) -> set[int]:
        """Return one way from a holder to the oldest drawn step, and its nearest neighbours in past steps."""
        shown: set[int] = set()
        for name in self.names:
            shown |= self._way({n for one, n in self.held if one == name})
        for step in (self.step, *self.drawn_steps):  # a list may hold nodes of each
            shown |= set([n for _, n in self.held if self.nodes[n]["step"] == step][:1])
        near = self._walk(sorted(shown, reverse=True))
        for step in self.drawn_steps:
            count = sum(self.nodes[n]["step"] == step for n in shown)
            mine = [n for n in (*near, *sorted(self.past_numbers)) if self.nodes[n]["step"] == step]
            shown |= set([n for n in dict.fromkeys(mine) if n not in shown][: max(0, MOST_SHOWN - count)])
        return shown

    def _way(self, starts: set[int]) -> set[int]:
        """Return the shortest way from a start through the oldest step that is drawn."""
        parents = self._walk(sorted(starts))
        last = (self.drawn_steps or [0])[-1]
        inside = [n for n in parents if self.nodes[n]["step"] == last]
        leaving = [n for n in inside if any(self._step(m) < last for m in self.nodes[n]["inputs"])]
        ends = leaving or inside
        way: set[int] = set()
        n = ends[0] if ends else None
        while n is not None:
            way.add(n)
            n = parents[n]
        return way

    def _step(self, n: int) -> int:
        return self.nodes[n]["step"] if n in self.nodes else self.step
