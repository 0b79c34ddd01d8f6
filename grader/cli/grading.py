"""`hw0`, `hw1`, `hw2`: grade one submission, and `guard`, the same for CI."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from grader.cli import debugging, spoken
from grader.cli.common import HOMEWORKS, INTERRUPTED, default, in_color, make_room, quoted, renderings, write
from grader.cli.progress import Dots
from grader.errors import UsageError
from grader.report.renderings import RENDERINGS, Rendering
from grader.sandbox.level import LEVELS

if TYPE_CHECKING:
    from grader.report.model import Report
    from grader.sandbox.boot import Interpreter


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    for homework in HOMEWORKS:
        _options(words.add_parser(homework, help=f"grade a submission of {homework}"), homework)
    guard = words.add_parser("guard", help="grade for CI: a report with a zero is left if grading fails")
    guard.add_argument("--json", required=True, type=Path, metavar="FILE", help="where the report goes")
    guard.add_argument("words", nargs=argparse.REMAINDER, metavar="hwN SUBMISSION ...")
    guard.set_defaults(run=_guard)


class _Joined(argparse.Action):
    """Puts the values of an option that is given several times together, by commas."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, f"{before},{values}" if before else values)


def _options(words: argparse.ArgumentParser, homework: str) -> None:
    words.add_argument(
        "submission", nargs="?", type=Path, help=f"folder or archive (default: ./{homework} or here)"
    )
    words.add_argument(
        "--only",
        action=_Joined,
        metavar="GLOB",
        help="run these checks only, as backward.BroadcastTo*; failed: those of the last run",
    )
    seeds = words.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the inputs (default 0)")
    seeds.add_argument(
        "--seed-file",
        type=Path,
        metavar="FILE",
        help="a secret seed, 16 bytes or more (or GRADER_SEED in the environment)",
    )
    words.add_argument("--hidden", action="store_true", help="show pass or fail only, nothing of the inputs")
    for rendering in RENDERINGS:
        words.add_argument(f"--{rendering.name}", metavar="FILE", help=rendering.help)
    words.add_argument(
        "--github", action="store_true", help="mark lines and write a summary, inside GitHub Actions"
    )
    words.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes to grade with (default: as there are processors, at most 4)",
    )
    words.add_argument("--no-blame", action="store_true", help="do not search for the causes of failures")
    words.add_argument(
        "--follow-through",
        action="store_true",
        help="a check that fails only through another fault keeps its points",
    )
    words.add_argument(
        "--require-sandbox",
        choices=LEVELS,
        default=LEVELS[0],
        metavar="LEVEL",
        help="refuse to grade (exit 3) if less confined than full, partial or process-only",
    )
    if homework == "hw2":
        words.add_argument("--graph", metavar="FILE", help="draw the graph of a training step as SVG")
    if homework == "hw0":
        words.add_argument("--sanitize", action="store_true", help="build the C++ with sanitizers too")
    debugging.options(words)
    words.set_defaults(run=_grade, homework=homework)


def _grade(options: argparse.Namespace) -> int:
    from grader.sandbox import boot, host_mode, identity

    done = debugging.instead(options)
    if done is not None:
        return done
    identity.hide()
    files = _files(options)
    interpreter = boot.start("fork") if host_mode() == "fork" else None
    from grader.classroom import hidden, remembered

    secret = hidden.secret(options.seed_file)
    submission = options.submission or default(options.homework)
    only = remembered.chosen(options.only, submission, options.homework)
    if only == "" and options.only:
        spoken.tell(f"nothing failed in the last run of {submission}")
        return 0
    shown = sys.stderr if "-" in files.values() else sys.stdout
    report = _graded(options, submission, secret, only, interpreter, shown)
    if not options.hidden and secret is None:
        remembered.keep(submission, report)
    report = hidden.hide(report) if options.hidden else report
    shown.write(_page(options, report, submission, shown))
    for rendering, name in files.items():
        write(name, rendering.text(report, spoken.code()))
    if not report.complete:
        return INTERRUPTED
    return 0 if report.full_marks else 1


def _files(options: argparse.Namespace) -> dict[Rendering, str]:
    """Return the files that are asked for; none of an earlier run is left to be taken for this one's."""
    files = renderings(options)
    graph = getattr(options, "graph", None)
    if graph:
        _require_layouts()
    for name in (*files.values(), graph):
        make_room(name)
    return files


def _graded(
    options: argparse.Namespace,
    submission: Path,
    secret: str | None,
    only: str | None,
    interpreter: Interpreter | None,
    shown: TextIO,
) -> Report:
    from grader.classroom.grade import grade
    from grader.homework import jobs

    dots = Dots(None if options.hidden or options.quiet else shown)
    report = grade(
        submission,
        options.homework,
        seed=options.seed if secret is None else secret,
        only=only,
        progress=dots.add,
        interpreter=interpreter,
        extras=("sanitize",) if getattr(options, "sanitize", False) else (),
        blame=not (options.no_blame or options.hidden),
        jobs=jobs.usual(options.jobs),
        sandbox=options.require_sandbox,
        following=options.follow_through,
        first=options.first,
        picture=options.homework == "hw2" and bool(options.graph or options.html),
    )
    dots.clear()
    return report


def _page(options: argparse.Namespace, report: Report, submission: Path, shown: TextIO) -> str:
    """Return what the terminal shows, and draw the graph if it is asked for."""
    from grader.report import brief, terminal

    if getattr(options, "graph", None) and report.picture is not None:
        from grader.report import picture

        write(options.graph, picture.document(report.picture, spoken.code()))
    if options.quiet:
        page = brief.line(report, lang=spoken.code())
    else:
        command = f"python -m grader {options.homework} {quoted(str(submission))}"
        page = terminal.render(report, color=in_color(shown), command=command, lang=spoken.code())
    if options.github:
        from grader.cli import workflow

        page = workflow.announce(report, submission, page)
    return page


def _require_layouts() -> None:
    from grader.report import layout

    try:
        layout.require()
    except layout.Missing:
        raise UsageError(
            "--graph needs a library for layouts: pip install 'needle-grader[picture]'"
        ) from None


def _guard(options: argparse.Namespace) -> int:
    from grader.classroom import guard

    if not options.words or options.words[0] not in HOMEWORKS:
        raise UsageError(f"guard: which homework? give one of {', '.join(HOMEWORKS)} after --json FILE")
    return guard.run(options.words, options.json)
