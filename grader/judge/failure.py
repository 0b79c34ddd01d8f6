"""The vocabulary of checks: what a check raises when the submission is not right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Failure(Exception):
    """A check failed; `message` is the one sentence a person reads, the rest is its evidence.

    `counterexample`, `expected`, `actual` are plain data, made by `judge.words`. `arrays` are the wrong
    array and the right one, where the failure is about one.
    """

    message: str
    help: str = ""
    known_mistake: str | None = None
    counterexample: dict[str, Any] | None = None
    expected: Any = None
    actual: Any = None
    location: dict[str, Any] | None = None
    verdict: str = "failed"
    measurements: dict[str, Any] = field(default_factory=dict)
    group: str = ""
    arrays: tuple[Any, Any] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.message
