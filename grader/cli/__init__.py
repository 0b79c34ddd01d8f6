"""Words on the command line become calls; no logic lives here.

One module for each family of commands: it adds its words to the parser, and imports what they
need only when they are run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from grader import __version__
from grader.cli import bundling, classes, comparing, debugging, grading, official, spoken, upkeep
from grader.cli.common import INTERRUPTED
from grader.errors import GraderError, UsageError

FAMILIES = (grading, debugging, official, classes, comparing, bundling, upkeep)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 full marks, 1 points lost, 2 usage, 3 not graded."""
    try:
        spoken.use(sys.argv[1:] if arguments is None else arguments)
        options = parser().parse_args(arguments)
        code: int = options.run(options)
        return code
    except GraderError as error:
        print(f"grader: {_clean(spoken.text(str(error)))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(spoken.text("grader: stopped"), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return INTERRUPTED
    except Exception as error:  # no traceback of ours reaches a student
        if "GRADER_TRACEBACK" in os.environ:
            raise
        text = _clean(f"{type(error).__name__}: {error}".partition("\n")[0])
        failed = (
            f"grader: the grader itself failed ({text}); this is not your fault, please report it "
            "(GRADER_TRACEBACK=1 shows where)"
        )
        print(spoken.text(failed), file=sys.stderr)
        return INTERRUPTED


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = _Parser(prog="grader", description="An offline grader for the homework of CMU 10-414/714.")
    top.add_argument("--version", action="version", version=f"grader {__version__}")
    words = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for family in FAMILIES:
        family.add(words)
    spoken.finish(top)
    return top


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the words in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see `python -m grader --help`")


def _clean(text: str) -> str:
    from grader.report import escape

    shown = escape.terminal(text)
    # GitHub's log obeys this form of its commands anywhere in a line
    return shown.replace("##[", "## [") if "GITHUB_ACTIONS" in os.environ else shown
