"""The vocabulary of checks: what a check raises when the submission is not right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Failure(Exception):
    """A check failed; `message` is the one sentence a person reads, the rest is its evidence.

    `counterexample`, `expected`, `actual` are plain data, made by `judge.words`. `arrays` are the wrong
    array and the right one, where the failure is about one. `symptom` is what was seen, where the sentence
    is about the mistake that explains it. `target` is the dotted path of what is at fault, where that is not
    the check's own target.
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
    symptom: str = ""
    target: str = ""
    group: str = ""
    arrays: tuple[Any, Any] | None = field(default=None, repr=False)

    def explained(self, who: str, mistake: str, says: str) -> Failure:
        """Have the sentence name a known mistake by `who`; what it said so far becomes the symptom."""
        self.symptom = self.message.removeprefix(f"{who}: ")
        self.message, self.known_mistake = f"{who}: {says}", mistake
        return self

    def __str__(self) -> str:
        return self.message
