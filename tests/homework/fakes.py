"""A trial whose worker is a function of the test: what would a program with this mistake answer?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.sandbox.channel import Reply

Answer = Callable[[str, dict[str, Any], list[np.ndarray]], Reply]


@dataclass
class FakeTrial(Trial):
    """A trial that asks `answer` in the place of a worker."""

    answer: Answer | None = None

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = 1 << 20
    ) -> Reply:
        assert self.answer is not None
        return self.answer(probe, arguments, arrays)

    def once_more(self, examine: Callable[[], None]) -> None:
        """Nothing is printed."""


def verdict(checks: tuple[Check, ...], name: str, answer: Answer, seed: int = 0) -> Failure | None:
    """The failure of the check whose id ends in `name`, None if it passes."""
    (check,) = [one for one in checks if one.id.endswith(name)]
    trial = FakeTrial(
        check, lambda: None, seeded(seed, check.id), Budget(0.0, 1.0), answer=answer  # type: ignore[arg-type, return-value]
    )  # fmt: skip
    try:
        check.run(trial)
    except Failure as failure:
        return failure
    return None
