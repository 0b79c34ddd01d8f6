"""Arrays and values as Python source."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

import numpy as np

MOST_WRITTEN = 600  # elements; larger arrays are packed
MOST_PACKED = 96 * 1024  # characters
WIDTH = 100


class TooLarge(Exception):
    """Raised for an array that no readable script can hold."""


def values(array: np.ndarray) -> str:
    """Return the numbers of an array as nested lists, `float("nan")` and the like where needed."""
    text = repr(array.tolist())
    return re.sub(r"\b(nan|inf)\b", r"np.\1", text)


def array(one: np.ndarray) -> str:
    """Return an expression that makes the array, in its dtype; `np` must be there."""
    if one.size > MOST_WRITTEN:
        return packed(one)
    if one.size == 0:
        return f"np.zeros({one.shape}, {str(one.dtype)!r})"
    return f"np.array({values(one)}, {str(one.dtype)!r})"


def packed(one: np.ndarray) -> str:
    """Return an expression that unpacks the array from compressed text."""
    data = data_text(np.ascontiguousarray(one).tobytes())
    return f"np.frombuffer({data}, {str(one.dtype)!r}).reshape({one.shape})"


def data_text(data: bytes) -> str:
    """Return an expression for bytes, packed; raises `TooLarge`."""
    text = base64.b85encode(zlib.compress(data, 9)).decode()
    if len(text) > MOST_PACKED:
        raise TooLarge(f"{len(data)} bytes of input are too many for a script")
    return f"zlib.decompress(base64.b85decode({text!r}))"


def value(one: Any) -> str:
    """Return plain data from a probe's arguments as source; lists of parameters become tuples."""
    return repr(tuple(one) if isinstance(one, list) else one)


def call(name: str, arguments: list[Any], keywords: dict[str, Any] | None = None) -> str:
    """Return a call with plain arguments."""
    given = [value(one) for one in arguments]
    given += [f"{key}={value(one)}" for key, one in (keywords or {}).items()]
    return f"{name}({', '.join(given)})"
