"""Reads a formula out of numbers: the product of powers of named arrays that gives them, if there is one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

Array = np.ndarray
Named = Mapping[str, Array]
Powers = tuple[int, ...]

FACTORS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)
MOST = 2  # powers up to this, up or down
CLOSE = 1e-4  # relative: float32 on the way, and no two formulas that are so close on random numbers
ENOUGH = 4  # numbers that have to agree


def formula(observed: Sequence[tuple[Named, Array]]) -> str:
    """Return the one simplest product, as `-out_grad * a / b**2`, that gives all arrays; "" if none does.

    Each observation has the same names, with arrays of one shape; so has what they are to give.
    """
    names = _distinct(observed)
    if sum(wanted.size for _, wanted in observed) < ENOUGH or not names:
        return ""
    columns = [np.concatenate([np.ravel(named[name]) for named, _ in observed]) for name in names]
    wanted = np.concatenate([np.ravel(one) for _, one in observed]).astype(np.float64)
    found = []
    for powers in itertools.product(range(-MOST, MOST + 1), repeat=len(names)):
        with np.errstate(all="ignore"):
            product = np.prod([column**power for column, power in zip(columns, powers, strict=True)], axis=0)
        found += [(sum(map(abs, powers)), powers, f) for f in FACTORS if _same(f * product, wanted)]
    found.sort()
    if not found or (len(found) > 1 and found[1][0] == found[0][0]):
        return ""
    _, powers, factor = found[0]
    return _text(names, powers, factor)


def _distinct(observed: Sequence[tuple[Named, Array]]) -> list[str]:
    """Return the names, without those of numbers that an earlier name has too."""
    names: list[str] = []
    for name in observed[0][0] if observed else ():
        alike = [
            one for one in names if all(np.array_equal(named[one], named[name]) for named, _ in observed)
        ]
        names += [] if alike else [name]
    return names


def _same(mine: Array, wanted: Array) -> bool:
    return bool(np.all(np.isfinite(mine)) and np.allclose(mine, wanted, rtol=CLOSE, atol=1e-7))


def _text(names: Sequence[str], powers: Powers, factor: float) -> str:
    above = [_power(name, power) for name, power in zip(names, powers, strict=True) if power > 0]
    below = [_power(name, -power) for name, power in zip(names, powers, strict=True) if power < 0]
    if abs(factor) > 1:
        above.insert(0, f"{abs(factor):g}")
    if abs(factor) < 1:
        below.insert(0, f"{1 / abs(factor):g}")
    text = " * ".join(above) or "1"
    if below:
        text += " / " + (below[0] if len(below) == 1 else f"({' * '.join(below)})")
    return f"-{text}" if factor < 0 else text


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}**{power}"
