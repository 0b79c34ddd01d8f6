"""The checks of DataLoader: every pass gives every row once, in a fresh order when it shuffles."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np

from grader.homework.check import Check
from grader.homework.loader_run import FIRST, MANY, Loader, draw_loader
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.oracle import data as truth
from grader.oracle.mistakes_loader import ORDERED, SHUFFLED, Pass, Sign, naming
from grader.sandbox.channel import Reply

UNUSED = (
    "`np.random` is asked, but its order is not what the samples come in: `np.random.permutation` returns a "
    "new array, `np.random.shuffle` shuffles its argument and returns None"
)
NAME = "DataLoader"


def loader(question: str) -> tuple[Check, ...]:
    """Return the checks of DataLoader."""
    make = partial(Check, question, NAME, target="needle.data.DataLoader.__iter__")
    first = (f"{question}.{NAME}.values",)
    return (
        make("values", "batches in order, each a tuple of Tensors", _ordered, weight=3.0),
        make("parts", "a Tensor for each array, one or three of them", _parts, weight=0.5, needs=first),
        make("short_batch", "the short last batch is there", _short, weight=1.0, needs=first),
        make("passes", "every pass starts anew, also after a break", _again, weight=2.0, needs=first),
        make(
            "fresh", "every pass reads its samples anew", _fresh, weight=0.5,
            needs=(f"{question}.{NAME}.passes",),
        ),
        make("shuffle", "a fresh permutation in each pass", _shuffled, weight=3.0, needs=first),
        make("seed", "the order is drawn from np.random", _seeded, needs=(f"{question}.{NAME}.shuffle",)),
        make("nested", "a pass inside a pass does not disturb it", _nested, weight=0.0, needs=first),
    )  # fmt: skip


def _observe(trial: Trial, one: Loader) -> list[Pass]:
    """Return the rows of each batch of each pass; raise a failure for what is not a batch of rows."""
    return _passes(trial.ask("data.loader", one.arguments(), one.arrays()), one)


def _passes(reply: Reply, one: Loader) -> list[Pass]:
    arrays, passes = iter(reply.arrays), []
    for sizes in reply.values["sizes"]:
        passes.append([_rows([next(arrays) for _ in range(size)], one) for size in sizes])
    return passes


def _rows(parts: list[np.ndarray], one: Loader) -> list[int]:
    _demand_parts(parts, one)
    x, *rest = parts
    numbers = np.rint(x[:, 0])
    if not (
        np.all(np.isfinite(x)) and np.allclose(x, np.stack([numbers, numbers + 0.5], axis=1), atol=1e-3)
    ) or np.any((numbers < FIRST) | (numbers >= FIRST + one.count)):
        raise _failure(one, "a batch holds values that are not in the dataset", "values")
    if not all(np.array_equal(numbers, y) for y in rest):
        raise _failure(one, "images and labels of a batch belong to different samples", "pairs")
    return [int(n) - FIRST for n in numbers]


def _samples(rows: list[int]) -> list[int]:
    """Return the samples of rows as the dataset holds them."""
    return [FIRST + row for row in rows]


def _demand_parts(parts: list[np.ndarray], one: Loader) -> None:
    """Refuse a batch of another number of parts, shapes or kinds of numbers than the dataset's arrays."""
    if len(parts) != one.parts:
        raise _failure(
            one,
            f"a batch has {len(parts)} parts, expected {one.parts}: one per array of the dataset",
            "parts",
        )
    x, *rest = parts
    if x.ndim != 2 or x.shape[1] != 2 or any(y.shape != x.shape[:1] for y in rest):
        shapes, wanted = (
            " and ".join(map(str, all_))
            for all_ in ([part.shape for part in parts], ["(n, 2)", *["(n,)"] * (one.parts - 1)])
        )
        raise _failure(one, f"a batch has the shapes {shapes}, expected {wanted}", "shape")
    for part, name, kinds in ((x, "X", "f"), *((y, "y", "iuf") for y in rest)):
        if part.dtype.kind not in kinds or part.dtype == np.float16:
            raise _failure(one, f"{name} of a batch has dtype {part.dtype}", "dtype")


