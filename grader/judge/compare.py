"""Comparison of an array with the truth, in units of the tolerance.

Tolerances follow from the arithmetic: a result computed in float64 may differ from the oracle by a few
thousand roundings of float64, one computed in float32 by as many of float32, both relative to the size
of the numbers that were added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

ROUNDINGS = {"float64": 2.0**-52 * 4096, "float32": 2.0**-23 * 64}
# What finite differences add (measured: below 1e-9), and a few roundings to float32, needle's default dtype,
# on the way to a float64 result.
DIFFERENCE = 2.0**-23 * 8
FLOOR = 1e-3  # the least scale: smaller results are differences of larger terms


@dataclass(frozen=True)
class Mismatch:
    """The first thing wrong with an array: `kind` is shape, dtype, finite or values."""

    kind: str
    text: str
    index: tuple[int, ...] | None = None
    error: float = 0.0


def tolerance(
    actual: np.ndarray,
    expected: np.ndarray,
    *,
    extra: float = 0.0,
    scale: float | None = None,
    floor: float = FLOOR,
) -> float:
    """Return the largest error allowed: roundings of `scale` (default: the largest expected number).

    `floor` is the least scale: where terms cancel, the size of the terms, which the result does not show.
    """
    finite = np.abs(expected[np.isfinite(expected)])
    size = scale if scale is not None else float(np.max(finite, initial=0.0))
    roundings = ROUNDINGS.get(str(actual.dtype), ROUNDINGS["float64"])
    return (roundings + extra) * max(size, floor)


def mismatch(
    actual: np.ndarray,
    expected: np.ndarray,
    *,
    extra: float = 0.0,
    scale: float | None = None,
    floor: float = FLOOR,
) -> Mismatch | None:
    """Return what is wrong with `actual`, most basic first, or None if it is right.

    float32 and float64 are accepted; any other kind of number is not. NaN and infinities are wrong
    wherever the truth is finite; where a (wrong) formula gives NaN, only NaN is equal to it.
    """
    if actual.shape != expected.shape:
        return Mismatch("shape", f"shape {actual.shape}, expected {expected.shape}")
    if str(actual.dtype) not in ROUNDINGS:
        return Mismatch("dtype", f"dtype {actual.dtype}, expected float32 or float64")
    wide = actual.astype(np.float64)
    strange = np.isfinite(expected) & ~np.isfinite(wide)
    if strange.any():
        index = _first(strange)
        return Mismatch("finite", f"{_name(wide[index])}{_at(index)}, expected {expected[index]:.6g}", index)
    return _values(wide, expected, tolerance(actual, expected, extra=extra, scale=scale, floor=floor))


def _values(actual: np.ndarray, expected: np.ndarray, allowed: float) -> Mismatch | None:
    alike = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        error = np.where(alike, 0.0, np.abs(actual - expected)) / allowed
    error = np.where(np.isnan(error), np.inf, error)  # not finite where it must be, or the other way round
    if not (error > 1.0).any():
        return None
    index = np.unravel_index(int(np.argmax(error)), error.shape)
    worst = tuple(int(i) for i in index)
    return Mismatch(
        "values",
        f"{actual[worst]:.6g}{_at(worst)}, expected {expected[worst]:.6g}",
        worst,
        float(error[worst]),
    )


def same(actual: np.ndarray, expected: Any, *, extra: float = 0.0, floor: float = FLOOR) -> bool:
    """Tell whether `actual` equals `expected` within the tolerance."""
    return mismatch(actual, np.asarray(expected, dtype=np.float64), extra=extra, floor=floor) is None


def _first(mask: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _at(index: tuple[int, ...]) -> str:
    return " at " + str(list(index)) if index else ""


def _name(value: float) -> str:
    return "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"
