"""The truth of computation graphs: evaluation, adjoints, post-order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.oracle import finite, graphs

LEAVES = 2


@st.composite
def programs(draw: st.DrawFn) -> list[list[Any]]:
    """Programs of one to eight instructions over two leaves."""
    program: list[list[Any]] = []
    for newest in range(LEAVES, LEAVES + draw(st.integers(1, 8))):
        op = draw(st.sampled_from(["add", "multiply", "scale", "sine", "cosine"]))
        count = 2 if op in ("add", "multiply") else 1
        inputs = [draw(st.integers(0, newest - 1)) for _ in range(count)]
        program.append([op, inputs, 0.5] if op == "scale" else [op, inputs])
    return program


def _leaves() -> list[np.ndarray]:
    return [np.array([0.5, -1.0]), np.array([1.25, 0.75])]


def _depth_first(program: list[list[Any]], position: int) -> list[int]:
    """Post-order with repetitions: inputs in order, then the node."""
    inputs = program[position - LEAVES][1] if position >= LEAVES else []
    return [one for i in inputs for one in _depth_first(program, i)] + [position]


@settings(deadline=None, max_examples=60)
@given(programs(), st.data())
def test_postorder(program: list[list[Any]], data: st.DataObject) -> None:
    """Each node once, inputs before their node; the first time each is left by a plain depth-first walk."""
    last = LEAVES + len(program) - 1
    outputs = data.draw(st.lists(st.integers(0, last), min_size=1, max_size=3))

    order = graphs.postorder(program, LEAVES, outputs)

    walk = [one for output in outputs for one in _depth_first(program, output)]
    assert order == list(dict.fromkeys(walk))
    assert len(order) == len(set(order))
    place = {node: at for at, node in enumerate(order)}
    assert all(place[i] < place[p] for p in order if p >= LEAVES for i in program[p - LEAVES][1])


@settings(deadline=None, max_examples=40)
@given(programs())
def test_adjoints_are_derivatives(program: list[list[Any]]) -> None:
    """The adjoint of every node is the derivative of the output when that node alone is moved."""
    leaves, cotangent = _leaves(), np.array([2.0, -0.5])
    values = graphs.evaluate(program, leaves)

    found = graphs.adjoints(program, leaves, cotangent)

    assert sorted(found) == sorted(graphs.postorder(program, LEAVES, [len(values) - 1]))
    for position, adjoint in found.items():

        def output(moved: np.ndarray, position: int = position) -> np.ndarray:
            return graphs.evaluate(program, leaves, {position: moved})[-1]

        try:
            expected = finite.gradient(output, [values[position]], 0, cotangent)
        except finite.Undecidable:
            continue  # a chain of products is too steep for the step
        np.testing.assert_allclose(adjoint, expected, rtol=1e-6, atol=1e-7)


def test_evaluate() -> None:
    """Instructions count the leaves first; what is replaced is not computed."""
    program = [["add", [0, 1]], ["multiply", [2, 0]], ["scale", [3], 2.0]]
    leaves = [np.array(3.0), np.array(4.0)]

    assert graphs.evaluate(program, leaves) == [3, 4, 7, 21, 42]
    assert graphs.evaluate(program, leaves, {2: np.array(1.0), 1: np.array(9.0)}) == [3, 9, 1, 3, 6]


def test_uses() -> None:
    """A node that stands twice in one instruction counts twice; what the output does not need counts not."""
    program = [["multiply", [0, 0]], ["sine", [0]], ["add", [2, 0]]]

    assert [graphs.uses(program, i, 1) for i in range(4)] == [2, 0, 1, 0]


@pytest.mark.parametrize("layers", [1, 5, 20])
def test_ladder_and_chain(layers: int) -> None:
    """A ladder doubles, a chain keeps; both have one node per layer."""
    assert graphs.evaluate(graphs.ladder(layers), [np.array(1.0)])[-1] == 2.0**layers
    assert graphs.evaluate(graphs.chain(layers), [np.array(5.0)])[-1] == 5.0
    assert len(graphs.postorder(graphs.ladder(layers), 1, [layers])) == layers + 1
