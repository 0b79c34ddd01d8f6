"""The protocol between the grader and its workers: the one module both sides share.

A frame is a fixed head (magic, header length, payload length), a JSON header and the raw bytes of
the arrays that the header describes. There is no pickle and no `.npy`: the reader checks every
number it is given before it allocates or slices anything.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Message = dict[str, Any]

MAGIC = b"NGW1"
HEAD = struct.Struct("<4sIQ")
MAX_HEADER = 64 * 1024
MAX_DEPTH = 16
MAX_ARRAYS = 256
MAX_DIMS = 16
DTYPES = frozenset(
    ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"],
)


class WireError(Exception):
    """Raised for anything that is not a well-formed frame within the caps."""


def encode(message: Message, arrays: Sequence[np.ndarray] = ()) -> bytes:
    """Return the frame for `message` and `arrays`.

    Arrays travel in little-endian C order; a dtype outside `DTYPES` raises `WireError`.
    """
    parts = [_little_endian(array) for array in arrays]
    described = [{"dtype": part.dtype.str, "shape": list(part.shape)} for part in parts]
    header = json.dumps({**message, "arrays": described}, allow_nan=False).encode()
    if len(header) > MAX_HEADER:
        raise WireError(f"header of {len(header)} bytes, at most {MAX_HEADER} are allowed")
    payload = b"".join(part.tobytes() for part in parts)
    return HEAD.pack(MAGIC, len(header), len(payload)) + header + payload


def _little_endian(array: np.ndarray) -> np.ndarray:
    plain = np.asarray(array)
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in DTYPES:
        raise WireError(f"an array of dtype {plain.dtype} cannot be sent")
    return plain


def decode(read: Callable[[int], bytes], max_payload: int) -> tuple[Message, list[np.ndarray]]:
    """Read one frame through `read(n)`, which returns exactly `n` bytes or raises.

    Returns the message (plain builtins, without its "arrays" entry) and the arrays. Raises
    `WireError` before reading a payload longer than `max_payload` bytes.
    """
    magic, header_length, payload_length = HEAD.unpack(read(HEAD.size))
    if magic != MAGIC:
        raise WireError("the reply does not start like a frame")
    if header_length > MAX_HEADER:
        raise WireError(f"header of {header_length} bytes, at most {MAX_HEADER} are allowed")
    if payload_length > max_payload:
        raise WireError(f"payload of {payload_length} bytes, at most {max_payload} are allowed")
    message = _parse(read(header_length))
    arrays = _described(message.pop("arrays", None), read(payload_length))
    return message, arrays


def _parse(header: bytes) -> Message:
    if _depth(header) > MAX_DEPTH:
        raise WireError(f"JSON nested deeper than {MAX_DEPTH}")
    try:
        message = json.loads(header.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise WireError("the header is not valid JSON") from error
    if type(message) is not dict:
        raise WireError("the header is not a JSON object")
    return message


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    """Return a number; a decimal beyond the range of doubles would come out as infinity."""
    number = float(text)
    return number if math.isfinite(number) else _no_constant(text)


def _depth(header: bytes) -> int:
    """Return the nesting of brackets outside strings, found before anything is parsed."""
    if header.count(b"[") + header.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    in_string = escaped = False
    for byte in header:
        if in_string:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                in_string = False
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _described(described: Any, payload: bytes) -> list[np.ndarray]:
    if type(described) is not list or len(described) > MAX_ARRAYS:
        raise WireError("the list of arrays is missing or too long")
    arrays = []
    offset = 0
    for entry in described:
        dtype, shape = _checked(entry)
        size = math.prod(shape) * dtype.itemsize
        if offset + size > len(payload):
            raise WireError("the payload is shorter than the arrays it is said to hold")
        flat = np.frombuffer(payload, dtype=dtype, count=math.prod(shape), offset=offset)
        arrays.append(flat.reshape(shape))
        offset += size
    if offset != len(payload):
        raise WireError("the payload is longer than the arrays it is said to hold")
    return arrays


def _checked(entry: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if type(entry) is not dict:
        raise WireError("an array without a description")
    dtype, shape = entry.get("dtype"), entry.get("shape")
    if type(dtype) is not str or dtype not in DTYPES:
        raise WireError("an array of unknown dtype")
    if type(shape) is not list or len(shape) > MAX_DIMS:
        raise WireError("an array without a proper shape")
    if not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise WireError("an array with an impossible shape")
    if math.prod(n for n in shape if n) > 2**40:  # numpy refuses (2**39, 2**39, 0), which holds nothing
        raise WireError("an array with an impossible shape")
    return np.dtype(dtype), tuple(shape)
