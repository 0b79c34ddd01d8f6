"""Known mistakes of loaders, told by the rows that come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from grader.oracle import data

Pass = list[list[int]]
MANY = 16  # batches of 5 of 40 rows: with random rows one of them would have a row twice, in 98 of 100 runs


@dataclass(frozen=True)
class Sign:
    """A mistake of a loader, known by the rows that come out.

    `shows` takes the rows by pass and batch, the number of samples and the batch size.
    """

    id: str
    says: str
    shows: Callable[[list[Pass], int, int], bool] = field(repr=False)


def _flat(one: Pass) -> list[int]:
    return [row for batch in one for row in batch]


def _short_dropped(passes: list[Pass], count: int, size: int) -> bool:
    kept = count - count % size
    return bool(count % size) and all(len(_flat(p)) == kept and len(set(_flat(p))) == kept for p in passes)


def _short_filled(passes: list[Pass], count: int, size: int) -> bool:
    return bool(count % size) and all(len(_flat(p)) > count and len(set(_flat(p))) == count for p in passes)


def _one_batch_less(passes: list[Pass], count: int, size: int) -> bool:
    return all(len(p) == -(-count // size) - 1 and {len(b) for b in p} <= {size} for p in passes)


def _first_missing(passes: list[Pass], count: int, size: int) -> bool:
    return all(_flat(p) == list(range(size, count)) for p in passes) and count > size


def _single_use(passes: list[Pass], count: int, size: int) -> bool:
    first, *later = [_flat(one) for one in passes]
    return bool(later) and sorted(first) == list(range(count)) and not any(later)


def _one_order(passes: list[Pass], count: int, size: int) -> bool:
    orders = [_flat(p) for p in passes]
    return all(order == orders[0] for order in orders[1:]) and orders[0] != sorted(orders[0])


def _not_shuffled(passes: list[Pass], count: int, size: int) -> bool:
    return all(_flat(p) == list(range(count)) for p in passes)


def _replaced(passes: list[Pass], count: int, size: int) -> bool:
    return all(len(_flat(p)) == count and max(Counter(_flat(p)).values()) > 1 for p in passes)


def _permuted_anew(passes: list[Pass], count: int, size: int) -> bool:
    """Tell whether rows come twice in a pass, but never in a batch: by chance, some batch has one twice."""
    batches = [batch for one in passes for batch in one]
    apart = all(len(set(batch)) == len(batch) for batch in batches)
    return size > 2 and len(batches) >= MANY and apart and _replaced(passes, count, size)


def _batches_only(passes: list[Pass], count: int, size: int) -> bool:
    return size > 1 and all(
        sorted(_flat(p)) == list(range(count)) and all(b == list(range(b[0], b[0] + len(b))) for b in p)
        for p in passes
    )


def _within_batches(passes: list[Pass], count: int, size: int) -> bool:
    right = [set(batch) for batch in data.batches(count, size)]
    return len(right) > 1 and all([set(b) for b in p] == right for p in passes)


def _one_by_one(passes: list[Pass], count: int, size: int) -> bool:
    return size > 1 and all(len(p) == count and all(len(b) == 1 for b in p) for p in passes)


def _one_batch_only(passes: list[Pass], count: int, size: int) -> bool:
    return all(len(p) == 1 and len(p[0]) == size < count for p in passes)


def _joined(passes: list[Pass], count: int, size: int) -> bool:
    right = [len(batch) for batch in data.batches(count, size)]
    joined = [*right[:-2], sum(right[-2:])]
    return len(right) > 1 and all(
        [len(b) for b in p] == joined and sorted(_flat(p)) == list(range(count)) for p in passes
    )


def _whole(passes: list[Pass], count: int, size: int) -> bool:
    return all(len(p) == 1 and len(p[0]) == count > size for p in passes)


ORDERED = [
    Sign("loader-single-use", "pass 2 is empty: `__iter__` has to start anew", _single_use),
    Sign("loader-one-by-one", "the batches hold one sample each: batch_size is not used", _one_by_one),
    Sign("loader-one-batch", "a pass ends after its first batch", _one_batch_only),
    Sign(
        "loader-joins-last",
        "the last two batches come as one: the last split point is missing (a range that ends one early?)",
        _joined,
    ),
    Sign("loader-whole", "a pass is one batch with all samples: batch_size is not used", _whole),
    Sign(
        "loader-drops-short",
        "the short last batch is dropped: it belongs to the pass",
        _short_dropped,
    ),
    Sign("loader-fills-short", "the short last batch is filled up with rows that came before", _short_filled),
    Sign("loader-starts-late", "the first batch is missing: the pass begins with the second", _first_missing),
    Sign("loader-stops-early", "the last batch is missing: the pass ends one batch early", _one_batch_less),
]


SHUFFLED = [
    Sign("loader-not-shuffled", "shuffle=True does not shuffle", _not_shuffled),
    Sign(
        "loader-one-order",
        "all passes have one order: draw a new one in `__iter__`, not in `__init__`",
        _one_order,
    ),
    Sign(
        "loader-permuted-anew",
        "a new permutation is drawn for every batch, so that rows come twice in a pass and others never: "
        "draw one for the whole pass, before its first batch",
        _permuted_anew,
    ),
    Sign(
        "loader-replacement",
        "rows come twice in a pass and others never: draw a permutation, not random rows",
        _replaced,
    ),
    Sign(
        "loader-batches-shuffled", "only the order of the batches is shuffled, not the samples", _batches_only
    ),
    Sign("loader-within-batches", "samples are shuffled within their batches only", _within_batches),
    *ORDERED,
]


def naming(signs: list[Sign], passes: list[Pass], count: int, size: int) -> Sign | None:
    """Return the first sign that the passes show, if any."""
    return next((sign for sign in signs if passes and sign.shows(passes, count, size)), None)
