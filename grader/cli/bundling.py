"""`bundle` packs the grader for the place that runs it; `doctor` looks at this machine."""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from grader.cli import spoken
from grader.cli.common import HOMEWORKS, in_color, make_room, quoted, write
from grader.errors import UsageError
from grader.sandbox.level import FULL, LEVELS

PLACES = {
    "gradescope": "an autograder for Gradescope, a zip",
    "docker": "an image that grades one submission",
    "prairielearn": "an image for PrairieLearn's external grader",
    "student": "the grader without the solution",
}


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
    bundle = words.add_parser("bundle", help="pack the grader for Gradescope, Docker, PrairieLearn, students")
    kinds = bundle.add_subparsers(title="kinds", metavar="KIND", required=True)
    for kind, said in PLACES.items():
        one = kinds.add_parser(kind, help=said)
        one.add_argument("homework", choices=HOMEWORKS)
        one.add_argument("target", type=Path, metavar="OUT", help="a .zip, or a new folder")
        if kind != "student":
            _options(one)
        one.set_defaults(run=_bundle, kind=kind)
    doctor = words.add_parser(
        "doctor", help="look at this machine and the homeworks here; say how to mend it"
    )
    doctor.add_argument("--json", metavar="FILE", help="write what was found as JSON; - for standard output")
    doctor.set_defaults(run=_doctor)


def _options(words: argparse.ArgumentParser) -> None:
    words.add_argument("--seed-file", type=Path, metavar="FILE", help="grade a second time on secret inputs")
    words.add_argument(
        "--visibility",
        default="after_published",
        choices=("hidden", "after_due_date", "after_published", "visible"),
        help="when the secret checks are seen, on Gradescope (default after_published)",
    )
    words.add_argument(
        "--require-sandbox",
        choices=LEVELS,
        default=FULL,
        metavar="LEVEL",
        help="refuse to grade with less than full, partial or process-only (default full)",
    )
    words.add_argument("--seconds", type=int, default=240, metavar="N", help="time of one run (default 240)")
    words.add_argument("--follow-through", action="store_true", help="a mistake is paid for once")
    packages = words.add_mutually_exclusive_group()
    packages.add_argument("--wheels", type=Path, metavar="FOLDER", help="packages to install from, offline")
    packages.add_argument("--offline", action="store_true", help="fetch these packages now, with pip")
    words.add_argument(
        "--python", action="append", metavar="X.Y", help="Pythons to fetch for (default: the image's)"
    )


def _bundle(options: argparse.Namespace) -> int:
    from grader.bundle import archive, contents, wheels
    from grader.bundle.settings import Settings

    if options.kind == "student":
        files = contents.of("student", Settings(options.homework))
        archive.write(options.target, files)
        print(f"{options.target}: the grader for {options.homework} without the solution, {len(files)} files")
        return 0
    if options.seconds < 1:
        raise UsageError("--seconds: at least 1")
    seed = _seed(options.seed_file)
    settings = Settings(
        options.homework,
        options.require_sandbox,
        options.seconds,
        options.follow_through,
        bool(seed),
        options.visibility,
    )
    with ExitStack() as stack:
        folder = wheels.require(options.wheels) if options.wheels else None
        if options.offline:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="grader-wheels-")))
            wheels.download(folder, options.python or wheels.PYTHONS[options.kind])
        files = contents.of(options.kind, settings, seed, folder)
    archive.write(options.target, files)
    size = sum(len(content) for content, _ in files.values()) / 1e6
    print(f"{options.target}: {PLACES[options.kind]}, {options.homework}, {len(files)} files, {size:.0f} MB")
    print(f"next: README.md in {quoted(str(options.target))} says how to install it")
    return 0


def _seed(file: Path | None) -> bytes:
    from grader.classroom import hidden

    if file is None:
        return b""
    found = hidden.secret(file, {})
    return (found or "").encode("latin-1")


def _doctor(options: argparse.Namespace) -> int:
    from grader.doctor import examine
    from grader.doctor.finding import TROUBLE

    shown = sys.stderr if options.json == "-" else sys.stdout
    make_room(options.json)
    found = []
    for finding in examine.examine(Path()):
        found.append(finding)
        shown.write(examine.lines(finding, color=in_color(shown), lang=spoken.code()) + "\n")
        shown.flush()
    shown.write("\n" + spoken.text(examine.summary(found)) + "\n")
    if options.json:
        write(options.json, examine.as_json(found))
    return 1 if any(one.state == TROUBLE for one in found) else 0
