"""`python -m grader.report.language`: brings the catalogue up to date with the source, for contributors."""

from __future__ import annotations

import argparse

from grader.report.language import catalogue, check, extract


def main() -> int:
    """Write the catalogue, or say what it lacks; return 1 if anything is left to translate."""
    words = argparse.ArgumentParser(prog="python -m grader.report.language", description=__doc__)
    words.add_argument("--check", action="store_true", help="only say what is missing, unused or wrong")
    options = words.parse_args()
    path = catalogue.file()
    found = extract.sentences()
    if not options.check:
        made = check.merged(found, path.read_text(encoding="utf-8"))
        path.write_text(made, encoding="utf-8", newline="\n")
    lines = check.problems(found, path.read_text(encoding="utf-8"), check.here())
    print("\n".join(lines) or "every sentence is there")
    return 1 if lines else 0


raise SystemExit(main())
