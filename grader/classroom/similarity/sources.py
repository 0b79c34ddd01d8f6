"""Where the code of a comparison comes from: a store, or folders, archives and exports of submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.classroom import hygiene, intake, roster, store
from grader.classroom.roster import Entry
from grader.classroom.similarity.found import Files, Progress, Similar, similar
from grader.classroom.store import Run, Store
from grader.errors import UsageError

SOURCES = (".py", ".cpp", ".cc", ".h")


def in_paths(
    homework: str, paths: Sequence[Path], against: Sequence[Path], progress: Progress | None = None
) -> tuple[Similar, list[tuple[str, str]]]:
    """Return how the submissions in some paths (or a store's last run) resemble each other, and what is none.

    What cannot be read is named with its reason and left out. Raises `UsageError` when nothing can be read.
    """
    problems: list[tuple[str, str]] = []
    if len(paths) == 1 and store.is_one(paths[0]):
        with store.open(paths[0]) as opened:
            run = opened.latest(homework)
            if run is None:
                raise UsageError(f"{paths[0]}: no run of {homework} in it")
            return in_run(opened, run, against, problems, progress), problems
    mine = _read(homework, paths, problems)
    found = similar(homework, mine, _earlier(homework, against, problems), progress)
    if found.own == 0:
        reasons = "; ".join(reason for _, reason in problems[:1]) or "give folders or archives of submissions"
        raise UsageError(f"no submission of {homework} to compare: {reasons}")
    return found, problems


def in_run(
    opened: Store,
    run: Run,
    against: Sequence[Path],
    problems: list[tuple[str, str]],
    progress: Progress | None = None,
) -> Similar:
    """Return how the submissions of a run resemble each other."""
    mine = ((one.student, _sources(opened.files(one.content))) for one in opened.gradings(run))
    return similar(run.homework, mine, _earlier(run.homework, against, problems), progress)


def _earlier(
    homework: str, paths: Sequence[Path], problems: list[tuple[str, str]]
) -> Iterator[tuple[str, Files]]:
    for path in paths:
        for name, files in _read(homework, [path], problems):
            yield f"{path.name}: {name}", files


def _read(
    homework: str, paths: Sequence[Path], problems: list[tuple[str, str]]
) -> Iterator[tuple[str, Files]]:
    collected = roster.settle(roster.collect(paths))
    problems += [(one.student or one.source, one.reason) for one in collected.refusals]
    for entry in collected.entries:
        try:
            yield entry.student, _of_entry(entry, homework)
        except UsageError as error:
            problems.append((entry.student, str(error)))


def _of_entry(entry: Entry, homework: str) -> Files:
    found = entry.read()
    root = intake.find_root(found, homework, Path(entry.source))
    names = [name for name in found.files if name.startswith(root) and name.endswith(SOURCES)]
    return _sources({name[len(root) :]: found.files[name]() for name in names})


def _sources(files: Files) -> Files:
    """Return the sources that can be read as the grader reads them."""
    return {
        name: data
        for name, data in files.items()
        if name.endswith(SOURCES) and (not name.endswith(".py") or hygiene.refused(data) is None)
    }
