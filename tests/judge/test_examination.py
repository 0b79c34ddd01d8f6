"""From answers to a failure: when a known mistake is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.homework.check import Check
from grader.homework.examine import Examination, demand
from grader.judge.failure import Failure
from grader.oracle.mistakes import Mistake, Question, explaining
from tests.oracle.answering import answering

CASES = [np.array([1.0, 2.0]), np.array([2.0, 2.0]), np.array([-1.0, 3.0])]
DOUBLE = Mistake("double", "it is doubled", lambda q: [2 * q.inputs[0]])
TWICE = Mistake("twice", "it is added to itself", lambda q: [q.inputs[0] + q.inputs[0]])
SQUARE = Mistake("square", "it is squared", lambda q: [q.inputs[0] ** 2])
NEVER = Mistake("never", "it cannot be made", lambda q: None)
BROKEN = Mistake("broken", "its formula breaks", lambda q: [q.inputs[0].reshape(7)])


def _fails(program: Callable[[np.ndarray], Any], mistakes: list[Mistake]) -> Failure:
    examination = Examination(
        function="same",
        cases=CASES,
        ask=lambda one: [program(one)],
        right=lambda one: [one],
        names=["the output"],
        shown=lambda one: {"a": one.tolist()},
        question=lambda one: Question((one,)),
        mistakes=mistakes,
    )
    check = Check("q", "same", "values", "title", lambda trial: None)
    with pytest.raises(Failure) as caught:
        examination.run(answering(check, lambda *_: []))
    return caught.value


def test_one_explanation_is_named() -> None:
    """The one mistake that gives all answers; those that cannot be made or break explain nothing."""
    failure = _fails(lambda a: 2 * a, [SQUARE, DOUBLE, NEVER, BROKEN])

    assert (failure.known_mistake, failure.message) == ("double", "same: it is doubled")
    assert failure.counterexample == {"a": [1.0, 2.0]}


@pytest.mark.parametrize("mistakes", [[], [SQUARE], [DOUBLE, TWICE], [NEVER, BROKEN]])
def test_no_or_two_explanations_are_not_named(mistakes: list[Mistake]) -> None:
    """Then the numbers speak: what came, what was expected, where."""
    failure = _fails(lambda a: 2 * a, mistakes)

    assert failure.known_mistake is None
    assert failure.message == "same: the output is 4 at [1], expected 2"
    assert failure.measurements["error_in_tolerances"] > 1


def test_a_mistake_must_explain_every_case() -> None:
    """One case that it does not give is enough to clear it."""
    failure = _fails(lambda a: 2 * a if a[0] > 0 else 3 * a, [DOUBLE])

    assert failure.known_mistake is None


def test_answers_that_are_not_numbers_explain_nothing() -> None:
    """NaN in an answer or in a mistake's formula is compared like any number."""
    nan = Mistake("nan", "it is nan", lambda q: [q.inputs[0] * np.nan])

    assert _fails(lambda a: a * np.nan, [DOUBLE, nan]).known_mistake == "nan"
    assert _fails(lambda a: a * 2, [DOUBLE, nan]).known_mistake == "double"


def test_a_raising_program_names_no_mistake() -> None:
    """Where nothing came back there is nothing to explain."""

    def raises(a: np.ndarray) -> np.ndarray:
        raise Failure("same raised ValueError", verdict="error", group="raised")

    assert _fails(raises, [DOUBLE]).known_mistake is None


def test_demand() -> None:
    """The first wrong array is shown; missing ones are named; more than asked for are not looked at."""
    right = [np.zeros(1), np.ones(1)]

    demand([*right, np.zeros(3)], right, ["a", "b"])
    with pytest.raises(Failure, match="b is missing"):
        demand(right[:1], right, ["a", "b"])
    with pytest.raises(Failure, match=r"b is 0 at \[0\], expected 1"):
        demand([right[0], right[0]], right, ["a", "b"])


def test_explaining_needs_an_observation() -> None:
    """Nothing seen, nothing explained."""
    assert explaining([DOUBLE], [], lambda mine, wrong: True) is None
