"""Delta debugging finds sets of which nothing can be left out, in few experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.blame.search import ddmin, smallest

Search = Callable[[Sequence[int], "Experiment"], list[int]]


class Experiment:
    """Helps when all of the culprits are among what is replaced; counts how often it is asked."""

    def __init__(self, *alternatives: set[int]) -> None:
        self.alternatives = alternatives
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, replaced: Sequence[int]) -> bool:
        self.asked.append(tuple(replaced))
        return any(one <= set(replaced) for one in self.alternatives)


@pytest.mark.parametrize("search", [smallest, ddmin])
@given(st.data(), st.integers(1, 80), st.integers(1, 3))
def test_culprits_are_found(search: Search, data: st.DataObject, count: int, culprits: int) -> None:
    """One, two or three culprits among any number of candidates are found, and nothing else."""
    guilty = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=culprits))

    found = search(range(count), Experiment(guilty))

    assert set(found) == guilty
    assert len(found) == len(guilty)


@pytest.mark.parametrize("search", [smallest, ddmin])
@given(st.data(), st.integers(1, 40))
def test_result_is_minimal(search: Search, data: st.DataObject, count: int) -> None:
    """With several explanations the result is one of them: without any of its elements it does not help."""
    sets = st.sets(st.integers(0, count - 1), min_size=1, max_size=4)
    experiment = Experiment(*data.draw(st.lists(sets, min_size=1, max_size=3)))

    found = search(range(count), experiment)

    assert experiment(found)
    assert not any(experiment([one for one in found if one != left]) for left in found)


@pytest.mark.parametrize("count", [1, 2, 7, 56, 200])
def test_one_culprit_costs_logarithmically(count: int) -> None:
    """Wherever a single culprit stands, about two experiments per halving name it."""
    for guilty in range(count):
        experiment = Experiment({guilty})

        assert smallest(range(count), experiment) == [guilty]
        assert len(experiment.asked) <= 2 * ceil(log2(count)) if count > 1 else not experiment.asked


@pytest.mark.parametrize(("guilty", "most"), [({0, 55}, 24), ({10, 11}, 24), ({3, 25, 50}, 36)])
def test_several_culprits_cost_a_bounded_number(guilty: set[int], most: int) -> None:
    """Two or three culprits among 56 take tens of experiments, not hundreds."""
    experiment = Experiment(guilty)

    assert set(smallest(range(56), experiment)) == guilty
    assert len(experiment.asked) <= most


def test_no_experiment_is_made_on_nothing() -> None:
    """The empty set is never tried: the check has failed with it already."""
    experiment = Experiment({4})

    smallest(range(9), experiment)

    assert all(experiment.asked)


def test_a_change_that_spoils_another() -> None:
    """Where replacing more can spoil what replacing less has mended, a minimal set is still found."""

    def helps(replaced: Sequence[int]) -> bool:
        chosen = set(replaced)
        return {2, 5} <= chosen and (9 not in chosen or 11 in chosen)

    assert set(smallest(range(12), helps)) == {2, 5}
