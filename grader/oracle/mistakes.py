"""Known mistakes: the wrong formulas that people write, each with the sentence that names it.

A mistake is data. `wrong` takes a `Question` (what was asked) and returns what a program with that
mistake would answer, or None where the mistake cannot be made on this input. It explains a submission
when it gives the submission's numbers on every input that was tried, and no right answer would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Question:
    """An input of a check, with what is needed to make a wrong answer from it.

    `truth(*inputs, *parameters)` is the oracle's function, `pullback(cotangent)` its true gradients.
    """

    inputs: tuple[Array, ...]
    parameters: tuple[Any, ...] = ()
    cotangent: Array | None = None
    truth: Callable[..., Array] = field(default=np.negative, repr=False)
    pullback: Callable[[Array], list[Array]] = field(default=lambda cotangent: [], repr=False)


@dataclass(frozen=True)
class Mistake:
    """A wrong formula: its stable id, the sentence a student reads, the formula."""

    id: str
    says: str
    wrong: Callable[[Question], Any] = field(repr=False)


def formula(function: Callable[..., Any]) -> Callable[[Question], list[Any] | None]:
    """Make the mistake of computing `function(*inputs, *parameters)`; not made where that is None."""

    def wrong(q: Question) -> list[Any] | None:
        answer = function(*q.inputs, *q.parameters)
        return None if answer is None else [answer]

    return wrong


Same = Callable[[Sequence[Array], Any], bool]


def explaining(
    mistakes: Sequence[Mistake], observed: Sequence[tuple[Question, Sequence[Array]]], same: Same
) -> Mistake | None:
    """Return the one mistake that gives all observed answers; None if none or more than one does."""
    found = [mistake for mistake in mistakes if _explains(mistake, observed, same)]
    return found[0] if len(found) == 1 else None


def _explains(mistake: Mistake, observed: Sequence[tuple[Question, Sequence[Array]]], same: Same) -> bool:
    told = 0
    for question, answer in observed:
        try:
            with np.errstate(all="ignore"):
                wrong = mistake.wrong(question)
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            continue
        if wrong is None:
            continue
        if not same(answer, wrong):
            return False
        told += 1
    return told > 0
