"""The wire: what is sent comes back bit for bit, and nothing but a well-formed frame is read."""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.wire import DTYPES, MAX_HEADER, WireError, decode, encode

EXAMPLES = int(os.environ.get("GRADER_FUZZ", "2000")) // 4  # shared by the four fuzzers
ROOM = 1 << 20
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)


class Reader:
    """Gives the bytes of a frame, and keeps the largest number of bytes it was asked for."""

    def __init__(self, data: bytes) -> None:
        self.stream = io.BytesIO(data)
        self.largest = 0

    def __call__(self, count: int) -> bytes:
        self.largest = max(self.largest, count)
        data = self.stream.read(count) if count < 1 << 30 else b""
        if len(data) < count:
            raise EOFError
        return data


def frame(header: bytes, payload: bytes = b"", *, magic: bytes = b"NGW1") -> bytes:
    """A frame made by hand, as the protocol's text has it: magic, u32, u64, header, payload."""
    return struct.pack("<4sIQ", magic, len(header), len(payload)) + header + payload


def described(*entries: Any) -> bytes:
    """A header that describes arrays so."""
    return json.dumps({"arrays": list(entries)}).encode()


def one(shape: Any, dtype: Any = "<f8") -> bytes:
    """A header that describes one array."""
    return described({"dtype": dtype, "shape": shape})


def entries(value: Any) -> Any:
    """JSON values, as nested as the protocol allows."""
    scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
    return st.recursive(
        scalars | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )


ARRAYS = st.sampled_from(sorted(DTYPES)).flatmap(
    lambda dtype: hnp.arrays(
        np.dtype(dtype), hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
    )
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(ARRAYS, max_size=4), st.dictionaries(st.sampled_from("abcdef"), entries(None), max_size=4))
def test_what_is_sent_comes_back(arrays: list[np.ndarray], message: dict[str, Any]) -> None:
    """Every dtype of the protocol and every shape, 0-d and empty ones too, survive with all their bits."""
    back, found = decode(Reader(encode(message, arrays)), ROOM)

    assert message == back
    assert [(a.dtype, a.shape, a.tobytes()) for a in arrays] == [
        (a.dtype, a.shape, a.tobytes()) for a in found
    ]


@pytest.mark.parametrize("dtype", sorted(DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3), (1,) * 16])
def test_each_dtype_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    """One array of each dtype in each kind of shape comes back as it was."""
    array = np.arange(int(np.prod(shape)), dtype=float).reshape(shape).astype(dtype)

    _, (found,) = decode(Reader(encode({}, [array])), ROOM)

    assert (array.dtype, array.shape) == (found.dtype, found.shape)
    assert np.array_equal(array, found)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(10)[::-2],
        np.broadcast_to(np.float32(3), (2, 4)),
        np.arange(4, dtype=">i4"),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=["transposed", "backwards", "broadcast", "big-endian", "fortran"],
)
def test_layout_in_memory_does_not_matter(array: np.ndarray) -> None:
    """Strides and byte order are the sender's own affair."""
    _, (found,) = decode(Reader(encode({}, [array])), ROOM)

    assert array.tolist() == found.tolist()
    assert found.dtype.str in DTYPES


def test_special_values_keep_their_bits() -> None:
    """NaN payloads, negative zero and infinities are bytes like others."""
    bits = np.array([0x7FF8000000000001, 0x8000000000000000, 0xFFF0000000000000], dtype="<u8")

    _, (found,) = decode(Reader(encode({}, [bits.view("<f8")])), ROOM)

    assert bits.tolist() == found.view("<u8").tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([{}], dtype=object),
        np.array(["text"]),
        np.array([b"bytes"]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.zeros(2, dtype=[("a", "<f8")]),
        np.zeros(2, dtype=np.longdouble),
    ],
    ids=["object", "str", "bytes", "date", "record", "longdouble"],
)
def test_other_dtypes_are_not_sent(array: np.ndarray) -> None:
    """What is not a number of a known width raises before a byte leaves."""
    with pytest.raises(WireError, match="cannot be sent"):
        encode({}, [array])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_constants_that_are_not_json_are_not_sent(value: float) -> None:
    """A header holds strict JSON only."""
    with pytest.raises((ValueError, WireError)):
        encode({"value": value})


def test_long_header_is_not_sent() -> None:
    """The writer holds itself to the reader's caps."""
    with pytest.raises(WireError, match="header"):
        encode({"text": "x" * (MAX_HEADER + 1)})


