"""The graphs that `find_topo_sort` and `compute_gradient_of_variables` are tried on.

They are made of the grader's own ops (see `worker.autograd`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.judge import words
from grader.judge.source import Source
from grader.oracle import graphs


@dataclass(frozen=True)
class Graph:
    """A program with its leaves, the cotangent of its output, and the outputs to sort from."""

    program: tuple[tuple[Any, ...], ...]
    leaves: tuple[np.ndarray, ...]
    cotangent: np.ndarray
    outputs: tuple[int, ...]

    def size(self) -> tuple[int, ...]:
        """Order graphs: fewer nodes first."""
        return len(self.program), len(self.leaves), len(self.outputs)

    def instructions(self) -> list[Any]:
        """Return the program as JSON has it."""
        return [[op, list(inputs), *parameters] for op, inputs, *parameters in self.program]

    def text(self) -> str:
        """Return the program as assignments: `x2 = x0 * x1; x3 = sin(x2)`."""
        lines = [_assignment(i, *one) for i, one in enumerate(self.program, len(self.leaves))]
        return "; ".join(lines[:8]) + ("; ..." if len(lines) > 8 else "")


def _assignment(position: int, op: str, inputs: Sequence[int], *parameters: float) -> str:
    a, b = f"x{inputs[0]}", f"x{inputs[-1]}"
    forms = {"add": f"{a} + {b}", "multiply": f"{a} * {b}", "sine": f"sin({a})", "cosine": f"cos({a})"}
    return f"x{position} = {forms.get(op) or f'{parameters[0]:g} * {a}'}"


def draw_graph(source: Source) -> Graph:
    """Return a random graph of one to seven nodes over one or two leaves, several outputs at times."""
    leaves = source.integer(1, 2)
    program: list[tuple[Any, ...]] = []
    for _ in range(source.integer(1, 7)):
        newest = leaves + len(program) - 1
        op = source.choice(["add", "multiply", "scale", "sine"])
        first = newest - source.integer(0, min(newest, 2))
        second = newest - source.integer(0, newest)
        inputs = (first, second) if op in ("add", "multiply") else (newest,)
        program.append((op, inputs, 2.0) if op == "scale" else (op, inputs))
    last = leaves + len(program) - 1
    outputs = (last,) if source.integer(0, 2) < 2 else (last - source.integer(0, last), last)
    values = tuple(source.values((2,), -2.0, 2.0, 0.25) for _ in range(leaves))
    return Graph(tuple(program), values, source.values((2,), -2.0, 2.0, 0.25), outputs)


def graph_of(program: list[list[Any]], leaves: int, *outputs: int) -> Graph:
    """Return a program over so many leaves as a graph; its last node is the output if none is given."""
    made = tuple((op, tuple(inputs), *parameters) for op, inputs, *parameters in program)
    values = tuple(np.array([1.5 - i, 0.5 + i]) for i in range(leaves))
    return Graph(made, values, np.array([2.0, -0.5]), outputs or (leaves + len(program) - 1,))


CORNERS = [
    graph_of([["add", [0, 1]]], 2),
    graph_of([["multiply", [0, 0]]], 1),
    graph_of([["add", [0, 1]], ["multiply", [2, 0]]], 2),
    graph_of([["scale", [0], 2.0], ["sine", [0]], ["add", [1, 2]], ["multiply", [3, 1]]], 1),
    graph_of([["multiply", [1, 0]], ["add", [2, 1]], ["add", [3, 2]]], 2),
]
MANY_OUTPUTS = [
    graph_of([["add", [0, 1]], ["multiply", [0, 1]]], 2, 2, 3),
    graph_of([["add", [0, 1]], ["scale", [2], 2.0], ["sine", [2]]], 2, 3, 4),
    graph_of([["add", [0, 1]], ["scale", [2], 2.0]], 2, 3, 2),
]


def reached_leaves(graph: Graph) -> list[int]:
    """Return the positions of the leaves that the outputs depend on."""
    found = graphs.adjoints(graph.program, graph.leaves, graph.cotangent)
    return [i for i in range(len(graph.leaves)) if i in found]


def reached(graph: Graph) -> list[int]:
    """Return the positions of all nodes that the outputs depend on."""
    return sorted(graphs.adjoints(graph.program, graph.leaves, graph.cotangent))


def fewest_nodes(graph: Graph) -> int:
    """Return the nodes that the ops' own gradients make, and one addition per further contribution."""
    per_op = {"add": 0, "multiply": 2, "scale": 1, "sine": 2, "cosine": 3}
    additions = sum(
        max(0, graphs.uses(graph.program, i, len(graph.leaves)) - 1)
        for i in range(len(graph.leaves) + len(graph.program))
    )
    return sum(per_op[op] for op, *_ in graph.program) + additions


def as_shown(graph: Graph) -> dict[str, Any]:
    """Return a graph as the report shows it."""
    values = {f"x{i}": words.excerpt(leaf) for i, leaf in enumerate(graph.leaves)}
    return {"graph": graph.text(), **values}
