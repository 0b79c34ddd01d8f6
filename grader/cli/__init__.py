"""Words on the command line become calls; no logic lives here.

One module for each family of commands: it adds its words to the parser, and imports what they
need only when they are run. A call loads the family of its command alone.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from grader import __version__
from grader.cli import spoken
from grader.cli.common import HOMEWORKS, INTERRUPTED
from grader.errors import GraderError, UsageError

FAMILIES = {
    "grading": (*HOMEWORKS, "guard"),
    "debugging": ("explain", "completion"),
    "official": ("official",),
    "classes": ("class", "report", "export"),
    "comparing": ("compare", "similar"),
    "bundling": ("bundle", "doctor"),
    "upkeep": ("handout", "calibrate", "start"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 full marks, 1 points lost, 2 usage, 3 not graded."""
    try:
        words = sys.argv[1:] if arguments is None else arguments
        spoken.use(words)
        options = parser(words[0] if words else "").parse_args(words)
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


def parser(command: str = "") -> argparse.ArgumentParser:
    """Return the parser of the whole command line, or of one command's family if it is a command."""
    top = _Parser(prog="grader", description="An offline grader for the homework of CMU 10-414/714.")
    top.add_argument("--version", action="version", version=f"grader {__version__}")
    words = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    alone = [family for family, commands in FAMILIES.items() if command in commands]
    for family in alone or FAMILIES:
        importlib.import_module(f"grader.cli.{family}").add(words)
    spoken.finish(top)
    return top


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the words in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see `python -m {self.prog} --help`")


def _clean(text: str) -> str:
    from grader.report import escape

    shown = escape.terminal(text)
    # GitHub's log obeys this form of its commands anywhere in a line
    return shown.replace("##[", "## [") if "GITHUB_ACTIONS" in os.environ else shown
