"""The sentence over the picture: what it shows, and who is at fault."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Node = dict[str, Any]


def title(picture: dict[str, Any]) -> str:
    """Return the sentence that says what the picture shows."""
    if picture["growth"] > 0:
        return _leak_title(picture)
    drawn = [node for node in picture["nodes"] if node["step"] == picture["step"]]
    worst = max(_calls(drawn, picture["budgets"]), key=lambda call: call[1] - call[2], default=None)
    if worst is not None and worst[1] > worst[2]:
        return f"{worst[0]}.gradient makes {worst[1]} nodes in one call, the budget is {worst[2]}"
    if picture["subject"]:
        return f"{picture['subject']} and its gradient: {len(drawn)} nodes, within the budget"
    return (
        f"One training step with {picture['optimiser']} makes {len(drawn)} nodes; "
        "nothing of the steps before piles up"
    )


def _leak_title(picture: dict[str, Any]) -> str:
    holders = picture["holders"]
    most = holders[0]["nodes"] if holders else 0
    names = [one["name"] for one in holders if 2 * one["nodes"] >= most][:2]
    who = " and ".join(names) or "Something out of sight (a closure, a global)"
    past = [node for node in picture["nodes"] if node["step"] < picture["step"]]
    count = most if len(names) == 1 else len(past)
    verb = "hold" if len(names) > 1 else "holds"
    return f"{who} {verb} {count} nodes of past steps, {picture['growth']:g} more with every step"


def _calls(nodes: Iterable[Node], budgets: dict[str, int]) -> list[tuple[str, int, int]]:
    """Return the calls of `gradient`: the op, how many nodes, how many are allowed."""
    nodes = list(nodes)
    ops = {node["n"]: node["op"] for node in nodes}
    counts: dict[int, int] = {}
    for node in nodes:
        if node["of"] is not None:
            counts[node["of"]] = counts.get(node["of"], 0) + 1
    return [(ops[n], count, budgets[ops[n]]) for n, count in counts.items() if n in ops and ops[n] in budgets]
