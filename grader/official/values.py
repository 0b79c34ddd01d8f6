"""Submitted values: as text, and one held against another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.homework.examine import SINGLE
from grader.judge import compare, words

# As for modules: a submission may compute in float32 on the way, with terms of the size of 1.
ALLOWED, TERMS = SINGLE, 1.0
FIRST = 6  # numbers of a large array that are shown
NUMBERS = ("number", "array")


@dataclass
class Value:
    """One value as the worker described it, with its arrays."""

    data: dict[str, Any]
    arrays: list[np.ndarray] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """Return number, array, type, dtype, tuple, list, dict, str, bool, NoneType or other."""
        return str(self.data.get("kind", "other"))

    def array(self) -> np.ndarray:
        """Return the array of a number or an array."""
        number = self.data.get("array")
        if type(number) is not int or not 0 <= number < len(self.arrays):
            return np.zeros(0)
        return self.arrays[number]

    def items(self) -> list[Value]:
        """Return the parts of a tuple, list or dict."""
        found = self.data.get("items")
        parts = found if isinstance(found, list) else []
        return [Value(one if isinstance(one, dict) else {}, self.arrays) for one in parts]

    def text(self) -> str:
        """Return the value on one line."""
        if self.kind in NUMBERS:
            array = self.array()
            if array.size > words.MOST_SHOWN:
                first = words.array_text(array.ravel()[:FIRST])[:-1]
                return f"{first}, ...] {array.dtype} {array.shape}"
            shown = words.array_text(array)
            return shown if array.ndim == 0 else f"{shown} {array.dtype}"
        if self.kind in ("tuple", "list", "dict"):
            inner = ", ".join(one.text() for one in self.items()[:6])
            return f"({inner})" if self.kind == "tuple" else f"[{inner}]"
        named = self.data.get("name") or self.data.get("text") or self.data.get("type") or self.kind
        return f"{self.kind} {named}" if self.kind in ("type", "dtype") else str(named)


def told_apart(mine: Value, right: Value, wrong: str) -> tuple[str, str]:
    """Return both values as text; only where they differ, if what is shown of them is the same."""
    texts = mine.text(), right.text()
    if texts[0] != texts[1]:
        return texts
    ours, _, theirs = wrong.partition(", expected ")
    return ours, theirs or texts[1]


def difference(mine: Value, right: Value) -> str:
    """Return in what a value is not the right one, "" if it is; both are told apart as a person would.

    A number is as good as an array without axes, and a number is told by its value whatever its type. Types
    count where a type is what was submitted.
    """
    if mine.kind in NUMBERS and right.kind in NUMBERS:
        return _numbers(mine.array(), right.array())
    if {mine.kind, right.kind} <= {"tuple", "list"}:
        return _parts(mine, right)
    if mine.kind != right.kind:
        return f"{_article(mine)}, expected {_article(right)}"
    if mine.kind == "dict":
        same = mine.data.get("keys") == right.data.get("keys")
        return _parts(mine, right) if same else "other keys than expected"
    return "" if mine.text() == right.text() else f"{mine.text()}, expected {right.text()}"


def _parts(mine: Value, right: Value) -> str:
    ours, theirs = mine.items(), right.items()
    if len(ours) != len(theirs):
        return f"{len(ours)} parts, expected {len(theirs)}"
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        found = difference(a, b)
        if found:
            return f"part {number}: {found}"
    return ""


def _numbers(mine: np.ndarray, right: np.ndarray) -> str:
    if mine.shape != right.shape:
        return f"shape {mine.shape}, expected {right.shape}"
    if {mine.dtype.kind, right.dtype.kind} & set("c"):
        return "" if np.allclose(mine, right, rtol=ALLOWED, atol=ALLOWED) else "other complex numbers"
    floats = "f" in (mine.dtype.kind, right.dtype.kind)
    a, b = (one if one.dtype.kind == "f" else one.astype(np.float64) for one in (mine, right))
    if not floats:
        if np.array_equal(mine, right):
            return ""
        at = tuple(int(i) for i in np.argwhere(mine != right)[0])
        return f"{mine[at]} at {list(at)}, expected {right[at]}" if at else f"{mine}, expected {right}"
    single = a.astype(np.float32) if a.dtype == np.float16 else a
    wrong = compare.mismatch(single, b.astype(np.float64), extra=ALLOWED, floor=TERMS)
    return "" if wrong is None else wrong.text


def _article(value: Value) -> str:
    named = {
        "number": "a number",
        "array": "an array",
        "NoneType": "None",
        "other": str(value.data.get("type")),
    }
    return named.get(value.kind, f"a {value.kind}")
