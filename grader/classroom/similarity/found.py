"""Pairs of submissions that resemble each other, as plain data for the page, the tables and the terminal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.classroom.compare.rows import short
from grader.classroom.similarity import pairs as overlaps
from grader.classroom.similarity import prints
from grader.classroom.similarity.baseline import Baseline, baseline, percent
from grader.classroom.similarity.pairs import Match, Pair
from grader.classroom.similarity.pieces import LARGEST, Piece, handout, pieces
from grader.classroom.similarity.prints import Prints

FEW, MOST = 10, 60  # pairs that are shown side by side
SPREADS = 6  # that many usual deviations above the class's middle pair, no independent pair is expected
HALF = 0.5  # who shares half of it is looked at, however alike the class is
MOST_REGIONS, MOST_LINES = 12, 80
Files = Mapping[str, bytes]
Progress = Callable[[int], None]


@dataclass
class Similar:
    """All pairs by share; the first `own` submissions are the class's, the others are of earlier years.

    `usual` is the middle pair's share in this class and `spread` the usual deviation from it, None and 0
    where there are too few pairs. `short` have too little of their own to be compared.
    """

    homework: str
    found: list[Prints]
    own: int
    pairs: list[Pair]
    usual: float | None
    spread: float
    short: list[str]

    @property
    def base(self) -> Baseline:
        """Return the baseline of the homework."""
        return baseline(self.homework)

    @property
    def line(self) -> float:
        """Return the share above which two resemble each other: what independent ones do not reach.

        That is the most on the bank, or more in a class whose pairs are more alike than those.
        """
        usual = 0.0 if self.usual is None else self.usual + SPREADS * self.spread
        return min(HALF, max(self.base.most, usual))

    def above(self) -> list[Pair]:
        """Return the pairs that share more than independent right solutions do."""
        return [one for one in self.pairs if one.share > self.line]

    def shown(self) -> list[Pair]:
        """Return the pairs to look at: those above the baseline, at least a few, at most some."""
        return self.pairs[: min(MOST, max(FEW, len(self.above())))]

    def name(self, place: int) -> str:
        """Return the name of a submission."""
        return self.found[place].name

    def text(self) -> str:
        """Return what was compared, and how the shares are to be read."""
        count = len(self.above())
        who = "pair shares" if count == 1 else "pairs share"
        said = [f"{count} {who} more than the baseline of {percent(self.line)} %.", self.base.text]
        if self.usual is not None:
            said.append(f"In this class the middle one of all pairs shares {percent(self.usual)} %")
            said[-1] += (
                ", and the baseline lies above what is usual here." if self.line > self.base.most else "."
            )
        said.append("The share is that of the shorter one's code, names, comments and order aside.")
        said.append("Resembling is no proof of anything: read both sides.")
        if self.short:
            said.append(f"Too little written to be compared: {len(self.short)}.")
        return " ".join(said)

    def as_dict(self) -> dict[str, Any]:
        """Return what the page shows."""
        shown = self.shown()
        more = len(self.above()) - len(shown)
        left = f" {more} more pairs are above the baseline; the table (--csv) has all." if more > 0 else ""
        return {
            "text": self.text() + left,
            "baseline": percent(self.line),
            "baseline_text": self.base.text,
            "short": self.short,
            "pairs": [self._pair(one) for one in shown],
        }

    def _pair(self, pair: Pair) -> dict[str, Any]:
        one, other = self.found[pair.first], self.found[pair.second]
        matches = overlaps.matches(one, other)
        regions = [_region(one, other, match) for match in matches[:MOST_REGIONS]]
        rest = len(matches) - len(regions)
        return {
            "a": one.name,
            "b": other.name,
            "share": percent(pair.share),
            "above": pair.share > self.line,
            "earlier": pair.second >= self.own,
            "functions": [short(one.pieces[match.piece].name) for match in matches],
            "regions": regions,
            "left_out": f"{rest} shorter regions are left out." if rest else "",
        }


def _region(one: Prints, other: Prints, match: Match) -> dict[str, Any]:
    a, b = one.pieces[match.piece], other.pieces[match.other]
    return {
        "name": short(a.name if a.name == b.name else f"{a.name} and {b.name}"),
        "a": _lines(a),
        "b": _lines(b),
        "in_a": [line for line in match.lines if line < MOST_LINES],
        "in_b": [line for line in match.other_lines if line < MOST_LINES],
    }


def _lines(piece: Piece) -> list[str]:
    lines = [short(line) for line in piece.text.split("\n")]
    return lines[:MOST_LINES] + (["…"] if len(lines) > MOST_LINES else [])


def similar(
    homework: str,
    submissions: Iterable[tuple[str, Files]],
    against: Iterable[tuple[str, Files]] = (),
    progress: Progress | None = None,
) -> Similar:
    """Return how the submissions of a class resemble each other, and those of earlier years.

    Both yield name and files (path from the homework's root to content). Raises `UsageError` when the library
    is missing.
    """
    prints.require()
    given = scaffold(homework)
    found: list[Prints] = []
    own = 0
    for group in (submissions, against):
        for name, files in group:
            found.append(prints.printed(short(name), pieces(files, homework), given))
            if progress:
                progress(len(found))
        own = own or len(found)
    own = own if found else 0
    found = overlaps.without_common(found)
    table = overlaps.shares(found) if found else np.zeros((0, 0))
    made, inside = overlaps.pairs(table, found, own)
    usual = float(np.median(inside)) if len(inside) >= FEW else None
    spread = 0.0 if usual is None else 1.4826 * float(np.median(np.abs(inside - usual)))
    few = [one.name for one in found if one.size < overlaps.LEAST]
    return Similar(homework, found, own, made, usual, spread, few)


@functools.cache
def scaffold(homework: str) -> frozenset[int]:
    """Return the fingerprints of the handout, which every submission has."""
    files = handout(homework).items()
    return frozenset(prints.hashes([Piece(name, name, 1, data.decode()[:LARGEST]) for name, data in files]))
