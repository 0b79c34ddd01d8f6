"""Arrays and values as Python source."""

from __future__ import annotations

import base64
import re
import textwrap
import zlib
from typing import Any

import numpy as np

MOST_WRITTEN = 600  # elements; larger arrays are packed
MOST_PACKED = 96 * 1024  # characters
WIDTH = 88


class TooLarge(Exception):
    """Raised for an array that no readable script can hold."""


def values(array: np.ndarray, indent: int = 4) -> str:
    """Return the numbers of an array as nested lists, one row to a line where they are long."""
    text = re.sub(r"\b(nan|inf)\b", r"np.\1", repr(array.tolist()))
    if len(text) + indent <= WIDTH:
        return text
    inner, outer = " " * indent, " " * (indent - 4)
    if array.ndim < 2:
        rows = textwrap.fill(text[1:-1], WIDTH + 8, initial_indent=inner, subsequent_indent=inner)
    else:
        rows = ",\n".join(inner + values(row, indent + 4) for row in array)
    return f"[\n{rows},\n{outer}]"


def array(one: np.ndarray) -> str:
    """Return an expression that makes the array, in its dtype; `np` must be there."""
    if one.size > MOST_WRITTEN:
        return packed(one)
    if one.size == 0:
        return f'np.zeros({one.shape}, "{one.dtype}")'
    return f'np.array({values(one)}, "{one.dtype}")'


def packed(one: np.ndarray) -> str:
    """Return an expression that unpacks the array from compressed text."""
    data = data_text(np.ascontiguousarray(one).tobytes())
    return f'np.frombuffer({data}, "{one.dtype}").reshape({one.shape})'


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
