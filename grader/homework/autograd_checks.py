"""The checks of `find_topo_sort` and `compute_gradient_of_variables`.

The graphs are made of the grader's own ops (see `worker.autograd`), so that a fault here is a fault
of the two functions and of nothing else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.autograd_graphs import (
    CORNERS,
    MANY_OUTPUTS,
    Graph,
    as_shown,
    draw_graph,
    fewest_nodes,
    graph_of,
    reached,
    reached_leaves,
)
from grader.homework.check import Check
from grader.homework.examine import Examination, demand
from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.oracle import finite, graphs, mistakes_apps
from grader.oracle.mistakes import Question, explaining
from grader.oracle.mistakes_orders import ORDERS
from grader.sandbox.channel import Reply

SORT = "find_topo_sort"
GRADIENT = "compute_gradient_of_variables"
RANDOM_GRAPHS = 12
SHALLOW, DEEP = 6, 10
CHAIN = 300


def topo_sort(question: str) -> tuple[Check, ...]:
    """Return the checks of `find_topo_sort`."""
    make = partial(Check, question, SORT, target=f"needle.autograd.{SORT}", isolated=True)
    first = (f"{question}.{SORT}.order",)
    return (
        make("order", "post-order depth-first, each node once", _order, weight=4.0),
        make("outputs", "several outputs are sorted together", _outputs, weight=2.0, needs=first),
        make("growth", "the work grows with the graph, not with its paths", _growth, weight=2.0, needs=first),
        make("depth", f"a chain of {CHAIN} nodes is sorted", _depth, needs=first),
    )


def _order(trial: Trial) -> None:
    graphs_tried = [*CORNERS, *(draw_graph(trial.source) for _ in range(RANDOM_GRAPHS))]
    _sorted_all(trial, [replace(graph, outputs=graph.outputs[-1:]) for graph in graphs_tried])


def _outputs(trial: Trial) -> None:
    _sorted_all(trial, MANY_OUTPUTS)


def _sorted_all(trial: Trial, tried: list[Graph]) -> None:
    found = trial.search(tried, partial(_sort_once, trial), draw_graph, Graph.size)
    if found:
        graph, failure = found
        failure.counterexample = as_shown(graph) | {"outputs": [f"x{i}" for i in graph.outputs]}
        _name_order(trial, tried, failure)
        raise failure


def _name_order(trial: Trial, tried: list[Graph], failure: Failure) -> None:
    """Name the order in which all graphs come out, if it is a known one."""
    if not trial.budget.total:
        return
    observed = []
    for graph in tried:
        with contextlib.suppress(Failure):
            order = np.array(_sort(trial, graph)["order"])
            question = Question((), (graph.program, len(graph.leaves), graph.outputs))
            observed.append((question, [order]))
    mistake = explaining(ORDERS, observed, lambda mine, wrong: np.array_equal(mine[0], wrong[0]))
    if mistake is not None:
        failure.explained(SORT, mistake.id, mistake.says)


def _sort(trial: Trial, graph: Graph, *, count: bool = False) -> dict[str, Any]:
    arguments = {"program": graph.instructions(), "outputs": list(graph.outputs), "count": count}
    return trial.ask("autograd.sort", arguments, list(graph.leaves)).values


def _sort_once(trial: Trial, graph: Graph) -> None:
    order = _sort(trial, graph)["order"]
    right = graphs.postorder(graph.program, len(graph.leaves), graph.outputs)
    if order != right:
        names = [f"x{i}" if i >= 0 else "?" for i in order[:40]]
        raise Failure(
            f"{SORT} {_disorder(graph, order, right)}",
            help="append a node once, after all its inputs: it is done when it is appended, not when it is "
            "met for the first time",
            expected=[f"x{i}" for i in right[:40]],
            actual=names,
            group="order",
        )


def _disorder(graph: Graph, order: list[int], right: list[int]) -> str:
    """Return what is wrong with an order, the most basic thing first."""
    twice = [i for i in right if order.count(i) > 1]
    if twice:
        return f"lists x{twice[0]} {order.count(twice[0])} times; every node comes once"
    missing = [i for i in right if i not in order]
    if missing:
        return f"leaves out x{missing[0]}"
    if len(order) != len(right):
        return "lists values that are not nodes of the graph"
    place = {position: at for at, position in enumerate(order)}
    for position in right:
        inputs = graph.program[position - len(graph.leaves)][1] if position >= len(graph.leaves) else ()
        for i in inputs:
            if place[i] > place[position]:
                return f"puts x{position} before its input x{i}"
    first = next(i for i, (mine, theirs) in enumerate(zip(order, right, strict=True)) if mine != theirs)
    return (
        f"is not in post-order: place {first} is x{order[first]}, expected x{right[first]} "
        "(inputs are visited in order, depth first)"
    )


def _growth(trial: Trial) -> None:
    steps = [
        _sort(trial, graph_of(graphs.ladder(layers), 1), count=True).get("steps", 0)
        for layers in (SHALLOW, DEEP)
    ]
    trial.measurements |= {f"steps_{SHALLOW}_layers": steps[0], f"steps_{DEEP}_layers": steps[1]}
    if steps[1] > 4 * max(steps[0], 1):
        raise Failure(
            f"{SORT}: visits double per layer ({steps[0]} steps for {SHALLOW} layers of x = x + x, "
            f"{steps[1]} for {DEEP})",
            help="look at visited before descending into a node, not after",
            counterexample={"graph": graph_of(graphs.ladder(4), 1).text() + "; ..."},
            group="growth",
        )


def _depth(trial: Trial) -> None:
    graph = graph_of(graphs.chain(CHAIN), 1)
    order = _sort(trial, graph)["order"]
    if order != list(range(CHAIN + 1)):
        raise Failure(f"{SORT} does not sort a chain of {CHAIN} nodes", group="order")


def compute_gradient(question: str) -> tuple[Check, ...]:
    """Return the checks of `compute_gradient_of_variables`."""
    make = partial(Check, question, GRADIENT, target=f"needle.autograd.{GRADIENT}")
    first = (f"{question}.{GRADIENT}.values",)
    return (
        make(
            "values",
            "the leaves get the right gradients",
            partial(_values, reached_leaves),
            weight=4.0,
        ),
        make(
            "inner",
            "every node on the way gets its .grad",
            partial(_values, reached),
            weight=2.0,
            needs=first,
        ),
        make(
            "second_order", "a gradient can be differentiated again", _second_order, weight=2.0, needs=first
        ),
        make("growth", "the work grows with the graph, not with its paths", _gradient_growth, needs=first),
        make(
            "graph", "contributions are summed without an extra node", _extra_nodes, weight=0.0, needs=first
        ),
    )


def _ask_gradients(
    trial: Trial, graph: Graph, wanted: list[int], moved: Graph | None = None, *, twice: bool = False
) -> Reply:
    arguments = {
        "program": graph.instructions(),
        "leaves": len(graph.leaves),
        "wanted": wanted,
        "again": bool(moved),
        "twice": twice,
    }
    more = [*moved.leaves, moved.cotangent] if moved else []
    return trial.ask("autograd.gradients", arguments, [*graph.leaves, graph.cotangent, *more])


def _values(wanted_of: Callable[[Graph], list[int]], trial: Trial) -> None:
    Examination(
        function=GRADIENT,
        cases=[*CORNERS, *(draw_graph(trial.source) for _ in range(RANDOM_GRAPHS))],
        ask=lambda graph: _grads(trial, graph, wanted_of(graph)),
        right=lambda graph: _adjoints(graph, wanted_of(graph)),
        names=[],
        shown=lambda graph: as_shown(graph) | {"out_grad": words.excerpt(graph.cotangent)},
        question=lambda graph: Question(graph.leaves, (graph.program, wanted_of(graph)), graph.cotangent),
        mistakes=mistakes_apps.AUTOGRAD,
        draw=draw_graph,
        size=Graph.size,
        demand=lambda graph, mine: demand(
            mine, _adjoints(graph, wanted_of(graph)), [f"{GRADIENT}: x{i}.grad" for i in wanted_of(graph)]
        ),
    ).run(trial)


def _grads(trial: Trial, graph: Graph, wanted: list[int]) -> list[np.ndarray]:
    reply = _ask_gradients(trial, graph, wanted)
    if reply.values.get("missing"):
        raise Failure(f"{GRADIENT} leaves x{reply.values['missing'][0]}.grad unset", group="missing")
    return reply.arrays


def _adjoints(graph: Graph, wanted: list[int]) -> list[np.ndarray]:
    found = graphs.adjoints(graph.program, graph.leaves, graph.cotangent)
    return [found[position] for position in wanted]


def _second_order(trial: Trial) -> None:
    for graph in [*CORNERS, *(draw_graph(trial.source) for _ in range(3))]:
        moved = replace(
            graph, leaves=tuple(x * 1.25 for x in graph.leaves), cotangent=graph.cotangent[::-1] * 1.5
        )
        wanted = reached_leaves(graph)
        reply = _ask_gradients(trial, graph, wanted, moved)
        right = graphs.adjoints(moved.program, moved.leaves, moved.cotangent)
        for position, mine in zip(wanted, reply.arrays, strict=True):
            if compare.mismatch(mine, right[position]):
                raise Failure(
                    f"{GRADIENT}: x{position}.grad is detached: "
                    "it is not a graph of tensor operations on the inputs",
                    help="add up and pass on Tensors, never their data",
                    counterexample=as_shown(graph),
                    group="detached",
                )
    for graph in CORNERS[1:4]:
        _twice(trial, graph)


def _twice(trial: Trial, graph: Graph) -> None:
    """Differentiate the gradient of x0 by a second call; x0.grad is then that call's alone."""
    mine = _ask_gradients(trial, graph, [0], twice=True).arrays

    def first(x0: np.ndarray) -> np.ndarray:
        return graphs.adjoints(graph.program, [x0, *graph.leaves[1:]], graph.cotangent)[0]

    right = finite.gradient(first, graph.leaves[:1], 0, graph.cotangent)
    name = f"{GRADIENT}, called again on x0.grad: x0.grad"
    try:
        demand(mine, [right], [name], extra=compare.DIFFERENCE)
    except Failure as failure:
        failure.help = "each call sets .grad anew; it does not add to what an earlier call has left"
        failure.counterexample = as_shown(graph) | {"out_grad": words.excerpt(graph.cotangent)}
        raise


