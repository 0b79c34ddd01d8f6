"""The units of reference/: what can be put in the place of a student's functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.blame.units import covers, function_name, given, joined, states, units
from grader.homework import table
from grader.places import REFERENCE


@pytest.mark.parametrize("homework", ["hw1", "hw2"])
def test_every_target_has_a_unit(homework: str) -> None:
    """Whatever a check of the homework blames can be replaced."""
    known = [unit.path for unit in (*units(homework, REFERENCE), *given(homework, REFERENCE))]
    targets = {check.target for check in table.find(homework).checks() if check.target}

    assert [one for one in targets if not any(covers(path, one) for path in known)] == []


@pytest.mark.parametrize("homework", ["hw1", "hw2"])
def test_units_are_whole_definitions(homework: str) -> None:
    """Each unit is the source of one definition with a place to write in; the given ones have none."""
    for unit in units(homework, REFERENCE):
        assert len(ast.parse(unit.dedented).body) == 1
        assert "BEGIN YOUR SOLUTION" in unit.source
    for unit in given(homework, REFERENCE):
        assert ast.parse(unit.dedented).body
        assert "BEGIN YOUR SOLUTION" not in unit.source


def test_kinds_of_units() -> None:
    """Ops and autograd come by the function, modules and optimisers by the class."""
    names = {unit.name for unit in units("hw2", REFERENCE)}

    assert {"MatMul.gradient", "find_topo_sort", "BatchNorm1d", "Adam", "epoch"} <= names
    assert not names & {"MatMul", "BatchNorm1d.forward", "Module", "Tensor.__add__"}


def test_given_units() -> None:
    """The scaffold's functions are units by themselves, a property with both of its halves."""
    scaffold = {unit.name: unit for unit in given("hw2", REFERENCE)}

    assert {"Tensor.__add__", "Value.make_const", "Module.parameters", "reshape", "zeros"} <= set(scaffold)
    assert scaffold["Tensor.data"].source.count("def data") == 2
    assert "Linear.__init__" not in scaffold


def test_a_helper_comes_with_its_function() -> None:
    """find_topo_sort brings its own walk: a submission may have none, or another one."""
    sort = next(unit for unit in units("hw1", REFERENCE) if unit.name == "find_topo_sort")

    assert "def topo_sort_dfs" in sort.helpers


def test_methods_are_joined_by_class() -> None:
    """A class whose methods share attributes becomes one unit, its constructor included."""
    written, scaffold = units("hw2", REFERENCE), given("hw2", REFERENCE)

    found = {unit.path: unit for unit in joined(written, {"needle.ops.LogSumExp"}, scaffold)}

    whole = ast.parse(found["needle.ops.LogSumExp"].source).body[0]
    assert isinstance(whole, ast.ClassDef)
    methods = [one.name for one in whole.body if isinstance(one, ast.FunctionDef)]
    assert methods == ["__init__", "compute", "gradient"]
    assert "needle.ops.LogSumExp.compute" not in found
    assert len(found) == len(written) - 1


def test_attributes_that_methods_read() -> None:
    """The state of an op is what its methods read of `self`."""
    read = states(units("hw2", REFERENCE))

    assert read["needle.ops.Summation"] == ["axes"]
    assert read["needle.ops.MatMul"] == []
    assert "needle.nn.Linear" not in read


def test_no_reference(tmp_path: Path) -> None:
    """Without reference/ there are no units."""
    assert units("hw2", tmp_path) == ()
    assert given("hw2", tmp_path) == ()


def test_names_and_covering() -> None:
    """A path without its modules is a name; a class covers its methods, and not those of a namesake."""
    assert function_name("needle.ops.MatMul.gradient") == "MatMul.gradient"
    assert function_name("needle.autograd.find_topo_sort") == "find_topo_sort"
    assert covers("needle.nn.Linear", "needle.nn.Linear.forward")
    assert not covers("needle.nn.ReLU", "needle.ops.ReLU.gradient")
    assert not covers("needle.nn.Linear", "needle.nn.Linear2")
