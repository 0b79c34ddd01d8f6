"""Measure what right solutions of many styles need, and write the budgets with their bands.

Run as `python benchmarks/bands.py`, from anywhere, when a style is added to `tests/bank`. Prints how far
each figure goes from the reference's. Node counts do not differ between machines.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader import calibrate, places
from grader.homework import budgets
from tests.bank import hw1, hw2


def bank(folder: Path) -> list[calibrate.Measured]:
    """The figures of every style of the bank."""
    measured = []
    for homework, styles in (("hw1", hw1.STYLES), ("hw2", hw2.STYLES)):
        for style in styles:
            built = style.build(folder / homework / style.name, homework)
            measured.append(calibrate.measure(built, [homework]))
    return measured


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        figures = calibrate.update({}, calibrate.measure(places.REFERENCE), bank(Path(folder)))
    calibrate.write(figures)
    for name, one in figures.items():
        print(f"{name:24} {one.reference:8}  {one.least:8} to {one.greatest:8}  budget {one.budget:8}")
    print(f"wrote {budgets.FILE.name}")


if __name__ == "__main__":
    main()