def _gradient_growth(trial: Trial) -> None:
    made = [
        _ask_gradients(trial, graph_of(graphs.ladder(layers), 1), [0]).values.get("made", 0)
        for layers in (SHALLOW, DEEP)
    ]
    trial.measurements |= {f"nodes_{SHALLOW}_layers": made[0], f"nodes_{DEEP}_layers": made[1]}
    if made[1] > 4 * max(made[0], 1):
        raise Failure(
            f"{GRADIENT}: the work doubles per layer ({made[0]} nodes for {SHALLOW} layers of x = x + x, "
            f"{made[1]} for {DEEP})",
            help="go through the nodes in reverse topological order, each once: sum what has come to a node "
            "before it is passed on",
            counterexample={"graph": graph_of(graphs.ladder(4), 1).text() + "; ..."},
            group="growth",
        )


def _extra_nodes(trial: Trial) -> None:
    graph = CORNERS[3]
    made = _ask_gradients(trial, graph, [0]).values.get("made", 0)
    least = fewest_nodes(graph)
    trial.measurements |= {"nodes": made, "budget": least}
    if made > least:
        raise Failure(
            f"{GRADIENT} makes {made} nodes where {least} are enough; Python's sum() starts with 0 + ..., "
            "the `sum_node_list` that was given does not",
            help="sum_node_list adds a list of nodes without the extra zero",
            counterexample=as_shown(graph),
            group="nodes",
        )
