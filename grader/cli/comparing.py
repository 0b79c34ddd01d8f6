"""`compare`: a class on one page, in tables, or what changed; `similar`: what resembles what."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cli.common import HOMEWORKS, make_room, write

if TYPE_CHECKING:
    from grader.classroom.compare.gather import Comparison

PAGE = "compare.html"


def add(words: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    compare = words.add_parser("compare", help="a class on one page: scores, mistakes, what changed")
    compare.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a store; or report files; or two of either: OLD NEW",
    )
    compare.add_argument(
        "--homework", choices=HOMEWORKS, help="of which homework, if the store holds several"
    )
    compare.add_argument("--run", type=int, metavar="N", dest="number", help="this run (default: the last)")
    compare.add_argument("--before", type=int, metavar="N", help="with this run (default: the one before)")
    compare.add_argument("--html", metavar="FILE", help=f"where the page goes (default {PAGE})")
    compare.add_argument("--csv", metavar="FILE", help="a line for each submission; - for standard output")
    compare.add_argument("--csv-long", metavar="FILE", help="a line for each submission and check")
    compare.add_argument("--json", metavar="FILE", help="all that is on the page, as data")
    compare.add_argument(
        "--reference",
        type=Path,
        metavar="FILE",
        help="the reference's report, to hold times against (default: the class's median)",
    )
    compare.add_argument("--similar", action="store_true", help="look for submissions that resemble others")
    _against(compare)
    compare.set_defaults(run=_compare)
    similar = words.add_parser("similar", help="which submissions resemble each other")
    similar.add_argument("homework", choices=HOMEWORKS, help="of which homework")
    similar.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a store, or folders and archives of submissions"
    )
    _against(similar)
    similar.add_argument("--csv", metavar="FILE", help="a line for each pair; - for standard output")
    similar.add_argument("--json", metavar="FILE", help="the pairs with the regions that line up, as data")
    similar.set_defaults(run=_similar)


def _against(words: argparse.ArgumentParser) -> None:
    words.add_argument(
        "--against", nargs="+", type=Path, default=[], metavar="FOLDER", help="submissions of earlier years"
    )


def _compare(options: argparse.Namespace) -> int:
    from grader.classroom.compare import sources

    wish = sources.Wish(options.paths, options.homework, options.number, options.before)
    if options.similar or options.against:
        from grader.classroom.similarity import prints

        prints.require()
        wish.similar, wish.against = True, options.against
    found = sources.comparison(wish, _counter())
    if options.reference:
        found.reference_seconds = sources.seconds(options.reference)
    is_pair = found.old is not None and len(options.paths) == 2 and not options.number and _one_each(found)
    tables = (options.csv, options.csv_long, options.json)
    page = options.html or (None if any(tables) or is_pair else PAGE)
    for name in (page, *tables):
        make_room(name)
    shown = sys.stderr if "-" in (page, *tables) else sys.stdout
    _write_tables(found, options)
    if page:
        from grader.report.compare_page import document

        write(page, document(found.as_dict()), private=True)
    _tell(found, page, is_pair, shown)
    return 0


def _one_each(found: Comparison) -> bool:
    return found.old is not None and len(found.old.rows) == len(found.table.rows) == 1


def _write_tables(found: Comparison, options: argparse.Namespace) -> None:
    from grader.classroom.compare import tables

    if options.csv:
        write(options.csv, tables.wide(found.table, found.mistakes), private=True)
    if options.csv_long:
        write(options.csv_long, tables.long(found.table), private=True)
    if options.json:
        write(options.json, json.dumps(found.as_dict(), indent=1, ensure_ascii=True) + "\n", private=True)


def _tell(found: Comparison, page: str | None, is_pair: bool, shown: object) -> None:
    from grader.classroom.compare import words

    if is_pair and found.old is not None:
        text = words.difference(found.changes[0], found.old.rows[0], found.table.rows[0])
    else:
        text = words.summary(found)
    print(text, end="", file=shown)  # type: ignore[call-overload]
    if page and page != "-":
        print(f"\nwrote {page}; open it in a browser", file=shown)  # type: ignore[call-overload]


def _similar(options: argparse.Namespace) -> int:
    from grader.classroom.similarity import sources, words
    from grader.report.escape import terminal

    for name in (options.csv, options.json):
        make_room(name)
    found, problems = sources.in_paths(options.homework, options.paths, options.against, _counter())
    if options.csv:
        write(options.csv, words.table(found), private=True)
    if options.json:
        write(options.json, json.dumps(found.as_dict(), indent=1, ensure_ascii=True) + "\n", private=True)
    shown = sys.stderr if "-" in (options.csv, options.json) else sys.stdout
    shown.write(words.summary(found))
    for name, reason in problems:
        print(terminal(f"not compared: {name}: {reason}"), file=sys.stderr)
    return 1 if problems else 0


def _counter() -> Callable[[int], None] | None:
    """Return what counts submissions on a terminal."""
    if not sys.stderr.isatty():
        return None

    def count(number: int) -> None:
        if number % 10 == 0:
            print(f"\r{number} read", end="\r", file=sys.stderr, flush=True)

    return count
