"""Which of a check's questions shows the fault, what the submission answers, what is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.debug import (
    plain_apps,
    plain_autograd,
    plain_data,
    plain_hw0,
    plain_mlp,
    plain_nn,
    plain_ops,
    plain_optim,
)
from grader.debug.code import Code, Printer
from grader.debug.record import Ask, Recording
from grader.homework.examine import SINGLE
from grader.judge import compare
from grader.sandbox.channel import Reply

PRINTERS: dict[str, Printer] = {
    **plain_ops.PRINTERS,
    **plain_autograd.PRINTERS,
    **plain_apps.PRINTERS,
    **plain_nn.PRINTERS,
    **plain_optim.PRINTERS,
    **plain_data.PRINTERS,
    **plain_mlp.PRINTERS,
    **plain_hw0.PRINTERS,
}
# how a fact is told to a person, and when it is right: "equal" to the reference's, "most" so many, "flat"
FACTS = {
    "changed": ("what was changed in place", "equal"),
    "made": ("nodes made", "most"),
    "alive": ("nodes alive", "flat"),
    "order": ("the order", "equal"),
    "steps": ("steps", "most"),
    "missing": ("positions without .grad", "equal"),
    "touched": ("gradients that changed", "equal"),
    "training": ("modes after eval() and train()", "equal"),
    "parameters": ("the parameters", "equal"),
    "kinds": ("types", "equal"),
    "shapes": ("the shapes", "equal"),
    "dtypes": ("the dtypes", "equal"),
    "text": ("the sum", "equal"),
    "type": ("its type", "equal"),
    "returned": ("what it returned", "equal"),
    "distinct": ("different parameters", "equal"),
    "length": ("the length", "equal"),
    "sizes": ("arrays in each batch", "equal"),
    "reads": ("samples read in each pass", "equal"),
    "modes": ("modes (True: training)", "equal"),
    "calls": ("calls of the model", "equal"),
    "optimiser": ("calls of the optimiser (r reset_grad, s step)", "equal"),
    "optimisers": ("optimisers made", "equal"),
    "p": ("p of each Dropout", "equal"),
    "keywords": ("what the optimiser was given", "equal"),
    "requires_grad": ("requires_grad", "equal"),
}
LOOSE = {"mlp.train": 0.3}  # a training's results depend on the order of its random draws


class NotCovered(Exception):
    """Raised when a check's failure cannot be written as plain calls; the text says why."""


@dataclass(frozen=True)
class Item:
    """One thing to compare: an expression, what is right, and when it is right enough.

    `rule` is "values" (within `allowed`), "equal", "most" or "flat".
    """

    name: str
    expression: str
    right: Any
    rule: str
    allowed: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """The question that shows the fault, as code, and what to compare once it has been asked.

    `is_raising`: the call raises, ends the process or does not end.
    """

    ask: Ask
    code: Code
    items: list[Item]
    is_raising: bool = False


def own(recording: Recording) -> Evidence | None:
    """Return the evidence that a failure itself holds: a wrong array found in an answer, the right one."""
    failure = recording.failure
    if failure is None or failure.arrays is None or failure.group != "values":
        return None
    mine, right = failure.arrays
    for one in recording.asks:
        code = written(one)
        answers = one.reply.arrays if one.reply is not None else []
        for (name, expression), array in zip(code.arrays, answers, strict=False):
            if array.size == mine.size and np.shares_memory(array, mine):
                allowed = min(_allowed(one.probe, mine, right), _error(mine, right) / 2)
                item = Item(name, expression, right, "values", float(f"{allowed:.1g}"))
                return Evidence(one, written(one, [item]), [item])
    return None


def find(recording: Recording, right: list[Reply | None]) -> Evidence:
    """Return the evidence of a failed check by what the reference answers to the same questions.

    The most telling comes first. Raises `NotCovered`.
    """
    pairs = [(one, reply) for one, reply in zip(recording.asks, right, strict=True) if reply is not None]
    for one, reply in pairs:
        if one.failure is not None or one.fault is not None:
            items = _all(one, reply)
            is_raising = not (one.failure and one.failure.group == "unusable")
            return Evidence(one, written(one, items), items, is_raising)
    if recording.passed and pairs:
        one, reply = pairs[0]
        return Evidence(one, written(one, _all(one, reply)), _all(one, reply))
    group = recording.failure.group if recording.failure else ""
    for wanted in _order(group, recording.check.kind):
        for one, reply in reversed(pairs) if wanted == "most" else pairs:
            items = _items(one, reply, wanted, recording)
            if items:
                return Evidence(one, written(one, items), items)
    if recording.asks and not pairs:
        raise NotCovered("that takes the reference solution, which cannot answer or is not here")
    raise NotCovered("its answers to each single question are right; what is wrong shows between them")


