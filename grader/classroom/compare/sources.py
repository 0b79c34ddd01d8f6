"""Where the reports of a comparison come from: stores, or files that `--json` wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom import store
from grader.classroom.compare.gather import Comparison
from grader.classroom.compare.rows import Entry, Table, table
from grader.classroom.compare.work import work_of
from grader.classroom.store import Run, Store
from grader.errors import UsageError
from grader.report import stored

Progress = Callable[[int], None] | None


@dataclass
class Wish:
    """What is to be compared: paths, and for stores which homework and which runs (by number).

    `similar` looks for submissions that resemble each other, and those `against` which they are held.
    """

    paths: Sequence[Path]
    homework: str | None = None
    run: int | None = None
    before: int | None = None
    similar: bool = False
    against: Sequence[Path] = ()


def comparison(wish: Wish, progress: Progress = None) -> Comparison:
    """Return the comparison of a store's run with the one before, of two stores, or of report files.

    Two report files are one submission before and after. Raises `UsageError` for what cannot be compared.
    """
    stores = [path for path in wish.paths if store.is_one(path)]
    if not stores:
        return _of_files(wish)
    if len(stores) < len(wish.paths) or len(stores) > 2:
        raise UsageError("give one store, two of them (OLD NEW), or report files: not more, and not mixed")
    if len(stores) == 2:
        return _of_two_stores(wish, stores[0], stores[1], progress)
    return _of_store(wish, stores[0], progress)


def seconds(path: Path) -> float | None:
    """Return the time that the checks of a report took, None where none was taken."""
    return work_of(stored.read(path)).seconds or None


def _of_store(wish: Wish, path: Path, progress: Progress) -> Comparison:
    with store.open(path) as opened:
        run = _run(opened, wish.run, wish.homework)
        before = _run(opened, wish.before, run.homework) if wish.before else opened.previous(run)
        if before is not None and before.homework != run.homework:
            raise UsageError(
                f"{path}: run {before.id} is of {before.homework}, run {run.id} of {run.homework}"
            )
        return _of_runs(opened, run, _rows(opened, before) if before else None, wish, progress)


def _of_two_stores(wish: Wish, old: Path, new: Path, progress: Progress) -> Comparison:
    with store.open(new) as opened, store.open(old) as earlier:
        run = _run(opened, wish.run, wish.homework)
        old_rows = _rows(earlier, _run(earlier, wish.before, run.homework))
        return _of_runs(opened, run, old_rows, wish, progress)


def _of_runs(opened: Store, run: Run, old: Table | None, wish: Wish, progress: Progress) -> Comparison:
    made = _rows(opened, run)
    if not made.rows:
        raise UsageError(f"{opened.path}: run {run.id} has no graded submission; `grader class` grades them")
    problems = [(one.student or one.source, one.reason) for one in opened.problems(run)]
    similar = None
    if wish.similar:
        from grader.classroom.similarity.sources import in_run

        similar = in_run(opened, run, wish.against, problems, progress).as_dict()
    return Comparison(made, old, similar, problems=problems, title=_title(made))


def _run(opened: Store, number: int | None, homework: str | None) -> Run:
    found = opened.run(number) if number is not None else opened.latest(homework)
    if found is None:
        which = f"run {number}" if number is not None else f"run of {homework}" if homework else "run"
        known = ", ".join(f"{one.id} ({one.homework})" for one in opened.runs()) or "none"
        raise UsageError(f"{opened.path}: there is no {which}; the runs there are: {known}")
    return found


def _rows(opened: Store, run: Run) -> Table:
    return table(
        Entry(one.student, one.report(), one.content, f"{one.at:%Y-%m-%d %H:%M}")
        for one in opened.gradings(run)
    )


def _of_files(wish: Wish) -> Comparison:
    if wish.run is not None or wish.before is not None:
        raise UsageError("--run and --before choose runs of a store; these are report files")
    if wish.similar:
        raise UsageError("reports hold no code: give a store, or use `grader similar` on the submissions")
    if len(wish.paths) == 2:
        old, new = (table([Entry("submission", stored.read(path))]) for path in wish.paths)
        _require_one_homework(old, new)
        return Comparison(new, old, title=f"{wish.paths[0].name} and {wish.paths[1].name}")
    made = table(_read(wish.paths))
    _require_one_homework(made)
    return Comparison(made, title=_title(made))


def _read(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield the reports, named by their files, with the folder's name where two files have one name."""
    stems = [path.stem for path in paths]
    for path in paths:
        plain = stems.count(path.stem) == 1
        yield Entry(path.stem if plain else f"{path.parent.name}/{path.stem}", stored.read(path))


def _require_one_homework(*tables: Table) -> None:
    found = sorted({one.homework for made in tables for one in made.rows})
    if len(found) > 1:
        raise UsageError(f"these reports are of {' and '.join(found)}; compare those of one homework")


def _title(made: Table) -> str:
    count = len(made.rows)
    return f"{made.rows[0].homework}: {count:,} {'submission' if count == 1 else 'submissions'}"