DEEP = b'{"a":' + b"[" * 5000 + b"]" * 5000 + b',"arrays":[]}'

MALFORMED: dict[str, bytes] = {
    "magic": frame(described(), magic=b"NGW2"),
    "pickle": b"\x80\x04\x95" + b"\0" * 40,
    "npy": b"\x93NUMPY\x01\x00" + b" " * 120,
    "header-too-long": struct.pack("<4sIQ", b"NGW1", MAX_HEADER + 1, 0) + b"{" * 100,
    "header-4-gib": struct.pack("<4sIQ", b"NGW1", 2**32 - 1, 0),
    "payload-2-to-62": struct.pack("<4sIQ", b"NGW1", 2, 2**62) + b"{}",
    "payload-2-to-64": struct.pack("<4sIQ", b"NGW1", 2, 2**64 - 1) + b"{}",
    "payload-one-over": struct.pack("<4sIQ", b"NGW1", 2, ROOM + 1) + b"{}",
    "empty-header": frame(b""),
    "not-json": frame(b"hello"),
    "not-utf8": frame(b'{"arrays": [], "a": "\xff\xfe"}'),
    "utf16": frame(json.dumps({"arrays": []}).encode("utf-16")),
    "list": frame(b"[]"),
    "number": frame(b"1"),
    "null": frame(b"null"),
    "string": frame(b'"text"'),
    "two-values": frame(b'{"arrays": []} {}'),
    "deep": frame(DEEP),
    "deep-objects": frame(b'{"a":' * 17 + b"1" + b"}" * 17),
    "deep-behind-a-string": frame(b'{"s": "\\"]]]]]]]]]]]]]]]]]]]]", "a":' + b"[" * 20 + b"]" * 20 + b"}"),
    "nan": frame(b'{"arrays": [], "a": NaN}'),
    "infinity": frame(b'{"arrays": [], "a": Infinity}'),
    "minus-infinity": frame(b'{"arrays": [], "a": [-Infinity]}'),
    "huge-float": frame(b'{"arrays": [], "a": 1e999}'),
    "huge-int": frame(b'{"arrays": [], "a": ' + b"9" * 60000 + b"}"),
    "no-arrays": frame(b"{}"),
    "arrays-null": frame(b'{"arrays": null}'),
    "arrays-object": frame(b'{"arrays": {}}'),
    "array-null": frame(described(None)),
    "array-list": frame(described([])),
    "array-empty": frame(described({})),
    "257-arrays": frame(described(*[{"dtype": "<f8", "shape": [0]}] * 257)),
    "object-dtype": frame(one([1], "|O"), b"\0" * 8),
    "object-word": frame(one([1], "object"), b"\0" * 8),
    "big-endian": frame(one([1], ">f8"), b"\0" * 8),
    "native": frame(one([1], "f8"), b"\0" * 8),
    "string-dtype": frame(one([1], "<U2"), b"\0" * 8),
    "record-dtype": frame(one([1], [["a", "<f8"]]), b"\0" * 8),
    "comma-dtype": frame(one([1], "<f4,<f4"), b"\0" * 8),
    "dtype-null": frame(one([1], None), b"\0" * 8),
    "dtype-number": frame(one([1], 8), b"\0" * 8),
    "negative": frame(one([-1]), b"\0" * 8),
    "two-negatives": frame(one([-1, -1]), b"\0" * 8),
    "huge": frame(one([10**18]), b"\0" * 8),
    "wraps-to-one": frame(one([2**32, 2**32]), b""),
    "wraps-in-64-bits": frame(one([2**61]), b""),
    "huge-and-empty-too": frame(one([2**63, 0])),
    "huge-and-empty": frame(one([2**39, 2**39, 0]), b""),
    "float-shape": frame(one([1.0]), b"\0" * 8),
    "bool-shape": frame(one([True]), b"\0" * 8),
    "text-shape": frame(one(["1"]), b"\0" * 8),
    "nested-shape": frame(one([[1]]), b"\0" * 8),
    "shape-number": frame(one(1), b"\0" * 8),
    "shape-null": frame(one(None), b"\0" * 8),
    "shape-object": frame(one({"0": 1}), b"\0" * 8),
    "17-dims": frame(one([1] * 17), b"\0" * 8),
    "too-short": frame(one([2]), b"\0" * 15),
    "too-short-second": frame(described(*[{"dtype": "<f8", "shape": [1]}] * 2), b"\0" * 8),
    "too-long": frame(one([2]), b"\0" * 17),
    "payload-of-nothing": frame(described(), b"\0"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_frame_is_refused(name: str) -> None:
    """Each way of being malformed raises WireError, and never asks for more bytes than the caps allow."""
    reader = Reader(MALFORMED[name])

    with pytest.raises(WireError) as caught:
        decode(reader, ROOM)

    assert reader.largest <= ROOM
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("dims", [17, 64])
def test_dimensions_that_numpy_cannot_have(dims: int) -> None:
    """An empty array of too many axes is refused, although it has no bytes."""
    with pytest.raises(WireError):
        decode(Reader(frame(one([0] * dims))), ROOM)


def test_trailing_bytes_are_left_for_the_next_frame() -> None:
    """A frame is read to its end and not a byte further."""
    reader = Reader(encode({"a": 1}, [np.ones(3)]) + b"rest")

    decode(reader, ROOM)

    assert reader.stream.read() == b"rest"


def test_brackets_in_strings_do_not_nest() -> None:
    """Only brackets outside strings count for the depth."""
    text = "[" * 1000 + '"' + "{" * 1000 + "\\"

    message, _ = decode(Reader(encode({"text": text})), ROOM)

    assert {"text": text} == message


def test_a_big_payload_is_allowed_only_by_the_reader() -> None:
    """The cap is the reader's own: one byte under it is read, one over it is not."""
    data = encode({}, [np.zeros(100, dtype="|u1")])

    assert decode(Reader(data), 100)[1][0].size == 100
    with pytest.raises(WireError, match="payload of 100 bytes"):
        decode(Reader(data), 99)


def _only_wire_errors(data: bytes) -> None:
    reader = Reader(data)
    try:
        message, arrays = decode(reader, ROOM)
    except (WireError, EOFError):
        pass
    else:
        assert type(message) is dict
        assert all(array.dtype.str in DTYPES for array in arrays)
        json.dumps(message, allow_nan=False)
    assert reader.largest <= ROOM


@fuzz
@given(st.binary(max_size=300))
@example(b"")
@example(b"NGW1")
def test_random_bytes(data: bytes) -> None:
    """Nothing but WireError, or the reader's own end of file, comes out of random bytes."""
    _only_wire_errors(data)


@fuzz
@given(st.binary(max_size=200), st.binary(max_size=64))
def test_random_header_in_a_right_frame(header: bytes, payload: bytes) -> None:
    """The same for random bytes in the place of the header and the payload."""
    _only_wire_errors(frame(header, payload))


SHAPES = st.lists(st.integers(-2, 3) | st.integers() | st.floats() | st.none() | st.booleans(), max_size=18)
WORDS = st.sampled_from([*sorted(DTYPES), "|O", "V8", "<U1", ">f8", "", "f", "<f8,<f8"]) | st.text(max_size=4)
MUTATIONS: st.SearchStrategy[Callable[[bytearray, int, int], None]] = st.sampled_from(
    [
        lambda data, at, byte: data.__setitem__(at, byte),
        lambda data, at, byte: data.insert(at, byte),
        lambda data, at, byte: data.__delitem__(at),
        lambda data, at, byte: data.__delitem__(slice(at, None)),
        lambda data, at, byte: data.__setitem__(slice(at, at), data[: byte + 1]),
    ]
)


@fuzz
@given(st.lists(st.fixed_dictionaries({"dtype": WORDS, "shape": SHAPES}), max_size=4), st.binary(max_size=64))
def test_random_descriptions(arrays: list[dict[str, Any]], payload: bytes) -> None:
    """The same for arrays whose dtypes and shapes are made up."""
    _only_wire_errors(frame(json.dumps({"arrays": arrays}).encode(), payload))


@fuzz
@given(st.lists(st.tuples(MUTATIONS, st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6))
def test_mutated_frames(mutations: list[tuple[Callable[[bytearray, int, int], None], int, int]]) -> None:
    """The same for right frames with bytes changed, put in, taken out and cut off."""
    data = bytearray(encode({"nonce": "ab", "result": {"a": [1, "x"]}}, [np.ones((2, 3)), np.int32(4)]))
    for mutate, at, byte in mutations:
        if data:
            mutate(data, at % len(data), byte)
    _only_wire_errors(bytes(data))
