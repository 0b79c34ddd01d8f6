"""`explain` and `completion`, and the options of a grading run that help to find one fault."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cli import spoken
from grader.cli.common import HOMEWORKS, default, in_color, make_room, quoted, write
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.report.model import Report

UNCONFINED = (
    "{check}: your own code runs now in this terminal, outside the sandbox, with all your rights.",
    "Prints are shown and breakpoint() works; `u` goes up to the calls below.",
)


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    explain = words.add_parser("explain", help="what a check asks for, its formula, the usual mistakes")
    explain.add_argument("check", metavar="CHECK", help="as backward.BroadcastTo.gradient; a pattern lists")
    explain.add_argument("--homework", choices=HOMEWORKS, help="where to look first")
    explain.set_defaults(run=_explain)
    completion = words.add_parser("completion", help="print a script that completes words in your shell")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell")
    completion.set_defaults(run=_completion)


def options(words: argparse.ArgumentParser) -> None:
    """Add the options of a grading run."""
    words.add_argument("--first", action="store_true", help="stop at the first check that fails")
    words.add_argument("--quiet", action="store_true", help="print one line")
    words.add_argument("--watch", action="store_true", help="grade again whenever a file is saved")
    words.add_argument(
        "--debug", metavar="CHECK", help="run one check in this terminal, unconfined; breakpoint() works"
    )
    words.add_argument(
        "--repro", metavar="CHECK", help="write a check's failure as a short script without the grader"
    )
    words.add_argument("--out", default="-", metavar="FILE", help="where --repro writes (default: prints it)")


def instead(options: argparse.Namespace) -> int | None:
    """Do what was asked for instead of grading; None if nothing was."""
    if options.debug or options.repro:
        return _one_check(options)
    if options.watch:
        return _watch(options)
    return None


def _one_check(options: argparse.Namespace) -> int:
    from grader.classroom import hidden
    from grader.debug import record, script
    from grader.debug.evidence import NotCovered
    from grader.sandbox import identity

    identity.hide()
    submission = options.submission or default(options.homework)
    if options.hidden:
        raise UsageError(
            "--hidden shows nothing of the inputs, and --debug and --repro show one; leave one out"
        )
    make_room(options.out)
    secret = hidden.secret(options.seed_file)
    seed = options.seed if secret is None else secret
    recording = record.record(submission, options.homework, options.debug or options.repro, seed=seed)
    check = recording.check.id
    if recording.passed and options.repro:
        spoken.tell(f"{check} passes: there is nothing to reproduce", sys.stderr)
        return 0
    try:
        text = script.write(recording, alarm=bool(options.repro))
    except NotCovered as error:
        raise UsageError(f"{check} cannot be written as plain calls: {error}; {recording.message}") from None
    if options.debug:
        return _foreground(text, submission, options.homework, check)
    write(options.out, text)
    if options.out != "-":
        where = Path(options.out).resolve()
        spoken.tell(f"wrote {options.out}; run it in the root of the homework: python {where}")
    return 1


def _foreground(text: str, submission: Path, homework: str, check: str) -> int:
    from grader.debug import foreground

    for line in (*UNCONFINED, ""):
        spoken.tell(line.format(check=check))
    with foreground.root_of(submission, homework) as root:
        return foreground.run(text, root)


def _watch(options: argparse.Namespace) -> int:
    from grader.report import terminal
    from grader.sandbox import identity
    from grader.watch import loop

    identity.hide()
    for option in ("only", "first", "quiet", "hidden"):
        if getattr(options, option):
            raise UsageError(f"--watch shows all that a save can affect; leave --{option} out")
    submission = options.submission or default(options.homework)
    if not submission.is_dir():
        raise UsageError(f"{submission}: --watch wants a folder")
    command = f"python -m grader {options.homework} {quoted(str(submission))}"

    def show(report: Report) -> str:
        return terminal.render(report, color=in_color(sys.stdout), command=command, lang=spoken.code())

    return loop.run(submission, options, show, spoken.text)


def _explain(options: argparse.Namespace) -> int:
    from grader.debug import explain

    sys.stdout.write(explain.text(options.check, options.homework, spoken.code()))
    return 0


def _completion(options: argparse.Namespace) -> int:
    from grader.cli import parser

    try:
        import shtab
    except ImportError:
        raise UsageError("completion needs a library: pip install 'needle-grader[completion]'") from None
    whole = parser()
    whole.prog = "needle-grader"  # the word that a shell completes; `python -m` it cannot
    print(shtab.complete(whole, options.shell))
    return 0
