"""Words on the command line become calls; no logic lives here."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grader import __version__, places
from grader.errors import GraderError, UsageError
from grader.sandbox.level import LEVELS

HOMEWORKS = ("hw0", "hw1", "hw2")
INTERRUPTED = 3
# what `start` reports, in the words of the person who asked for it
CARRIED = {
    "carried": "carried over, as they are in hw1, right or wrong",
    "helpers": "came along, because those need them",
    "kept": "already written in hw2 and left as they are there (empty one there to carry it over again)",
    "skipped": "not written in hw1 yet",
    "not_found": "not found in hw1",
    "missing": "to be looked at",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 full marks, 1 points lost, 2 usage, 3 not graded."""
    try:
        options = parser().parse_args(arguments)
        code: int = options.run(options)
        return code
    except GraderError as error:
        print(f"grader: {_clean(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("grader: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return INTERRUPTED
    except Exception as error:  # no traceback of ours reaches a student
        if "GRADER_TRACEBACK" in os.environ:
            raise
        text = _clean(f"{type(error).__name__}: {error}".partition("\n")[0])
        print(
            f"grader: the grader itself failed ({text}); this is not your fault, please report it "
            "(GRADER_TRACEBACK=1 shows where)",
            file=sys.stderr,
        )
        return INTERRUPTED


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = _Parser(prog="grader", description="An offline grader for the homework of CMU 10-414/714.")
    top.add_argument("--version", action="version", version=f"grader {__version__}")
    words = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for homework in HOMEWORKS:
        _grading(words.add_parser(homework, help=f"grade a submission of {homework}"), homework)
    guard = words.add_parser("guard", help="grade for CI: a report with a zero is left if grading fails")
    guard.add_argument("--json", required=True, type=Path, metavar="FILE", help="where the report goes")
    guard.add_argument("words", nargs=argparse.REMAINDER, metavar="hwN SUBMISSION ...")
    guard.set_defaults(run=_guard)
    handout = words.add_parser("handout", help="generate hw0/ hw1/ hw2/ from reference/")
    handout.add_argument("--check", action="store_true", help="only say what is stale; exit 1 if anything is")
    handout.set_defaults(run=_handout)
    calibrate = words.add_parser(
        "calibrate", help="measure reference/ and write the budgets of the graph checks"
    )
    calibrate.add_argument("--check", action="store_true", help="only say which are stale; exit 1 if any is")
    calibrate.set_defaults(run=_calibrate)
    start = words.add_parser("start", help="carry your hw1 solutions over into your hw2")
    start.add_argument("homework", choices=["hw2"], help="the homework to start")
    start.add_argument(
        "--from", dest="source", type=Path, required=True, metavar="HW1", help="your hw1 folder"
    )
    start.add_argument("--into", type=Path, metavar="HW2", help="your hw2 folder (default: ./hw2)")
    start.set_defaults(run=_start)
    return top


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the words in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see `python -m grader --help`")


def _grading(words: argparse.ArgumentParser, homework: str) -> None:
    words.add_argument(
        "submission", nargs="?", type=Path, help=f"folder or archive (default: ./{homework} or here)"
    )
    words.add_argument("--only", metavar="GLOB", help="run these checks only, as backward.BroadcastTo*")
    seeds = words.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the inputs (default 0)")
    seeds.add_argument(
        "--seed-file",
        type=Path,
        metavar="FILE",
        help="a secret seed, 16 bytes or more (or GRADER_SEED in the environment)",
    )
    words.add_argument("--hidden", action="store_true", help="show pass or fail only, nothing of the inputs")
    words.add_argument("--json", metavar="FILE", help="write the report as JSON; - for standard output")
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
    words.set_defaults(run=_grade, homework=homework)


def _grade(options: argparse.Namespace) -> int:
    from grader.sandbox import boot, host_mode, identity

    identity.hide()
    graph = getattr(options, "graph", None)
    if graph:
        _require_layouts()
    _make_room(options.json)
    _make_room(graph)
    interpreter = boot.start("fork") if host_mode() == "fork" else None
    from grader.classroom import hidden
    from grader.classroom.grade import grade
    from grader.report import terminal

    secret = hidden.secret(options.seed_file)
    submission = options.submission or _default(options.homework)
    shown = sys.stderr if options.json == "-" else sys.stdout
    dots = _Dots(None if options.hidden else shown)
    report = grade(
        submission,
        options.homework,
        seed=options.seed if secret is None else secret,
        only=options.only,
        progress=dots.add,
        interpreter=interpreter,
        extras=("sanitize",) if getattr(options, "sanitize", False) else (),
        blame=not (options.no_blame or options.hidden),
        jobs=options.jobs,
        sandbox=options.require_sandbox,
        following=options.follow_through,
        picture=bool(graph),
    )
    dots.clear()
    report = hidden.hide(report) if options.hidden else report
    command = f"python -m grader {options.homework} {_quoted(str(submission))}"
    shown.write(terminal.render(report, color=_in_color(shown), command=command))
    if graph and report.picture is not None:
        from grader.report import picture

        _write(graph, picture.document(report.picture))
    if options.json:
        _write(options.json, json.dumps(report.as_dict(), indent=1, ensure_ascii=True) + "\n")
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


class _Dots:
    """A line of progress on a terminal, cleared before the report."""

    def __init__(self, stream: object) -> None:
        self.stream = stream if getattr(stream, "isatty", lambda: False)() else None
        self.line = ""

    def add(self, check: object) -> None:
        """Show one more finished check."""
        if self.stream is None:
            return
        from grader.report import terminal

        self.line = (self.line + terminal.progress(check))[-72:]  # type: ignore[arg-type]
        self.stream.write(f"\r{self.line}")  # type: ignore[attr-defined]
        self.stream.flush()  # type: ignore[attr-defined]

    def clear(self) -> None:
        """Wipe the line."""
        if self.stream is not None:
            self.stream.write("\r" + " " * len(self.line) + "\r")  # type: ignore[attr-defined]


def _default(homework: str) -> Path:
    """Return ./hwN, or this folder if it is the homework's root."""
    folder = Path(homework)
    if folder.is_dir():
        return folder
    if any(Path(name).is_dir() for name in ("python", "src", "needle")):
        return Path()
    raise UsageError(
        f"no ./{homework} here and this folder is not its root; name the submission's folder or archive"
    )


def _make_room(name: str | None) -> None:
    """Remove an older report, which could be taken for this run's; refuse where none can be written."""
    if not name or name == "-":
        return
    try:
        Path(name).unlink(missing_ok=True)
        with open(name, "xb"):
            pass
        Path(name).unlink()
    except OSError as error:
        raise _unwritable(name, error) from error


def _unwritable(name: str, error: OSError) -> UsageError:
    return UsageError(f"{name}: cannot be written ({error.strerror}); choose another file")


def _write(name: str, text: str) -> None:
    if name == "-":
        sys.stdout.write(text)
        return
    target = Path(name)
    try:
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise _unwritable(name, error) from error


def _in_color(stream: object) -> bool:
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _clean(text: str) -> str:
    from grader.report import escape

    return escape.terminal(text)


def _guard(options: argparse.Namespace) -> int:
    from grader.classroom import guard

    if not options.words or options.words[0] not in HOMEWORKS:
        raise UsageError(f"guard: which homework? give one of {', '.join(HOMEWORKS)} after --json FILE")
    return guard.run(options.words, options.json)


def _handout(options: argparse.Namespace) -> int:
    from grader import handout

    if options.check:
        found = handout.check(root=places.ROOT)
        print("\n".join(found) if found else "the handouts are up to date")
        return 1 if found else 0
    changed = handout.write(root=places.ROOT)
    print("\n".join(f"wrote {name}" for name in changed) or "nothing to change")
    return 0


def _calibrate(options: argparse.Namespace) -> int:
    from grader import calibrate
    from grader.homework import budgets

    known, measured = budgets.load(), calibrate.measure(places.REFERENCE)
    if options.check:
        found = calibrate.stale(known, measured)
        print("\n".join(found) if found else "the budgets are up to date")
        return 1 if found else 0
    changed = calibrate.write(calibrate.update(known, measured))
    print(f"wrote {budgets.FILE.name}" if changed else "nothing to change")
    return 0


def _start(options: argparse.Namespace) -> int:
    from grader import handout

    target = options.into or _default(options.homework)
    result = handout.start(target, options.source)
    for name, label in CARRIED.items():
        found = getattr(result, name)
        if found:
            print(f"{label}: {', '.join(map(str, found))}")
    print(f"next: python -m grader hw2 {_quoted(str(target))}")
    return 0
