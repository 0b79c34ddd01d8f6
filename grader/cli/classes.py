"""`class` grades many submissions into a store, `report` shows one of them, `export` is for gradebooks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cli import spoken
from grader.cli.class_progress import Line
from grader.cli.common import HOMEWORKS, INTERRUPTED, in_color, make_room, write
from grader.errors import UsageError
from grader.report import escape
from grader.report.renderings import RENDERINGS
from grader.sandbox.level import LEVELS

if TYPE_CHECKING:
    from grader.report.gradebook import Filled
    from grader.report.model import Report

UNREADABLE = 2
EXPORTS = ("auto", "plain", "canvas", "moodle", "gradescope", "github", "branches")


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    _class_options(words.add_parser("class", help="grade many submissions, and keep every grade in a store"))
    _report_options(words.add_parser("report", help="show a report again: from a store, or a JSON file"))
    _export_options(words.add_parser("export", help="marks for a gradebook, or feedback for every student"))


def _class_options(words: argparse.ArgumentParser) -> None:
    words.add_argument("homework", choices=HOMEWORKS, help="the homework to grade")
    words.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="submissions, or folders and exports full of them"
    )
    words.add_argument("--store", type=Path, required=True, metavar="FILE", help="the store, made if missing")
    words.add_argument(
        "--export",
        choices=EXPORTS,
        default="auto",
        metavar="KIND",
        help=f"how names are read, if not by themselves: {', '.join(EXPORTS[1:])}",
    )
    words.add_argument(
        "--branches", metavar="GLOB", help="submissions are these branches of a git repository"
    )
    words.add_argument("--names", type=Path, metavar="FILE.csv", help="a list of what students are called")
    words.add_argument("--force", action="store_true", help="grade again what has been graded before")
    words.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each processor)")
    words.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="grade on this Dask cluster")
    seeds = words.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the inputs (default 0)")
    seeds.add_argument("--seed-file", type=Path, metavar="FILE", help="a secret seed, as for one submission")
    words.add_argument("--hidden", action="store_true", help="store pass or fail only, nothing of the inputs")
    words.add_argument("--no-blame", action="store_true", help="do not search for the causes of failures")
    words.add_argument("--follow-through", action="store_true", help="a mistake is paid for once")
    words.add_argument(
        "--require-sandbox",
        choices=LEVELS,
        default=LEVELS[0],
        metavar="LEVEL",
        help="refuse to grade if less confined than full, partial or process-only",
    )
    words.set_defaults(run=_class)


def _report_options(words: argparse.ArgumentParser) -> None:
    words.add_argument("source", type=Path, metavar="FILE", help="a store, or a report that --json wrote")
    words.add_argument("student", nargs="?", metavar="STUDENT", help="whose report (stores only)")
    words.add_argument("--homework", choices=HOMEWORKS, help="of which homework, if the store holds several")
    words.add_argument("--history", action="store_true", help="list all gradings of the student")
    words.add_argument("--grading", type=int, metavar="N", help="one of these, not the last one")
    words.add_argument("--whole", action="store_true", help="for staff: what a secret seed would hide too")
    for rendering in RENDERINGS:
        words.add_argument(f"--{rendering.name}", metavar="FILE", help=rendering.help)
    words.set_defaults(run=_report)


def _export_options(words: argparse.ArgumentParser) -> None:
    words.add_argument("store", type=Path, metavar="STORE", help="the store that `class` wrote")
    words.add_argument("kind", choices=("canvas", "moodle", "csv", "feedback"), help="what is wanted")
    words.add_argument("target", metavar="TARGET", help="file (- for standard output) or folder")
    words.add_argument("--homework", choices=HOMEWORKS, help="of which homework, if the store holds several")
    words.add_argument(
        "--gradebook", type=Path, metavar="FILE.csv", help="the gradebook's own export, to fill in"
    )
    words.add_argument("--column", metavar="NAME", help='the column for the marks, "Homework 2 (1234)"')
    words.add_argument("--out-of", type=float, metavar="N", help="scale the marks to this maximum")
    words.set_defaults(run=_export)


def _class(options: argparse.Namespace) -> int:
    from grader.classroom import hidden, session, summary
    from grader.sandbox import identity

    identity.hide()  # a secret seed is in this process
    secret = hidden.secret(options.seed_file)
    request = session.Request(
        options.homework,
        options.paths,
        options.store,
        export=options.export,
        branches=options.branches,
        names=options.names,
        force=options.force,
        jobs=options.jobs,
        scheduler=options.scheduler,
        seed=options.seed if secret is None else secret,
        hidden=options.hidden,
        blame=not options.no_blame,
        following=options.follow_through,
        sandbox=options.require_sandbox,
    )
    figures = session.run(request, Line(sys.stderr))
    sys.stdout.write(summary.render(figures))
    if not figures.finished:
        return INTERRUPTED
    if figures.refusals and not figures.scores:
        return UNREADABLE
    return 1 if figures.refusals else 0


def _report(options: argparse.Namespace) -> int:
    from grader.classroom import store

    if not store.is_one(options.source):
        from grader.report import stored

        if options.student is not None:
            raise UsageError(f"{options.source}: not a store, so it holds no report of {options.student}")
        return _show(stored.read(options.source), options)
    from grader.classroom import handback, tables

    with store.open(options.source) as db:
        if options.student is None:
            sys.stdout.write(tables.students(db.gradings(handback.chosen(db, options.homework))))
            return 0
        grading = handback.find(db, options.student, options.homework, options.grading)
        if options.history:
            sys.stdout.write(tables.history(db.history(options.student, options.homework)))
            return 0
    return _show(handback.shown(grading, whole=options.whole), options)


def _show(report: Report, options: argparse.Namespace) -> int:
    """Write a report as asked for, on the terminal if nothing is."""
    from grader.report import terminal

    files = {one: getattr(options, one.name) for one in RENDERINGS if getattr(options, one.name)}
    for rendering, name in files.items():
        make_room(name)
        write(name, rendering.text(report, spoken.code()))
    if not files:
        sys.stdout.write(terminal.render(report, color=in_color(sys.stdout), lang=spoken.code()))
    return 0


def _export(options: argparse.Namespace) -> int:
    from grader.classroom import handback, store
    from grader.report import gradebook

    with store.open(options.store) as db:
        run = handback.chosen(db, options.homework)
        if options.kind == "feedback":
            count = handback.feedback(db, run, Path(options.target))
            print(f"{options.target}: a folder for each of {count} students")
            return 0
        marks = handback.marks(db, run, options.out_of)
    if options.kind == "csv":
        filled = gradebook.listed(marks)
    elif options.gradebook is None or options.column is None:
        raise UsageError(
            f"export {options.kind}: needs --gradebook FILE.csv, its own export, and --column NAME"
        )
    else:
        filled = handback.filled(options.kind, options.gradebook, options.column, marks)
    make_room(options.target)
    write(options.target, gradebook.write(filled), private=True)
    return _remark(filled)


def _remark(filled: Filled) -> int:
    """Say whose marks are not in the gradebook; return 1 if there are any."""
    for text, students in (("no row", filled.without_row), ("several rows", filled.ambiguous)):
        if students:
            line = f"{text} in the gradebook for {len(students)}: {', '.join(students)}"
            print(f"grader: {escape.terminal(line)}; --names adds ids to go by", file=sys.stderr)
    return 1 if filled.without_row or filled.ambiguous else 0
