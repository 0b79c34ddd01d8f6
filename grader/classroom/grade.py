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

from grader import __version__
from grader.classroom import excerpts, intake
from grader.classroom.causes import Findings, find_causes, follow_through
from grader.classroom.drawing import drawing
from grader.homework import survey, table
from grader.homework.check import Homework
from grader.homework.extension import Built
from grader.homework.points import question_result
from grader.homework.run import Progress, Run
from grader.homework.selection import is_selected
from grader.homework.submission import Submission
from grader.report.model import Report
from grader.sandbox import identity, level
from grader.sandbox.boot import Interpreter
from grader.sandbox.channel import WorkerFault
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
    sandbox: str = level.PROCESS_ONLY,
    following: bool = False,
    picture: bool = False,
    first: bool = False,
) -> Report:
    """Grade the submission at `path` (a folder or an archive) and return its report.

    `interpreter` was started ahead of time (`sandbox.boot.start`). `extras` are further options of
    the homework's own: "sanitize" builds C++ with sanitizers too.
    `blame` searches for causes; `following` lets checks that only fail through another function's
    fault keep their points. `jobs` is the number of processes.
    `first` stops at the first check that fails. `picture` has the graph of a training step described (hw2).
    `sandbox` is the least confinement to grade with: "process-only", "partial" or "full".
    Raises `UsageError` when there is nothing to grade, `NotGraded` when no worker starts, or too free a one.
    """
    started = time.monotonic()
    limits = limits or Limits()
    chosen = table.find(homework)
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        root = Path(folder).resolve() / "submission"
        taken = intake.take(path, homework, root)
        identity.share(root.parent)
        options: dict[str, Any] = {"mode": mode} if mode else {"started": interpreter}
        built = building(chosen, only, extras, root, root.parent / "built")
        readable = [built.folder] if built else []
        with (
            built or contextlib.nullcontext(),
            Zygote(survey.description(taken, chosen), root, limits, **options, readable=readable) as zygote,
        ):
            if sandbox != level.PROCESS_ONLY:
                zygote.require(sandbox)  # before student code is loaded
            run = Run(chosen, zygote, seed, only, limits, started=started, extras=extras, built=built)
            if progress is not None:
                run.progress = progress
            run.facts, run.first = survey.survey(zygote, taken, chosen), first
            remarks = survey.Remarks(zygote, chosen, run.facts)
            complete = run.grade(jobs)
            wanted = complete and (blame or following)
            found = find_causes(run, thorough=following) if wanted else Findings()
            followed = follow_through(run, found) if following else None
            drawn = drawing(run) if picture and complete else None
            excerpts.add(root, run.results.values(), found.causes)
            run.facts.notes += remarks.notes() if complete else []
            excerpts.relative(root, run.results.values())
            run.confinement = run.confinement or _in_force(zygote)  # no check may have had a worker
    if run.confinement:  # the weakest that any worker had
        level.require(run.confinement, sandbox)
    report = _report(run, taken, complete, time.monotonic() - started)
    report.causes, report.picture = found.causes, drawn
    return report if followed is None else with_points_kept(report, followed)


def _in_force(zygote: Zygote) -> dict[str, Any]:
    """Return the confinement of one more worker, nothing if there is no more worker to be had."""
    try:
        return zygote.confinement()
    except (OSError, ValueError, KeyError, EOFError, WorkerFault):
        return {}


def with_points_kept(report: Report, followed: set[str]) -> Report:
    """Give checks their points in spite of their verdict, and keep the score without that beside it."""
    report.score_without_follow_through = report.score
    for question in report.questions:
        for check in question.checks:
            if check.id in followed:
                check.points, check.followed_through = check.max_points, True
        question.points = round(sum(check.points for check in question.checks), 4)
    report.score = round(sum(question.points for question in report.questions), 2)
    return report


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
            question,
            [run.results[check.id] for check in question.checks if check.id in run.results],
            run.facts.starter,
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
