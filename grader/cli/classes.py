"""`class` grades many submissions into a store, `report` shows one of them, `export` is for gradebooks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grader.cli.class_progress import Line
from grader.cli.common import HOMEWORKS, INTERRUPTED
from grader.sandbox.level import LEVELS

EXPORTS = ("auto", "plain", "canvas", "moodle", "gradescope", "github", "branches")


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    _class_options(words.add_parser("class", help="grade many submissions, and keep every grade in a store"))


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
    return 1 if figures.refusals else 0