def _failure(one: Loader, text: str, group: str, *, help: str = "") -> Failure:
    return Failure(f"{NAME}: {text}", help=help, counterexample=one.shown(), group=group)


def _named(sign: Sign | None, failure: Failure) -> Failure:
    return failure if sign is None else failure.explained(NAME, sign.id, sign.says)


def _ordered(trial: Trial) -> None:
    for one in [
        Loader(6, 2),
        Loader(4, 4),
        Loader(3, 1),
        *(draw_loader(trial.source, even=True) for _ in range(4)),
    ]:
        passes = _observe(trial, Loader(one.count, one.batch_size, passes=(None,)))
        _demand_order(one, passes)


def _parts(trial: Trial) -> None:
    for parts in (1, 3):
        one = Loader(4, 2, passes=(None,), parts=parts)
        try:
            _demand_order(one, _observe(trial, one))
        except Failure as failure:
            failure.counterexample = failure.counterexample or one.shown()
            if failure.verdict == "error":
                failure.message += f" (over a dataset of {parts} {'array' if parts == 1 else 'arrays'})"
            failure.help = (
                failure.help or "a batch has as many Tensors as a sample has elements: `zip(*samples)`"
            )
            raise


def _short(trial: Trial) -> None:
    for one in [Loader(7, 3), Loader(3, 5), *(draw_loader(trial.source, even=False) for _ in range(4))]:
        _demand_order(one, _observe(trial, Loader(one.count, one.batch_size, passes=(None,))))


def _demand_order(one: Loader, passes: list[Pass]) -> None:
    right = truth.batches(one.count, one.batch_size)
    for number, seen in enumerate(passes, 1):
        if seen != right:
            failure = _failure(one, f"pass {number} {_difference(seen, right)}", "order")
            failure.expected, failure.actual = (list(map(_samples, one_pass)) for one_pass in (right, seen))
            raise _named(naming(ORDERED, passes, one.count, one.batch_size), failure)


def _difference(seen: Pass, right: Pass) -> str:
    """Return how a pass differs from the right one."""
    rows, wanted = [row for b in seen for row in b], [row for b in right for row in b]
    if not rows:
        return "is empty"
    missing = [row for row in wanted if row not in rows]
    twice = [row for row, count in Counter(rows).items() if count > 1]
    if twice:
        return f"gives sample {FIRST + twice[0]} {rows.count(twice[0])} times"
    if missing:
        return f"leaves out {len(missing)} of {len(wanted)} samples: {_samples(missing[:6])}"
    if rows == wanted:
        sizes, right_sizes = (", ".join(str(len(batch)) for batch in one) for one in (seen, right))
        return f"has batches of the sizes {sizes}; expected are {right_sizes}"
    return f"begins with the samples {_samples(rows[:6])}, expected {_samples(wanted[:6])}"


def _again(trial: Trial) -> None:
    for passes in ((None, None, None), (1, None), (2, 1, None, None)):
        one = Loader(8, 2, passes=passes)
        seen = _observe(trial, one)
        right = truth.batches(one.count, one.batch_size)
        for number, (rows, stop) in enumerate(zip(seen, passes, strict=True), 1):
            if rows != right[:stop]:
                before = passes[number - 2] if number > 1 else None
                raise _after(one, seen, number, before, f"pass {number} {_difference(rows, right[:stop])}")


def _fresh(trial: Trial) -> None:
    one = Loader(2, 1)
    reads = trial.ask("data.loader", one.arguments(), one.arrays()).values["reads"]
    for number, count in enumerate(reads, 1):
        if count < one.count:
            raise _failure(
                one,
                f"pass {number} reads {count} samples of the dataset, expected {one.count}",
                "reads",
                help="keep no samples from one pass to the next: random transforms have to draw anew in each",
            )


