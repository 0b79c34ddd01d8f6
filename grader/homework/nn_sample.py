"""One call of a module: what it is given, and the plainer calls that tell what a failure depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.judge.source import Source

# Values that take no part: of a weight, of what is added, of running statistics.
NEUTRAL = {"weight": 1.0, "bias": 0.0, "running_mean": 0.0, "running_var": 1.0}


@dataclass(frozen=True)
class Sample:
    """One call of a module.

    `call` are the constructor's arguments, `inputs` what `forward` gets, `written` the values of the
    module's attributes by name, `settings` what the oracle needs besides, `cotangent` weighs the output.
    """

    call: tuple[Any, ...]
    inputs: tuple[np.ndarray, ...]
    written: dict[str, np.ndarray]
    settings: tuple[Any, ...]
    cotangent: np.ndarray
    mode: str = "train"

    def size(self) -> tuple[int, ...]:
        """Order samples: fewer numbers first, then rounder ones."""
        arrays = [*self.inputs, *self.written.values(), self.cotangent]
        uneven = sum(int(np.sum(array != np.round(array))) for array in arrays)
        return sum(array.size for array in arrays), sum(array.ndim for array in arrays), uneven

    def arrays(self) -> list[np.ndarray]:
        """Return inputs and attributes in the order of the oracle's arguments."""
        return [*self.inputs, *self.written.values()]

    def plainer(self) -> Iterator[tuple[str, Sample]]:
        """Yield samples with plain parameters, other numbers of rows, a plain cotangent, each in words."""
        for name, array in self.written.items():
            plain = NEUTRAL.get(name)
            if plain is not None and array.ndim == 1 and np.any(array != plain):
                written = self.written | {name: np.full_like(array, plain)}
                yield f"{name} is all {plain:g}", replace(self, written=written)
        x, *others = self.inputs
        shape = x.shape
        if x.dtype.kind == "f" and np.any(x < 0):
            yield "no number in x is negative", replace(self, inputs=(np.abs(x), *others))
        if len(shape) > 1 and shape[0] > 1:
            yield "there is one row", self._with_rows(1)
        if len(shape) == 2 and 1 < shape[1] != shape[0]:
            yield "there are as many rows as columns", self._with_rows(shape[1])
        if np.any(self.cotangent != 1):
            yield "out_grad is all 1", replace(self, cotangent=np.ones_like(self.cotangent))

    def _with_rows(self, count: int) -> Sample:
        """Return the sample with so many rows; those that are there come again if they are too few."""
        inputs = tuple(np.resize(array, (count, *array.shape[1:])) for array in self.inputs)
        shape = (count, *self.cotangent.shape[1:]) if self.cotangent.ndim else ()
        return replace(self, inputs=inputs, cotangent=np.resize(self.cotangent, shape))


def single(array: np.ndarray) -> np.ndarray:
    """Return float64 values that float32 holds exactly."""
    return array.astype(np.float32).astype(np.float64)


def sample(source: Source, call: tuple[Any, ...], x: np.ndarray, out: tuple[int, ...], **more: Any) -> Sample:
    """Return a call with a drawn cotangent for an output of shape `out`; `more` are written and settings."""
    cotangent = single(source.values(out, -2.0, 2.0, 0.25))
    return Sample(call, (single(x),), more.get("written", {}), more.get("settings", ()), cotangent)
