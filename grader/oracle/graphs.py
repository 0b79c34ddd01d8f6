"""Truth for computation graphs: evaluation, adjoints and post-order of small programs.

A program is a list of instructions `[op, [positions of inputs], parameters…]`; positions count the
leaves first. Its last instruction is the output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Program = Sequence[Sequence[Any]]
Combine = Callable[[list[np.ndarray]], np.ndarray]

VALUES: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "multiply": np.multiply,
    "scale": lambda a, factor: a * factor,
    "sine": np.sin,
    "cosine": np.cos,
}

ADJOINTS: dict[str, Callable[..., list[np.ndarray]]] = {
    "add": lambda c, a, b: [c, c],
    "multiply": lambda c, a, b: [c * b, c * a],
    "scale": lambda c, a, factor: [c * factor],
    "sine": lambda c, a: [c * np.cos(a)],
    "cosine": lambda c, a: [-c * np.sin(a)],
}


def evaluate(
    program: Program, leaves: Sequence[np.ndarray], replaced: dict[int, np.ndarray] | None = None
) -> list[np.ndarray]:
    """Return the value of every node; `replaced` fixes nodes to given values."""
    fixed = replaced or {}
    values = list(leaves)
    for position, leaf in enumerate(leaves):
        values[position] = fixed.get(position, leaf)
    for position, (op, inputs, *parameters) in enumerate(program, len(leaves)):
        value = fixed.get(position)
        values.append(VALUES[op](*[values[i] for i in inputs], *parameters) if value is None else value)
    return values


def total(contributions: list[np.ndarray]) -> np.ndarray:
    """Return the sum of the adjoints that reach a node, the right way to combine them."""
    return np.sum(contributions, axis=0)


def adjoints(
    program: Program,
    leaves: Sequence[np.ndarray],
    cotangent: np.ndarray,
    combine: Combine = total,
    *,
    handed_on: Combine | None = None,
    twice: bool = True,
) -> dict[int, np.ndarray]:
    """Return the adjoint of every node that the output depends on, by position.

    `handed_on` makes what an operation hands on to its inputs, if that is, wrongly, not the adjoint itself.
    Without `twice` an operation reaches an input of it only once, wrongly if that stands twice in it.
    """
    values = evaluate(program, leaves)
    last = len(values) - 1
    reaching: dict[int, list[np.ndarray]] = {last: [cotangent]}
    found: dict[int, np.ndarray] = {}
    for position in range(last, -1, -1):
        if position not in reaching:
            continue
        found[position] = combine(reaching[position])
        if position >= len(leaves):
            op, inputs, *parameters = program[position - len(leaves)]
            adjoint = (handed_on or combine)(reaching[position])
            parts = ADJOINTS[op](adjoint, *[values[i] for i in inputs], *parameters)
            pairs = list(zip(inputs, parts, strict=True))
            for i, part in pairs if twice else dict(pairs).items():
                reaching.setdefault(i, []).append(part)
    return found


def inputs_of(program: Program, leaves: int, position: int) -> Sequence[int]:
    """Return the positions of a node's inputs, none of a leaf."""
    inputs: Sequence[int] = program[position - leaves][1] if position >= leaves else ()
    return inputs


def postorder(program: Program, leaves: int, outputs: Sequence[int]) -> list[int]:
    """Return positions in depth-first post-order: inputs in order before their node, each once."""
    return depth_first(program, leaves, outputs)


def depth_first(
    program: Program, leaves: int, outputs: Sequence[int], *, before: bool = False, backwards: bool = False
) -> list[int]:
    """Return positions depth first: nodes after their inputs or `before` them, inputs perhaps backwards."""
    order: list[int] = []
    seen: set[int] = set()

    def visit(position: int) -> None:
        if position in seen:
            return
        seen.add(position)
        if before:
            order.append(position)
        for i in inputs_of(program, leaves, position)[:: -1 if backwards else 1]:
            visit(i)
        if not before:
            order.append(position)

    for output in outputs:
        visit(output)
    return order


def uses(program: Program, position: int, leaves: int) -> int:
    """Return how many times a node stands among the inputs of the nodes that the output depends on."""
    reached = postorder(program, leaves, [leaves + len(program) - 1])
    return sum(program[p - leaves][1].count(position) for p in reached if p >= leaves)


def ladder(layers: int) -> list[list[Any]]:
    """Return `x1 = x0 + x0; x2 = x1 + x1; …`: 2 to the layers paths through as many nodes."""
    return [["add", [i, i]] for i in range(layers)]


def chain(length: int) -> list[list[Any]]:
    """Return a chain of nodes with one input each."""
    return [["scale", [i], 1.0] for i in range(length)]