def _after(one: Loader, seen: list[Pass], number: int, left: int | None, text: str) -> Failure:
    rows = [row for batch in seen[number - 1] for row in batch]
    if left and rows and rows[0] == left * one.batch_size:
        failure = _failure(one, "", "stale")
        stale = Sign(
            "loader-stale",
            f"after a break the next pass goes on where the last one was left (at sample {FIRST + rows[0]}): "
            "`__iter__` has to start anew",
            lambda *_: True,
        )
        return _named(stale, failure)
    sign = naming(ORDERED, seen, one.count, one.batch_size) if not left else None
    help_text = "keep the state of a pass in the iterator that `__iter__` makes, or set it back there"
    return _named(sign, _failure(one, text, "passes", help=help_text))


def _shuffled(trial: Trial) -> None:
    for size, count in ((5, MANY), (8, MANY), (1, MANY)):
        one = Loader(count, size, shuffle=True, passes=(None,) * 3, seed=trial.source.integer(1, 999))
        reply = trial.ask("data.loader", one.arguments(), one.arrays())
        passes = _passes(reply, one)
        wrong = _not_permutations(one, passes)
        sign = naming(SHUFFLED, passes, count, size)
        if wrong or sign:
            failure = _failure(one, wrong, "shuffle")
            if len(set(map(tuple, _orders(passes)))) < len(passes):
                drawn = all(reply.values["drawn"])
                failure.help = UNUSED if drawn else "draw a new order whenever a pass begins"
            failure.actual = "; ".join(f"pass {i}: {_begin(one)}" for i, one in enumerate(passes, 1))
            raise _named(sign, failure)


def _begin(one: Pass) -> str:
    """Return the first samples of a pass as text."""
    rows = [row for batch in one for row in batch]
    shown = f"{_samples(rows[:8])}"
    return shown if len(rows) <= 8 else shown.replace("]", ", ...]")


def _orders(passes: list[Pass]) -> list[list[int]]:
    """Return the rows of each pass in their order, whatever the batches."""
    return [[row for batch in seen for row in batch] for seen in passes]


def _not_permutations(one: Loader, passes: list[Pass]) -> str:
    right = truth.batches(one.count, one.batch_size)
    for number, seen in enumerate(passes, 1):
        rows = sorted(row for batch in seen for row in batch)
        if rows != list(range(one.count)) or [len(b) for b in seen] != [len(b) for b in right]:
            return f"with shuffle, pass {number} {_difference(seen, right)}"
    orders = _orders(passes)
    for number, order in enumerate(orders[1:], 2):
        if order in orders[: number - 1]:
            return f"pass {number} has the order of pass {orders.index(order) + 1}"
    return ""


def _seeded(trial: Trial) -> None:
    orders = [_observe(trial, Loader(MANY, 8, shuffle=True, passes=(None,), seed=seed)) for seed in (3, 3, 4)]
    if orders[0] != orders[1] or orders[0] == orders[2]:
        raise _failure(
            Loader(MANY, 8, shuffle=True),
            "the order does not follow np.random.seed",
            "seed",
            help="draw it with np.random.permutation or np.random.shuffle when a pass begins",
        )


def _nested(trial: Trial) -> None:
    one = Loader(6, 2, passes=(None,), nested=True)
    right = truth.batches(6, 2)
    inner, outer = _observe_nested(trial, one)
    if outer != right or inner != right:
        raise _failure(
            one,
            f"a second pass inside the first disturbs it (write `__iter__` as a generator): the outer pass "
            f"{_difference(outer, right)}"
            if outer != right
            else f"a pass inside another {_difference(inner, right)}",
            "nested",
            help="nobody asks for it, but an iterator with a state of its own (a generator) would do it",
        )


def _observe_nested(trial: Trial, one: Loader) -> tuple[Pass, Pass]:
    """Return the inner and the outer pass: the outer one's first batch comes first over the wire."""
    reply = trial.ask("data.loader", one.arguments(), one.arrays())
    sizes = reply.values["sizes"]
    inner, outer = (sizes[0], sizes[1]) if len(sizes) > 1 else ([], sizes[0] if sizes else [])
    arrays = iter(reply.arrays)
    first = [_rows([next(arrays) for _ in range(size)], one) for size in outer[:1]]
    inside = [_rows([next(arrays) for _ in range(size)], one) for size in inner]
    return inside, first + [_rows([next(arrays) for _ in range(size)], one) for size in outer[1:]]
