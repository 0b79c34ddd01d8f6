"""`official`: the course's own tests, offline."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from grader.cli import spoken
from grader.cli.common import HOMEWORKS, INTERRUPTED, default, make_room, write


def add(words: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    official = words.add_parser("official", help="run your copy of the course's tests, offline")
    official.add_argument("homework", choices=HOMEWORKS, help="the homework")
    official.add_argument(
        "submission", nargs="?", type=Path, help="folder or archive (default: ./hwN or here)"
    )
    official.add_argument(
        "--tests", required=True, type=Path, metavar="FOLDER", help="your copy of the course's tests"
    )
    official.add_argument("--data", type=Path, metavar="FOLDER", help="where the MNIST files are")
    official.add_argument(
        "--seconds", type=float, default=120.0, metavar="N", help="limit for each function (default 120)"
    )
    official.add_argument("--json", metavar="FILE", help="write the outcomes as JSON; - for standard output")
    official.set_defaults(run=_official)


def _official(options: argparse.Namespace) -> int:
    from grader.official import run, text
    from grader.official.model import FAILED, PASSED
    from grader.sandbox import identity

    identity.hide()
    make_room(options.json)
    submission = options.submission or default(options.homework)
    results = run.run(submission, options.homework, options.tests, data=options.data, seconds=options.seconds)
    shown = sys.stderr if options.json == "-" else sys.stdout
    shown.write(text.render(results, spoken.code()))
    if options.json:
        write(options.json, json.dumps(results.as_dict(), indent=1) + "\n")
    if results.count(FAILED):
        return 1
    return 0 if results.count(PASSED) else INTERRUPTED
