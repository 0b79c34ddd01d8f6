"""Grades one submission: takes it in, surveys it, runs its checks, makes the report."""

from __future__ import annotations

import contextlib
import platform
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from grader import __version__, places
from grader.blame.blame import OUTSIDE, Blame
from grader.blame.blame import causes as ranked
from grader.blame.units import units
from grader.classroom import intake
from grader.homework import survey, table
from grader.homework.check import Homework
from grader.homework.extension import Built
from grader.homework.run import Progress, Run, is_selected, question_result
from grader.homework.submission import Submission
from grader.report.model import Cause, Report
from grader.sandbox.boot import Interpreter
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits


def grade(
    path: Path,
    homework: str,
    *,
    seed: int | str = 0,
    only: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    mode: str | None = None,
    interpreter: Interpreter | None = None,
    extras: Collection[str] = (),
    blame: bool = True,
    jobs: int = 1,
) -> Report:
    """Grade the submission at `path` (a folder or an archive) and return its report.

    `interpreter` was started ahead of time (`sandbox.boot.start`). `extras` are further options of
    the homework's own: "sanitize" builds C++ with sanitizers too.
    Raises `UsageError` when there is nothing to grade, `NotGraded` when no worker starts.
    """
    started = time.monotonic()
    limits = limits or Limits()
    chosen = table.find(homework)
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        root = Path(folder).resolve() / "submission"
        taken = intake.take(path, homework, root)
        options: dict[str, Any] = {"mode": mode} if mode else {"started": interpreter}
        built = building(chosen, only, extras, root, root.parent / "built")
        with (
            built or contextlib.nullcontext(),
            Zygote(survey.description(taken, chosen), root, limits, **options) as zygote,
        ):
            run = Run(chosen, zygote, seed, only, limits, started=started, extras=extras, built=built)
            if progress is not None:
                run.progress = progress
            run.facts = survey.survey(zygote, taken, chosen)
            remarks = survey.Remarks(zygote)
            complete = run.grade(jobs)
            causes = find_causes(run) if complete and blame else []
            run.facts.notes += remarks.notes() if complete else []
    report = _report(run, taken, complete, time.monotonic() - started)
    report.causes = causes
    return report


def find_causes(run: Run) -> list[Cause]:
    """Explain the failed checks by experiments with the reference's functions; note what stays open."""
    checks = list(run.results.values())
    by_id = {check.id: check for check in run.homework.checks()}
    search = Blame(
        units(run.homework.id, places.REFERENCE),
        lambda check, tried: run.passes_with(check, [unit.as_dict() for unit in tried]),
        lambda check: by_id[check].function,
        lambda check: by_id[check].isolated,
    )
    search.find(checks)
    for check in checks:
        check.blame = search.explained.get(check.id, [])
    if search.outside:
        run.facts.notes.append({"id": "outside", "message": f"{', '.join(search.outside)}: {OUTSIDE}"})
    if search.cut_short:
        text = (
            f"the search for causes was cut short after {search.seconds:.0f} s: {', '.join(search.cut_short)}"
        )
        run.facts.notes.append({"id": "cut-short", "message": text})
    return ranked(search, checks)


def building(
    homework: Homework, only: str | None, extras: Collection[str], root: Path, folder: Path
) -> Built | None:
    """Return the build of the homework's extension, None if no check that runs needs it."""
    extension = homework.extension
    if extension is None:
        return None
    wanted = any(
        is_selected(check, only, extras) and check.target.startswith(extension.module + ".")
        for check in homework.checks()
    )
    return Built(extension, root, folder, extras) if wanted else None


def _report(run: Run, taken: Submission, complete: bool, seconds: float) -> Report:
    questions = [
        question_result(
            question, [run.results[check.id] for check in question.checks if check.id in run.results], run
        )
        for question in run.homework.questions
    ]
    questions = [question for question in questions if question.checks]
    return Report(
        homework=run.homework.id,
        submission=taken.name,
        starter=run.facts.starter,
        seed=run.seed if isinstance(run.seed, int) else "secret",
        environment={
            "grader": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "platform": sys.platform,
        },
        confinement=run.confinement or {"level": "process-only"},
        seconds=round(seconds, 3),
        score=round(sum(question.points for question in questions), 2),
        max_score=round(sum(question.max_points for question in questions), 2),
        complete=complete,
        notes=[*taken.notes, *run.facts.notes],
        questions=questions,
    )
