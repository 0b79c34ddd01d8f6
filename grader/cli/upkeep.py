"""`start` for students; `handout` and `calibrate` for those who keep this project."""

from __future__ import annotations

import argparse
from pathlib import Path

from grader import places
from grader.cli import spoken
from grader.cli.common import default, quoted

# what `start` reports, in the words of the person who asked for it
CARRIED = {
    "carried": "carried over, as they are in hw1, right or wrong",
    "helpers": "came along, because those need them",
    "kept": "already written in hw2 and left as they are there (empty one there to carry it over again)",
    "skipped": "not written in hw1 yet",
    "not_found": "not found in hw1",
    "missing": "to be looked at",
}


def add(words: argparse._SubParsersAction) -> None:
    """Add the commands to the parser."""
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

    target = options.into or default(options.homework)
    result = handout.start(target, options.source)
    for name, label in CARRIED.items():
        found = getattr(result, name)
        if found:
            print(f"{spoken.text(label)}: {', '.join(spoken.text(str(one)) for one in found)}")
    spoken.tell(f"next: python -m grader hw2 {quoted(str(target))}")
    return 0
