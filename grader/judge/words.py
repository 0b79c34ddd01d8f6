"""Arrays and values as short text and as plain data for the report."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_SHOWN = 24


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
