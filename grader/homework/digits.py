"""Small MNIST files, the indices that a dataset is asked for, and the transforms it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.judge.source import Source
from grader.oracle import mistakes_data

MANY = 20


@dataclass(frozen=True)
class Digits:
    """Two files: pixels `(n, 28, 28)` and labels `(n,)`, uint8; the indices to take; transforms by name."""

    pixels: np.ndarray
    classes: np.ndarray
    indices: tuple[Any, ...]
    transforms: tuple[str, ...] = ()

    def size(self) -> tuple[int, ...]:
        """Order by the number of images."""
        return (len(self.pixels),)


def draw_digits(source: Source, *, most: int = 9) -> Digits:
    """Return one to nine images; somewhere a 0 and a 255, each image with a range of its own."""
    count = source.integer(1, most)
    shades = source.values((count, 28, 28), 0.0, 1.0)
    darkest = np.array([source.integer(0, 40) for _ in range(count)])[:, None, None]
    brightest = np.array([source.integer(64, 250) for _ in range(count)])[:, None, None]
    pixels = (darkest + shades * (brightest - darkest)).astype(np.uint8)
    pixels[0, 3, 5], pixels[0, 7, 2] = 0, 255
    classes = np.array([source.integer(0, 9) for _ in range(count)], dtype=np.uint8)
    last = count - 1
    some = [source.integer(0, last) for _ in range(source.integer(1, 4))]
    many = [{"slice": [last // 2, count, None]}, {"array": some}, {"slice": [None, None, 2]}]
    return Digits(pixels, classes, (0, last, *many))


def many_digits(source: Source) -> Digits:
    """Return more images than a header has bytes; what is too far on has another label."""
    one = draw_digits(source, most=1)
    pixels = np.roll(one.pixels, 1, axis=1) // np.arange(1, MANY + 1)[:, None, None]
    return Digits(pixels.astype(np.uint8), np.arange(MANY, dtype=np.uint8) % 10, (0, MANY - 1))


def as_python(index: Any) -> Any:
    """Return the index that JSON stands for: a number, a slice, an array, one of numpy's integers."""
    if isinstance(index, dict):
        if "int64" in index:
            return np.int64(index["int64"])
        return slice(*index["slice"]) if "slice" in index else np.array(index["array"])
    return index


def index_text(index: Any) -> str:
    """Return an index as it is written between brackets."""
    if isinstance(index, dict):
        if "int64" in index:
            return f"np.int64({index['int64']})"
        return str(index.get("array") or _slice_text(*index["slice"]))
    return str(index)


def _slice_text(*parts: int | None) -> str:
    shown = parts if parts[2] is not None else parts[:2]
    return ":".join("" if i is None else str(i) for i in shown)


STEPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mirror": lambda x: np.flip(x, 1),
    "double": lambda x: x * 2,
    "lift": lambda x: x + 1,
}


def chain(names: Sequence[str]) -> mistakes_data.Chain:
    """Return the transforms of these names, one after the other."""
    return mistakes_data.Chain([STEPS[name] for name in names])
