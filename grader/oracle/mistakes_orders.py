"""Known mistakes of the topological sort: other orders than depth-first post-order.

The parameters of a question are a program, the number of its leaves and the outputs that are sorted for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from grader.oracle import graphs
from grader.oracle.graphs import Program
from grader.oracle.mistakes import Array, Mistake, Question

Order = Callable[[Program, int, Sequence[int]], list[int]]


def _levels(program: Program, leaves: int, outputs: Sequence[int]) -> list[int]:
    """Return nodes level by level from the outputs, each where it is met first."""
    order = list(dict.fromkeys(outputs))
    for position in order:  # grows meanwhile
        order += [i for i in dict.fromkeys(graphs.inputs_of(program, leaves, position)) if i not in order]
    return order


def _wrong(order: Order, *, reverse: bool = False) -> Callable[[Question], list[Array] | None]:
    """Make the mistake of another order, or of its reverse."""

    def wrong(q: Question) -> list[Array]:
        found = order(*q.parameters)
        return [np.array(found[::-1] if reverse else found)]

    return wrong


ORDERS = [
    Mistake(
        "order-before-inputs",
        "a node is appended before its inputs: append it after the loop over them",
        _wrong(lambda *graph: graphs.depth_first(*graph, before=True)),
    ),
    Mistake(
        "order-before-inputs-reversed",
        "a node is appended before its inputs, and the list is reversed: append it after the loop over its "
        "inputs, and do not reverse",
        _wrong(lambda *graph: graphs.depth_first(*graph, before=True), reverse=True),
    ),
    Mistake(
        "order-last-input-first",
        "the inputs of a node are visited from the last to the first: go through `node.inputs` in order",
        _wrong(lambda *graph: graphs.depth_first(*graph, backwards=True)),
    ),
    Mistake(
        "order-reversed",
        "the list is reversed: the inputs come first, the output last",
        _wrong(graphs.postorder, reverse=True),
    ),
    Mistake(
        "order-by-levels",
        "the nodes come level by level (breadth first), from the output: go down into each input before the "
        "next",
        _wrong(_levels),
    ),
    Mistake(
        "order-by-levels-reversed",
        "the nodes come level by level (breadth first), the output last: go down into each input before the "
        "next",
        _wrong(_levels, reverse=True),
    ),
]
