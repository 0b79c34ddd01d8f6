"""Arrays and values as short text and as plain data for the report."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_SHOWN = 24
MOST_DIFFERENT = 4


def array_text(array: np.ndarray) -> str:
    """Return an array on one line: values up to six digits, its dtype and shape when it is large."""
    if array.size > MOST_SHOWN:
        return f"{array.dtype} array of shape {array.shape}"
    text = np.array2string(
        array, separator=", ", max_line_width=10**6, formatter={"float_kind": lambda x: f"{x:.6g}"}
    )
    return " ".join(text.split())


def excerpt(array: np.ndarray) -> dict[str, Any]:
    """Return shape, dtype and the first values as plain data (non-finite values as text)."""
    flat = [number(value) for value in array.ravel()[:MOST_SHOWN]]
    return {"shape": list(array.shape), "dtype": str(array.dtype), "values": flat, "text": array_text(array)}


def compared(actual: np.ndarray, expected: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return excerpts of both; of large arrays of one shape the text is the elements that differ most."""
    mine, right = excerpt(actual), excerpt(expected)
    large = actual.size > MOST_SHOWN and actual.shape == expected.shape
    worst = _farthest(actual, expected) if large and actual.dtype.kind in "biufc" else []
    if worst:
        mine["text"], right["text"] = (_elements(array, worst) for array in (actual, expected))
    return mine, right


def _farthest(actual: np.ndarray, expected: np.ndarray) -> list[tuple[int, ...]]:
    """Return the places of the largest differences, the largest first; what is not finite comes before."""
    with np.errstate(all="ignore"):
        distance = np.abs(np.subtract(actual, expected, dtype=np.result_type(actual, expected, np.float64)))
    same = (actual == expected) | ((actual != actual) & (expected != expected))
    distance = np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf)).ravel()
    order = np.argsort(-distance, kind="stable")[:MOST_DIFFERENT]
    return [tuple(map(int, np.unravel_index(i, actual.shape))) for i in order if distance[i] > 0]


def _elements(array: np.ndarray, places: list[tuple[int, ...]]) -> str:
    """Return elements as `[0, 2]: 0.5`, by semicolons."""
    return "; ".join(f"{list(place)}: {array_text(np.asarray(array[place]))}" for place in places)


def number(value: Any) -> Any:
    """Return a numpy scalar as a JSON value."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, complex):
        return str(plain)
    if isinstance(plain, float) and not np.isfinite(plain):
        return str(plain)
    return plain


def listing(names: list[str], most: int = 6) -> str:
    """Return names joined by commas, the surplus counted."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def parameters_text(parameters: tuple[Any, ...]) -> str:
    """Return constructor parameters as they are written in Python."""
    return ", ".join(repr(parameter) for parameter in parameters)
