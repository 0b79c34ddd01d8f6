"""A trial whose worker is a function of ours: checks are run on the answers of any formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.homework import op_checks
from grader.homework.check import Check
from grader.homework.op import Case, Op
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply

Wrong = Callable[[Question], Any]
Answer = Callable[[str, dict[str, Any], list[np.ndarray]], Sequence[Any]]


class Answering(Trial):
    """Answers each request with `answer(probe, arguments, arrays)`; nothing is made smaller."""

    answer: Answer

    def ahead(self, requests: Any) -> None:
        """Post nothing."""

    def once_more(self, examine: Any) -> None:
        """Nothing is printed."""

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = 0
    ) -> Reply:
        """Return the formula's answer; where the formula breaks, the program would."""
        try:
            with np.errstate(all="ignore"):
                found = self.answer(probe, arguments, arrays)
        except (ValueError, IndexError, TypeError, ZeroDivisionError) as error:
            raise Failure(f"raised {type(error).__name__}", group="raised") from error
        return Reply({}, [np.asarray(one, dtype=np.float64) for one in found])


def answering(check: Check, answer: Answer, seed: int = 0) -> Answering:
    """Return the trial of a check."""

    def no_worker() -> Any:
        raise AssertionError("nothing is asked of a worker")

    trial = Answering(check, no_worker, seeded(seed, "hw1", check.id), Budget(per_check=0.0))
    trial.answer = answer
    return trial


def outcome(check: Check, answer: Answer, seed: int = 0) -> Failure | None:
    """Return the failure that a check raises on these answers, None if it passes."""
    try:
        check.run(answering(check, answer, seed))
    except Failure as failure:
        return failure
    return None


def right(question: Question) -> None:
    """Stand for the right formula."""


def of_op(op: Op, kind: str, wrong: Wrong) -> Answer:
    """Answer for an op by a wrong formula, by the right one where the mistake cannot be made."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Sequence[Any]:
        assert probe == f"op.{kind}"
        parameters = tuple(tuple(p) if isinstance(p, list) else p for p in arguments["parameters"])
        *inputs, last = arrays if kind == "gradient" else [*arrays, np.zeros(())]
        case = Case(tuple(inputs), parameters, last)
        found = wrong(op.question(case))
        if found is not None:
            return found
        return op.pullback(case, last) if kind == "gradient" else [op.value(case)]

    return answer


def check_of(op: Op, kind: str) -> Check:
    """Return the op's check of its output or of its gradient."""
    made = op_checks.forward_checks(op, "q") if kind == "forward" else op_checks.gradient_checks(op, "q", "q")
    return made[0]


def named(mistake: Mistake, failure: Failure | None, function: str) -> bool:
    """Tell whether a failure says exactly this mistake's sentence."""
    return (
        failure is not None
        and failure.known_mistake == mistake.id
        and failure.message == f"{function}: {mistake.says}"
    )
