"""What goes back to students and gradebooks from a store: one report, all feedback, the marks.

A report made on secret inputs is shown as `hidden.hide` leaves it, unless staff asks for the whole.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path

from grader.classroom import hidden
from grader.classroom.store import Grading, Run, Store
from grader.errors import UsageError
from grader.report import gradebook
from grader.report.escape import terminal as clean
from grader.report.gradebook import Filled, Mark
from grader.report.model import Report

UNSAFE = re.compile(r"[^\w .@+-]+")
LONGEST = 80  # characters of a folder's name
NEAREST = 3


def shown(grading: Grading, *, whole: bool = False) -> Report:
    """Return a report as its student may see it: nothing of secret inputs is in it, unless `whole`."""
    report = grading.report()
    return hidden.hide(report) if grading.is_secret and not whole else report


def find(db: Store, student: str, homework: str | None = None, number: int | None = None) -> Grading:
    """Return a student's last grading, or the one of that number. Raises `UsageError` where there is none."""
    history = db.history(student, homework)
    if number is not None:
        history = [grading for grading in history if grading.id == number]
    if history:
        return history[-1]
    if number is not None:
        raise UsageError(f"{student} has no grading {number}; `--history` lists them")
    raise UsageError(f"{db.path}: {_unknown(db, student, homework)}")


def _unknown(db: Store, student: str, homework: str | None) -> str:
    import difflib

    refused = {one.student: one.reason for one in db.problems()}
    if student in refused:
        return f"{student} could not be graded: {refused[student]}"
    known = list(db.students())
    if homework and student in known:
        return f"no grading of {student} for {homework}"
    close = difflib.get_close_matches(student, [*known, *refused], NEAREST, 0.4)
    meant = f"; did you mean {', '.join(close)}?" if close else ""
    return f"no grading of {student}{meant}"


def chosen(db: Store, homework: str | None) -> Run:
    """Return the last run of a homework. Raises `UsageError` if there is none, or a choice."""
    kinds = sorted({run.homework for run in db.runs()})
    if homework is None and len(kinds) > 1:
        raise UsageError(f"{db.path}: holds {' and '.join(kinds)}; choose by --homework")
    run = db.latest(homework)
    if run is None:
        raise UsageError(f"{db.path}: nothing was graded in it{f' for {homework}' if homework else ''}")
    return run


def marks(db: Store, run: Run, out_of: float | None = None) -> list[Mark]:
    """Return the marks of a run, by name, scaled to a maximum of `out_of`."""
    facts = db.students()
    found = []
    for student, (score, most) in db.scores(run).items():
        scale = out_of / most if out_of and most else 1.0
        found.append(Mark(student, round(score * scale, 4), most * scale, facts.get(student, {})))
    return found


def filled(kind: str, source: Path, column: str, found: Iterable[Mark]) -> Filled:
    """Return a gradebook's export with the marks in it. Raises `UsageError` if it cannot be filled."""
    try:
        headings, rows = gradebook.read(source.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{source}: the gradebook cannot be read ({reason}); export it as CSV") from error
    return gradebook.fill(kind, headings, rows, _column(source, headings, column), found)


def _column(source: Path, headings: list[str], column: str) -> str:
    """Return the heading that is meant: whole, or all before Canvas's number."""
    meant = [one for one in headings if one == column or one.partition(" (")[0] == column]
    if len(meant) == 1:
        return meant[0]
    found = ", ".join(headings[:12])
    count = f"{len(meant)} columns are" if meant else "no column is"
    raise UsageError(f"{source}: {count} called {column!r}; it has {found}")


def feedback(db: Store, run: Run, target: Path) -> int:
    """Write a folder for each student with the report as a page and as Markdown; return how many."""
    from grader.report import github, html

    used: set[str] = set()
    count = 0
    if not target.exists():
        with contextlib.suppress(OSError):  # said below, with the folder's name
            target.mkdir(mode=0o700, parents=True)  # names and marks are the owner's alone
    for grading in db.gradings(run):
        report = shown(grading)
        report.submission = Path(report.submission).name
        folder = target / _folder(grading.student, used)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{run.homework}.html").write_text(html.render(report), encoding="utf-8")
            (folder / f"{run.homework}.md").write_text(github.summary(report), encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"{folder}: cannot be written ({error.strerror}); choose another folder"
            ) from error
        count += 1
    return count


def _folder(student: str, used: set[str]) -> str:
    """Return a name for a folder that every system takes, and nobody else has."""
    plain = UNSAFE.sub("_", clean(student)).strip(" .")[:LONGEST] or "_"
    name, number = plain, 2
    while name.casefold() in used:
        name, number = f"{plain}-{number}", number + 1
    used.add(name.casefold())
    return name
