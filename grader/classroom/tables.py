"""Lists of gradings for the terminal: a class's students, a student's history; pure functions of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.classroom.store import Grading
from grader.report import wrap
from grader.report.escape import terminal as clean

WIDTH = 80


def students(gradings: Iterable[Grading]) -> str:
    """Return a line for each student: name, score, failed checks, the functions at fault."""
    head = f"{'student':<26}{'score':>12}{'failed':>8}  causes"
    return "\n".join([head, *(_student(one) for one in gradings)]) + "\n"


def _student(one: Grading) -> str:
    name = wrap.pad(wrap.cut(clean(one.student), 25), 26)
    row = f"{name}{_score(one):>12}{one.failed or '':>8}  {', '.join(map(clean, one.causes))}"
    return wrap.cut(row.rstrip(), WIDTH)


def history(gradings: Iterable[Grading]) -> str:
    """Return a line for each grading of a student, oldest first, and what it was graded with."""
    return "\n".join(_history(list(gradings))) + "\n"


def _history(gradings: list[Grading]) -> Iterator[str]:
    yield f"{'grading':>7}  {'when (UTC)':<18}{'score':>12}{'failed':>8}  content   graded with"
    for one in gradings:
        used = f"grader {one.environment.get('grader')}, numpy {one.environment.get('numpy')}"
        seed = "secret seed" if one.is_secret else f"seed {one.seed}"
        row = f"{one.id:>7}  {one.at:%Y-%m-%d %H:%M}  {_score(one):>12}{one.failed or '':>8}"
        yield f"{row}  {one.content[:8]}  {used}, {seed}"


def _score(one: Grading) -> str:
    return f"{one.score:g} / {one.max_score:g}"
