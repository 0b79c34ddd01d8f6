"""`hw0`, `hw1`, `hw2`: grade one submission, and `guard`, the same for CI."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grader.cli import debugging, spoken
from grader.cli.common import HOMEWORKS, INTERRUPTED, default, in_color, make_room, quoted, renderings, write
from grader.cli.progress import Dots
from grader.errors import UsageError
from grader.report.renderings import RENDERINGS
from grader.sandbox.level import LEVELS


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    for homework in HOMEWORKS:
        _options(words.add_parser(homework, help=f"grade a submission of {homework}"), homework)
    guard = words.add_parser("guard", help="grade for CI: a report with a zero is left if grading fails")
    guard.add_argument("--json", required=True, type=Path, metavar="FILE", help="where the report goes")
    guard.add_argument("words", nargs=argparse.REMAINDER, metavar="hwN SUBMISSION ...")
    guard.set_defaults(run=_guard)


def _options(words: argparse.ArgumentParser, homework: str) -> None:
    words.add_argument(
        "submission", nargs="?", type=Path, help=f"folder or archive (default: ./{homework} or here)"
    )
    words.add_argument(
        "--only",
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
    words.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to grade with (default 1)")
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
    graph = getattr(options, "graph", None)
    if graph:
        _require_layouts()
    files = renderings(options)
    for name in (*files.values(), graph):
        make_room(name)
    interpreter = boot.start("fork") if host_mode() == "fork" else None
    from grader.classroom import hidden, remembered
    from grader.classroom.grade import grade
    from grader.report import brief, terminal

    secret = hidden.secret(options.seed_file)
    submission = options.submission or default(options.homework)
    shown = sys.stderr if "-" in files.values() else sys.stdout
    dots = Dots(None if options.hidden or options.quiet else shown)
    only = remembered.chosen(options.only, submission, options.homework)
    if only == "" and options.only:
        spoken.tell(f"nothing failed in the last run of {submission}")
        return 0
    report = grade(
        submission,
        options.homework,
        seed=options.seed if secret is None else secret,
        only=only,
        progress=dots.add,
        interpreter=interpreter,
        extras=("sanitize",) if getattr(options, "sanitize", False) else (),
        blame=not (options.no_blame or options.hidden),
        jobs=options.jobs,
        sandbox=options.require_sandbox,
        following=options.follow_through,
        first=options.first,
        picture=bool(graph) or (options.homework == "hw2" and bool(options.html)),
    )
    dots.clear()
    if not options.hidden and secret is None:
        remembered.keep(submission, report)
    report = hidden.hide(report) if options.hidden else report
    command = f"python -m grader {options.homework} {quoted(str(submission))}"
    if options.quiet:
        page = brief.line(report, lang=spoken.code())
    else:
        page = terminal.render(report, color=in_color(shown), command=command, lang=spoken.code())
    if options.github:
        from grader.cli import workflow

        page = workflow.announce(report, submission, page)
    shown.write(page)
    if graph and report.picture is not None:
        from grader.report import picture

        write(graph, picture.document(report.picture, spoken.code()))
    for rendering, name in files.items():
        write(name, rendering.text(report, spoken.code()))
    if not report.complete:
        return INTERRUPTED
    return 0 if report.full_marks else 1


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
