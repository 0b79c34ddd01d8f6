"""Each known mistake of the optimisers is named when a program makes it, and no other; right ones pass."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from grader.homework import optim_checks, optim_skipped, optim_trial
from grader.oracle import mistakes_adam, mistakes_optim, optim
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply
from tests.homework.fakes import Answer, verdict

CHECKS = optim_checks.optim("optim")
SEEDS = range(int(os.environ.get("GRADER_SEEDS", "1")))


def _question(arguments: dict[str, Any], arrays: list[np.ndarray]) -> Question:
    count = arguments["parameters"]
    gradients = arrays[count:]
    table = [[None if n is None else gradients[n] for n in row] for row in arguments["rows"]]
    return Question(tuple(arrays[:count]), (optim.Settings(**{"lr": 0.01, **arguments["keywords"]}), table))


def answering(wrong: Any, touched: tuple[int, ...] = ()) -> Answer:
    """A worker that gives the trajectories of `wrong`, in float32."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        made = wrong(_question(arguments, arrays))
        return Reply({"touched": list(touched)}, [_narrow(one) for one in made])

    return answer


def right(name: str) -> Any:
    rule = optim_trial.RULES[name]
    return lambda q: optim.trajectory(rule, q.inputs, q.parameters[1], q.parameters[0])


def _narrow(array: np.ndarray) -> np.ndarray:
    return array if array.dtype == np.float16 else array.astype(np.float32)


CASES = [
    *(("SGD.values", mistake) for mistake in mistakes_optim.SGD),
    *(("Adam.values", mistake) for mistake in mistakes_adam.ADAM),
    *(("Adam.eps", mistake) for mistake in mistakes_adam.EPSILON),
    *((f"{name}.none", one) for name, wrong in optim_skipped.SKIPPING.items() for one in wrong),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("check", "mistake"), CASES, ids=lambda one: getattr(one, "id", one))
def test_mistake_is_named(check: str, mistake: Mistake, seed: int) -> None:
    """The check names exactly the mistake that was made."""
    failure = verdict(CHECKS, check, answering(mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id
    assert mistake.says in failure.message


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["SGD", "Adam"])
@pytest.mark.parametrize("kind", ["values", "state", "none", "hygiene"])
def test_right_trajectories_pass(name: str, kind: str, seed: int) -> None:
    """The oracle's own answers, rounded to float32, pass every check."""
    assert verdict(CHECKS, f"{name}.{kind}", answering(right(name)), seed) is None


def test_each_parameter_may_have_a_clock_of_its_own() -> None:
    """An Adam that counts t for each parameter, as PyTorch does, passes where gradients are missing."""

    def own_clock(q: Question) -> Any:
        return optim.trajectory(
            optim.adam, q.inputs, q.parameters[1], q.parameters[0], clock=lambda t, position, own: own
        )

    assert verdict(CHECKS, "Adam.none", answering(own_clock)) is None


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_missing_gradients_are_not_zero(name: str) -> None:
    """Who takes None for 0 moves parameters that have to rest."""

    def filled(q: Question) -> Any:
        table = [
            [np.zeros(p.shape) if g is None else g for p, g in zip(q.inputs, row, strict=True)]
            for row in q.parameters[1]
        ]
        return optim.trajectory(optim_trial.RULES[name], q.inputs, table, q.parameters[0])

    failure = verdict(CHECKS, f"{name}.none", answering(filled))

    assert failure is not None
    assert failure.known_mistake == f"{name.lower()}-none-as-zero"


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_state_by_value_is_found(name: str) -> None:
    """Parameters of equal values must not share a state."""
    rule = optim_trial.RULES[name]

    def by_value(q: Question) -> Any:
        first = [next(i for i, p in enumerate(q.inputs) if np.array_equal(p, one)) for one in q.inputs]
        return optim.trajectory(
            rule, q.inputs, q.parameters[1], q.parameters[0], key=lambda position, grad, t: first[position]
        )

    failure = verdict(CHECKS, f"{name}.state", answering(by_value))

    assert failure is not None
    assert failure.known_mistake == f"{name.lower()}-state-shared"


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_hygiene_is_told(name: str) -> None:
    """float64 parameters and changed gradients are told as such."""

    def widened(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        return Reply({"touched": []}, right(name)(_question(arguments, arrays)))

    wide = verdict(CHECKS, f"{name}.hygiene", widened)
    touched = verdict(CHECKS, f"{name}.hygiene", answering(right(name), (0,)))

    assert wide is not None
    assert "turns float64" in wide.message
    assert touched is not None
    assert "the gradient of parameter 0 is changed" in touched.message


DUMB = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "nan": lambda one: np.full_like(one, np.nan),
    "empty": lambda one: one[:0],
    "half": lambda one: one.astype(np.float16),
}


@pytest.mark.parametrize("dumb", DUMB)
@pytest.mark.parametrize("check", ["values", "state", "none"])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_dumb_answers_fail(name: str, check: str, dumb: str) -> None:
    """No check accepts an answer without content; hygiene is not run unless the values are right."""
    failure = verdict(CHECKS, f"{name}.{check}", answering(lambda q: [DUMB[dumb](a) for a in right(name)(q)]))

    assert failure is not None
