"""The smallest set of things whose change makes a failing experiment pass, by few experiments.

Junker's QuickXplain (2004) comes first: with k culprits among n it takes about 2k log2(n/k) experiments,
as long as changing more never spoils what changing less has mended. Where it does, Zeller and Hildebrandt's
ddmin (2002) is slower and needs no such promise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")
Helps = Callable[[Sequence[T]], bool]


def smallest(candidates: Sequence[T], helps: Helps[T]) -> list[T]:
    """Return a subset that helps and of which no single element can be left out.

    `helps(candidates)` has to hold. Candidates that are likely culprits had better come first.
    """
    everything = list(candidates)
    found = _explain([], False, everything, helps) if len(everything) > 1 else everything
    if len(found) == 1 or (found and helps(found) and not _spare(found, helps)):
        return found
    return ddmin(everything, helps)


def _explain(background: list[T], grown: bool, candidates: list[T], helps: Helps[T]) -> list[T]:
    """Return what of the candidates is needed beside the background, which has just `grown` or not."""
    if grown and helps(background):
        return []
    if len(candidates) == 1:
        return candidates
    half = (len(candidates) + 1) // 2
    first, second = candidates[:half], candidates[half:]
    of_second = _explain(background + first, True, second, helps)
    of_first = _explain(background + of_second, bool(of_second), first, helps)
    return of_first + of_second


def _spare(found: list[T], helps: Helps[T]) -> bool:
    """Tell whether some element can be left out."""
    return any(helps(found[:i] + found[i + 1 :]) for i in range(len(found)))


def ddmin(candidates: Sequence[T], helps: Helps[T]) -> list[T]:
    """Return the same as `smallest`: halves first, then their complements, then finer parts."""
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
    return [list(items[a:b]) for a, b in pairwise(bounds) if b > a]


def _first(options: Sequence[Sequence[T]], helps: Helps[T]) -> Sequence[T] | None:
    return next((option for option in options if helps(option)), None)
