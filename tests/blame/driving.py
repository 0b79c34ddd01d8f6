"""Experiments on submissions of the tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.blame.units import Unit, given, states, units
from grader.classroom import intake
from grader.homework import survey, table
from grader.homework.experiments import Experiments
from grader.homework.run import Run
from grader.places import REFERENCE
from grader.sandbox.host import Zygote

SECONDS = 20.0


@contextmanager
def grading(submission: Path, homework: str = "hw2") -> Iterator[Run]:
    """A grading run of a submission that has not been asked anything yet."""
    chosen = table.find(homework)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "submission"
        taken = intake.take(submission, homework, root)
        with Zygote(survey.description(taken, chosen), root) as zygote:
            yield Run(chosen, zygote, 0)


def passes(submission: Path, check: str, *those: Unit, homework: str = "hw2") -> bool:
    """Whether a check passes with units in the place of the submission's."""
    with grading(submission, homework) as run:
        return Experiments(run).passes_with(check, [unit.as_dict() for unit in those], SECONDS)


def named(*names: str, homework: str = "hw2") -> list[Unit]:
    """Units of the reference by name."""
    every = [*units(homework, REFERENCE), *given(homework, REFERENCE)]
    return [next(unit for unit in every if unit.name == name) for name in names]


def sharing(submission: Path, homework: str = "hw2") -> list[str]:
    """The classes of which one method alone cannot be replaced."""
    with grading(submission, homework) as run:
        found: Any = Experiments(run).ask("blame.sharing", {}, states(units(homework, REFERENCE)))
    return list(found["sharing"])


def edited(submission: Path, homework: str = "hw2") -> list[str]:
    """The functions of the scaffold that are not as they were given."""
    asked = [[unit.name, unit.dedented] for unit in given(homework, REFERENCE)]
    with grading(submission, homework) as run:
        return list(Experiments(run).ask("blame.edited", {}, asked)["edited"])