def written(ask: Ask, items: list[Item] | None = None) -> Code:
    """Return the code of a question; with items, only their expressions are kept."""
    if ask.probe not in PRINTERS:
        raise NotCovered(f"there are no plain calls for {ask.probe} yet")
    code = Code()
    PRINTERS[ask.probe](code, ask)
    if items is None:
        return code
    kept = {item.expression for item in items}
    code = Code(wanted=frozenset(key for key, text in code.facts.items() if text in kept))
    PRINTERS[ask.probe](code, ask)
    return code


def _order(group: str, kind: str) -> list[str]:
    """Return the kinds of comparison in the order in which they are tried."""
    first = {
        "dtype": ["dtype"],
        "changed": ["facts"],
        "nodes": ["most", "facts"],
        "growth": ["most", "flat"],
        "held": ["flat"],
        "shape": ["shape"],
    }.get(group, [])
    if kind in ("graph", "memory", "growth", "cycles"):
        first = ["most", "flat", *first]
    return [*first, "values", "shape", "facts", "flat", "most", "dtype", "tight"]


def _items(one: Ask, reply: Reply, wanted: str, recording: Recording) -> list[Item]:
    assert one.reply is not None
    code = written(one)
    if wanted in ("values", "tight", "shape", "dtype"):
        found = _different(one, one.reply.arrays, reply.arrays, code, wanted)
    else:
        found = _wrong_facts(one.reply.values, reply.values, code, wanted, recording)
    return list(found)[:4]


def _all(one: Ask, reply: Reply) -> list[Item]:
    """Return the first arrays of an answer, or its facts if it has none; any may be the one."""
    code = written(one)
    pairs = zip(code.arrays, reply.arrays, strict=False)
    items = [Item(name, text, b, "values", _allowed(one.probe, b, b)) for (name, text), b in pairs]
    if not items:
        equal = ((key, text) for key, text in code.facts.items() if FACTS[key][1] == "equal")
        items = [Item(FACTS[key][0], text, reply.values.get(key), "equal") for key, text in equal]
    return items[:4]


def _different(
    one: Ask, mine: list[np.ndarray], right: list[np.ndarray], code: Code, wanted: str
) -> Iterator[Item]:
    for (name, expression), a, b in zip(code.arrays, mine, right, strict=False):
        if wanted == "dtype" and a.dtype != b.dtype:
            yield Item(f"the dtype of {name}", f"str({expression}.dtype)", str(b.dtype), "equal")
        elif wanted == "shape" and a.shape != b.shape:
            yield Item(f"the shape of {name}", f"{expression}.shape", b.shape, "equal")
        elif wanted in ("values", "tight") and a.size == b.size:
            allowed, error = _allowed(one.probe, a, b, tight=wanted == "tight"), _error(a, b)
            if error > allowed:
                yield Item(name, expression, b, "values", allowed)
        elif wanted == "values":
            yield Item(name, expression, b, "values", _allowed(one.probe, b, b))


def _allowed(probe: str, mine: np.ndarray, right: np.ndarray, *, tight: bool = False) -> float:
    """Return the largest difference to allow; `tight` where only the roundings of the dtype are."""
    if probe in LOOSE:
        return LOOSE[probe]
    if right.dtype.kind != "f":
        return 0.0
    extra = compare.DIFFERENCE if right.dtype == np.float64 else SINGLE
    if tight:
        return float(f"{compare.tolerance(mine, right.astype(np.float64)):.1g}")
    return float(f"{compare.tolerance(mine, right.astype(np.float64), extra=extra, floor=1.0):.1g}")


def _error(mine: np.ndarray, right: np.ndarray) -> float:
    a, b = mine.astype(np.float64).ravel(), right.astype(np.float64).ravel()
    alike = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        error = np.where(alike, 0.0, np.abs(a - b))
    return float(np.max(np.where(np.isnan(error), np.inf, error), initial=0.0))


def _wrong_facts(
    mine: dict[str, Any], right: dict[str, Any], code: Code, wanted: str, recording: Recording
) -> Iterator[Item]:
    for key, expression in code.facts.items():
        name, rule = FACTS[key]
        if key == "alive" and isinstance(right.get(key), int):
            rule = "most"
        if rule == "equal" and wanted == "facts" and mine.get(key) != right.get(key):
            yield Item(name, expression, right.get(key), rule)
        elif rule == "flat" == wanted and _grows(mine.get(key) or []):
            yield Item(f"{name} at step after step", expression, None, rule)
        elif rule == "most" == wanted:
            most = _most(key, right, recording)
            if mine.get(key, 0) > most:
                yield Item(name, expression, most, rule)


def _most(key: str, right: dict[str, Any], recording: Recording) -> int:
    failure = recording.failure
    if key == "made" and failure is not None:
        found = recording.budget
        return found if found is not None else int(right.get(key, 0))
    return 4 * int(right.get(key, 0)) if key == "steps" else int(right.get(key, 0))


def _grows(alive: list[int]) -> bool:
    return len(alive) > 2 and max(alive[2:]) > alive[1]
