"""Delta debugging: the smallest set of things whose change makes a failing experiment pass."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def smallest(candidates: Sequence[T], helps: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return a subset that helps and of which no single element can be left out.

    `helps(candidates)` has to hold. Zeller and Hildebrandt's ddmin: halves first, then their
    complements, then finer parts; a single culprit among n costs about 2 log2(n) experiments.
    """
    kept = list(candidates)
    parts = 2
    while len(kept) >= 2:
        chunks = _split(kept, parts)
        smaller = _first(chunks, helps)
        if smaller is not None:
            kept, parts = list(smaller), 2
            continue
        complements = [[one for one in kept if one not in chunk] for chunk in chunks] if parts > 2 else []
        smaller = _first(complements, helps)
        if smaller is not None:
            kept, parts = list(smaller), max(parts - 1, 2)
        elif parts < len(kept):
            parts = min(len(kept), 2 * parts)
        else:
            break
    return kept


def _split(items: Sequence[T], parts: int) -> list[list[T]]:
    bounds = [len(items) * i // parts for i in range(parts + 1)]
    return [list(items[a:b]) for a, b in itertools.pairwise(bounds) if b > a]


def _first(options: Sequence[Sequence[T]], helps: Callable[[Sequence[T]], bool]) -> Sequence[T] | None:
    return next((option for option in options if helps(option)), None)
