"""Overlaps of all pairs of submissions, and where the pieces of one pair lie on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.classroom.similarity.prints import Prints

LEAST = 100  # stretches that a submission must have to be compared at all
COMMON, SMALLEST_CLASS = 0.8, 10
BLOCK = 8192
KEPT = 5000  # pairs: enough for any class, where all pairs of 1,000 are half a million


@dataclass(frozen=True)
class Pair:
    """Two submissions by their places, and the share of the shorter one that the other has too."""

    first: int
    second: int
    share: float


@dataclass(frozen=True)
class Match:
    """Two pieces that lie on each other: their places, and the lines (0-based) that do."""

    piece: int
    other: int
    lines: tuple[int, ...]
    other_lines: tuple[int, ...]
    weight: int


def without_common(found: Sequence[Prints]) -> list[Prints]:
    """Return the prints without what four fifths of a class have: the code of its starter."""
    if len(found) < SMALLEST_CLASS:
        return list(found)
    values, counts = np.unique(np.concatenate([one.hashes for one in found]), return_counts=True)
    common = values[counts > COMMON * len(found)]
    return [
        Prints(one.name, one.pieces, np.setdiff1d(one.hashes, common, assume_unique=True), one.by_piece)
        for one in found
    ]


def shares(found: Sequence[Prints]) -> np.ndarray:
    """Return the share of the shorter one that both of two have: (submissions, submissions) float64."""
    count = len(found)
    both = np.zeros((count, count))
    values, seen = np.unique(np.concatenate([one.hashes for one in found]), return_counts=True)
    shared = values[seen > 1]
    for start in range(0, len(shared), BLOCK):
        block = shared[start : start + BLOCK]
        rows = np.stack([np.isin(block, one.hashes, assume_unique=True) for one in found])
        held = rows.astype(np.float32)
        both += held @ held.T
    sizes = np.array([one.size for one in found], dtype=float)
    shorter = np.minimum.outer(sizes, sizes)
    return both / np.maximum(shorter, 1.0)


def pairs(table: np.ndarray, found: Sequence[Prints], own: int) -> tuple[list[Pair], np.ndarray]:
    """Return the pairs with the highest shares, highest first, and all shares between the class's own.

    At least one of each pair is among the first `own` submissions, and both have enough to be compared.
    """
    first, second = np.triu_indices(len(found), 1)
    enough = np.array([one.size >= LEAST for one in found], dtype=bool)
    chosen = (first < own) & enough[first] & enough[second]
    first, second = first[chosen], second[chosen]
    values = table[first, second]
    best = np.argsort(-values, kind="stable")[:KEPT]
    kept = [Pair(int(first[at]), int(second[at]), float(values[at])) for at in best]
    return kept, values[second < own]


def matches(one: Prints, other: Prints) -> list[Match]:
    """Return which pieces of two submissions lie on each other, the longest first, each piece once."""
    kept = [{int(value) for value in prints.hashes} for prints in (one, other)]
    counts = [
        (len(mine.hashes & theirs.hashes & kept[0] & kept[1]), place, place_of_other)
        for place, mine in enumerate(one.by_piece)
        for place_of_other, theirs in enumerate(other.by_piece)
        if mine.hashes & theirs.hashes
    ]
    used: tuple[set[int], set[int]] = (set(), set())
    found = []
    for weight, place, place_of_other in sorted(counts, key=lambda count: (-count[0], count[1], count[2])):
        if weight and place not in used[0] and place_of_other not in used[1]:
            used[0].add(place)
            used[1].add(place_of_other)
            found.append(_match(one, other, place, place_of_other, weight))
    return found


def _match(one: Prints, other: Prints, place: int, place_of_other: int, weight: int) -> Match:
    from copydetect import compare_files

    _, _, slices = compare_files(one.by_piece[place], other.by_piece[place_of_other])
    texts = one.pieces[place].text, other.pieces[place_of_other].text
    lines = [_lines(text, part) for text, part in zip(texts, slices, strict=True)]
    return Match(place, place_of_other, lines[0], lines[1], weight)


def _lines(text: str, slices: np.ndarray) -> tuple[int, ...]:
    """Return the lines that stretches of characters touch."""
    found: set[int] = set()
    for start, stop in np.asarray(slices, dtype=int).T:
        first = text.count("\n", 0, start)
        last = text.count("\n", 0, min(stop, len(text)) - 1) if stop > start else first
        found.update(range(first, last + 1))
    return tuple(sorted(found))
