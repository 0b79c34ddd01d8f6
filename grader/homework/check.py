"""The parts a homework's table is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.homework.extension import Extension
    from grader.homework.trial import Trial


@dataclass(frozen=True)
class Check:
    """One thing that is checked.

    `run` returns when the submission is right and raises `Failure` when it is not. `weight` is the
    check's share of its subject's points, 0 for advice. `needs` are ids of checks that must have passed.
    `target` is the function at fault when the check fails, as `needle.ops.MatMul.gradient`.
    `asked` says whether the check's subject is in a starter. A check with an `option` runs only when a
    grading run has that option (`sanitize`). An `isolated` check involves no other function of the
    submission: its failure names `target` without further search. Checks of one `place` (by default of
    one subject) are served by one worker in turn.
    """

    question: str
    subject: str
    kind: str
    title: str
    run: Callable[[Trial], None] = field(repr=False)
    weight: float = 1.0
    needs: tuple[str, ...] = ()
    target: str = ""
    asked: Callable[[str], bool] = field(default=lambda starter: True, repr=False)
    option: str = ""
    isolated: bool = False
    place: str = ""

    @property
    def id(self) -> str:
        """Return `question.subject.kind`."""
        return f"{self.question}.{self.subject}.{self.kind}"

    @property
    def function(self) -> str:
        """Return the target as it is written in the source: `MatMul.gradient`, `find_topo_sort`."""
        parts = self.target.split(".")
        return ".".join(part for i, part in enumerate(parts) if part[:1].isupper() or i == len(parts) - 1)


def together(checks: Iterable[Check], *groups: Sequence[str]) -> tuple[Check, ...]:
    """Have the subjects of each group served by one worker: to start one takes longer than quick checks."""
    first = {subject: group[0] for group in groups for subject in group}
    return tuple(
        replace(one, place=f"{one.question}.{first.get(one.subject, one.subject)}") for one in checks
    )


@dataclass(frozen=True)
class Question:
    """A question with the course's points for it, shared by its subjects: equally but for `shares`.

    An `on_failure` question carries no points: it is asked when a later one fails (or by name), to tell
    where the fault lies.
    """

    id: str
    title: str
    points: float
    checks: tuple[Check, ...]
    shares: Mapping[str, float] = field(default_factory=dict)
    on_failure: bool = False

    def subjects(self) -> dict[str, list[Check]]:
        """Return the checks by subject, in order."""
        grouped: dict[str, list[Check]] = {}
        for check in self.checks:
            grouped.setdefault(check.subject, []).append(check)
        return grouped


@dataclass(frozen=True)
class Homework:
    """One homework: its questions, the modules of a submission that it needs, what has to be compiled."""

    id: str
    title: str
    questions: tuple[Question, ...]
    modules: tuple[str, ...]
    eager: tuple[str, ...]
    folders: tuple[str, ...]
    extension: Extension | None = None

    def checks(self) -> Iterator[Check]:
        """Yield every check in order."""
        for question in self.questions:
            yield from question.checks
