"""Holds what a submission answers against what is right, on many inputs; names the mistake it finds.

This is the one road from answers to a `Failure`: the first input that fails is made smaller, the known
mistakes are tried on all inputs, and the smallest failure is raised with its evidence.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from grader.homework.trial import Trial
from grader.judge import compare, words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle.mistakes import Mistake, Question, explaining
from grader.sandbox.channel import WorkerFault

T = TypeVar("T")
Arrays = Sequence[np.ndarray]

# Relative error allowed where a submission may compute in float32 on the way, whatever it is given.
SINGLE = 2.0**-23 * 256


@dataclass(frozen=True)
class Examination(Generic[T]):
    """How one function is tried.

    `ask` returns the submission's arrays for an input, `right` the true ones, `names` what they are
    called in a message. `shown` is the input as the report shows it, `question` the same input for the
    known mistakes. `draw` makes inputs for the search of a smaller one (None: the failing input is
    shown as it is), `size` orders them. `plainer` makes inputs with one feature less, each with a clause:
    those that pass say what the failure depends on. `extra` is added to the relative tolerance, which is of
    the largest number, at least of `floor`: the size of the terms that may cancel.
    """

    function: str
    cases: Sequence[T]
    ask: Callable[[T], Arrays]
    right: Callable[[T], Arrays]
    names: Sequence[str]
    shown: Callable[[T], dict[str, Any]]
    question: Callable[[T], Question] | None = None
    mistakes: Sequence[Mistake] = ()
    draw: Callable[[Source], T] | None = None
    plainer: Callable[[T], Iterable[tuple[str, T]]] | None = None
    size: Callable[[T], tuple[int, ...]] = field(default=lambda one: ())
    extra: float = 0.0
    floor: float = compare.FLOOR
    demand: Callable[[T, Arrays], None] | None = None

    def run(self, trial: Trial) -> None:
        """Raise the failure of the smallest failing input, if any input fails."""
        trial.examined(self)
        found = trial.search(self.cases, self._examine, self.draw, self.size)
        if found is None:
            return
        one, failure = found
        shown = failure.counterexample or self.shown(one)
        if failure.known_mistake is None and trial.budget.total:
            self._name(failure)
            is_value = failure.verdict == "failed" and failure.known_mistake is None
            if is_value and (clauses := self._right_if(one)):
                shown = {**shown, "right if": "; ".join(clauses)}
        if trial.budget.total:
            trial.once_more(lambda: self._examine(one))
        failure.counterexample = shown
        raise failure

    def _right_if(self, one: T) -> list[str]:
        """Return the clauses of the plainer inputs that pass."""
        clauses = []
        for clause, other in self.plainer(one) if self.plainer else ():
            with contextlib.suppress(Failure, WorkerFault):
                self._examine(other)
                clauses.append(clause)
        return clauses

    def _examine(self, one: T) -> None:
        self._demand(one, self.ask(one))

    def _is_right(self, one: T, mine: Arrays) -> bool:
        try:
            self._demand(one, mine)
        except Failure:
            return False
        return True

    def _demand(self, one: T, mine: Arrays) -> None:
        if self.demand is not None:
            self.demand(one, mine)
        else:
            names = [f"{self.function}: {name}" for name in self.names]
            demand(mine, self.right(one), names, extra=self.extra, floor=self.floor)

    def _name(self, failure: Failure) -> None:
        if not self.mistakes or self.question is None:
            return
        observed, is_wrong = [], failure.verdict == "failed"
        for one in self.cases:
            try:
                answer = self.ask(one)
                observed.append((self.question(one), answer))
            except Failure:
                continue
            is_wrong = is_wrong or not self._is_right(one, answer)
        mistake = explaining(self.mistakes, observed, self._same) if is_wrong else None
        if mistake is not None:
            failure.explained(self.function, mistake.id, mistake.says)

    def _same(self, answer: Arrays, wrong: Sequence[Any]) -> bool:
        extra = max(self.extra, compare.DIFFERENCE)
        with np.errstate(over="ignore"):  # what a wrong formula makes may be more than float32 holds
            return len(answer) >= len(wrong) and all(
                compare.same(mine, _held(theirs, mine), extra=extra, floor=self.floor)
                for mine, theirs in zip(answer, wrong, strict=False)
            )


def _held(values: Any, like: np.ndarray) -> np.ndarray:
    """Return values as another array's type of floats holds them."""
    return np.asarray(values).astype(like.dtype if like.dtype.kind == "f" else np.float64)


def demand(actual: Arrays, expected: Arrays, names: Sequence[str], **tolerances: Any) -> None:
    """Raise a failure that shows the first array that is not right."""
    if len(actual) < len(expected):
        raise Failure(f"{names[len(actual)]} is missing", group="missing")
    for mine, right, name in zip(actual, expected, names, strict=False):
        wrong = compare.mismatch(mine, right, **tolerances)
        if wrong is not None:
            shown, expected_shown = words.compared(mine, right)
            raise Failure(
                f"{name} is {wrong.text}",
                expected=expected_shown,
                actual=shown,
                measurements={"error_in_tolerances": words.number(wrong.error)} if wrong.error else {},
                group=wrong.kind,
                arrays=(mine, right),
            )


def demand_kind(mine: np.ndarray, shape: tuple[int, ...], right: Callable[[], np.ndarray], name: str) -> None:
    """Refuse another shape or dtype, NaN and infinities; `right` makes the truth, if it has to be shown."""
    if compare.mismatch(mine, np.zeros(shape), scale=np.inf) is not None:
        demand([mine], [right()], [name], scale=np.inf)
