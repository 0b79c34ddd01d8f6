"""The fault table of hw1: the forms that the axes of a sum may have, in `compute`."""

from __future__ import annotations

from tests.faults.model import Expect, Fault, fine

ROW = "Summation/LogSumExp with int, negative or unsorted axes in forward"

# Each takes some form of `axes` and not another: all of them sum what they take rightly.
TUPLES_ONLY = """
def compute(self, a):
    if self.axes is None:
        return array_api.sum(a)
    for axis in sorted(self.axes, reverse=True):
        a = array_api.sum(a, axis=axis)
    return a
"""

FROM_THE_LEFT = """
def compute(self, a):
    axes = range(a.ndim) if self.axes is None else self.axes
    axes = (axes,) if isinstance(axes, int) else axes
    kept = [n for i, n in enumerate(a.shape) if i not in axes]
    return array_api.sum(a, axis=tuple(axes)).reshape(kept)
"""

IN_ORDER = """
def compute(self, a):
    axes = range(a.ndim) if self.axes is None else self.axes
    axes = (axes,) if isinstance(axes, int) else axes
    for already, axis in enumerate(axes):
        a = array_api.sum(a, axis=axis - already if axis >= 0 else axis)
    return a
"""

FAULTS = [
    Fault(
        "sum-computes-tuples-only",
        ROW,
        Expect(
            ("forward.Summation.int_axis",),
            ("Summation.compute fails for axes=1, though it works for a tuple:", "not iterable"),
            "Summation.compute",
        ),
        {"Summation.compute": TUPLES_ONLY},
    ),
    Fault(
        "sum-computes-from-the-left",
        ROW,
        fine(
            advice=("forward.Summation.forward_axes",),
            advice_says=("Summation.compute fails for axes=(-1,), though it works for",),
        ),
        {"Summation.compute": FROM_THE_LEFT},
    ),
    Fault(
        "sum-computes-in-order",
        ROW,
        fine(
            advice=("forward.Summation.forward_axes",),
            advice_says=("Summation.compute fails for axes=(2, 0), though it works for",),
        ),
        {"Summation.compute": IN_ORDER},
    ),
]
