"""How much right solutions share that were written independently, and whether copies stand out.

    python benchmarks/similarity.py            # measure, and say what is stale
    python benchmarks/similarity.py --write    # write grader/classroom/similarity/baseline.json

Measured on `tests/bank`: all pairs of styles that have no source in common, each by the functions that it
wrote itself (the others are the reference's in every style).
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.classroom.similarity import pairs, prints
from grader.classroom.similarity.baseline import FILE
from grader.classroom.similarity.found import scaffold
from grader.classroom.similarity.pieces import pieces
from tests.bank import hw0, hw1, hw2
from tests.bank.style import Style

BANKS = {"hw0": hw0.STYLES, "hw1": hw1.STYLES, "hw2": hw2.STYLES}
HOW = (
    "benchmarks/similarity.py on tests/bank: share of the shorter one's stretches of 20 characters (names "
    "and comments aside) that the other has too, for all pairs of right solutions without a common source"
)


def origins(style: Style) -> set[str]:
    """Return the files that a style's functions come from."""
    return {style.source or style.name, style.carried} - {""}


def independent(homework: str) -> list[Style]:
    """Return one style for each set of sources that are its own; the reference is nobody's source."""
    chosen: list[Style] = []
    for style in BANKS[homework]:
        wrote = bool(style.solutions(homework))
        known = any(origins(style) >= origins(other) for other in chosen)
        if wrote and not known:
            chosen.append(style)
    return chosen


def own_prints(style: Style, homework: str, given: Iterable[int]) -> prints.Prints:
    """Return the fingerprints of the functions that a style wrote itself."""
    with tempfile.TemporaryDirectory() as folder:
        found = sources_of(style.build(Path(folder), homework))
    theirs = of_reference(homework) - style.solutions(homework).keys()
    written = [one for one in pieces(found, homework) if one.name not in theirs]
    return prints.printed(style.name, written, given)


def sources_of(root: Path) -> dict[str, bytes]:
    """Return the sources of a submission."""
    found = [path for path in root.rglob("*") if path.suffix in (".py", ".cpp")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@functools.cache
def of_reference(homework: str) -> frozenset[str]:
    """Return the functions of the homework that the reference has a solution of."""
    return frozenset(one.name for one in pieces(sources_of(ROOT / "reference"), homework))


def measured(homework: str) -> dict[str, Any]:
    """Return the baseline of a homework."""
    given = scaffold(homework)
    styles = independent(homework)
    found = [own_prints(style, homework, given) for style in styles]
    shares = pairs.shares(found)
    apart = [
        float(shares[a, b])
        for a, b in itertools.combinations(range(len(styles)), 2)
        if not origins(styles[a]) & origins(styles[b])
    ]
    median, most = (round(one, 3) for one in (statistics.median(apart), max(apart)))
    return {"solutions": len(styles), "pairs": len(apart), "median": median, "most": most}


def main() -> int:
    now = {"how": HOW, "homework": {homework: measured(homework) for homework in BANKS}}
    print(json.dumps(now["homework"], indent=1))
    text = json.dumps(now, indent=1) + "\n"
    if "--write" in sys.argv:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
        print("baseline.json is stale: --write renews it")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
