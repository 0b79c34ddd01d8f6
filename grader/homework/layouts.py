"""Layouts (shapes and parameters) that ops are tried on, as generators over a `Source`."""

from __future__ import annotations

from collections.abc import Callable

from grader.homework.op import Layout
from grader.judge.source import Source, shape_of

SAME = [(((2, 2),), ()), (((3,),), ()), (((1,),), ()), (((2, 3, 1),), ()), (((),), ())]
AXED = [(shapes, parameters) for shapes, parameters in SAME if shapes != ((),)]
PAIRS = [((shapes[0], shapes[0]), ()) for shapes, _ in SAME]


def unary(source: Source) -> Layout:
    """Return one shape of up to three axes."""
    return (shape_of(source, 0, 3),), ()


def axed(source: Source) -> Layout:
    """Return one shape of one to three axes."""
    return (shape_of(source, 1, 3),), ()


def pairs(source: Source) -> Layout:
    """Return two equal shapes."""
    shape = shape_of(source, 0, 3)
    return (shape, shape), ()


def scalars(*options: float) -> Callable[[Source], Layout]:
    """Return a generator of one shape and one of the numbers."""

    def draw(source: Source) -> Layout:
        return (shape_of(source, 0, 3),), (source.choice(options),)

    return draw


def powers(source: Source) -> Layout:
    """Return one shape and an exponent from -2 to 4 in steps of a half."""
    twice = source.integer(-4, 8)
    return (shape_of(source, 0, 3),), (twice / 2 if twice % 2 else twice // 2,)


def matrices(source: Source) -> Layout:
    """Return matrix shapes, with up to two batch axes (never of size 1) on either side or both."""
    n, k, m = (source.integer(1, 4) for _ in range(3))
    batch = tuple(source.integer(2, 3) for _ in range(source.integer(0, 2)))
    left, right = source.choice(
        [(batch, batch), (batch, ()), ((), batch), (batch, batch[1:]), (batch[1:], batch)]
    )
    return ((*left, n, k), (*right, k, m)), ()


def sums(source: Source) -> Layout:
    """Return a shape and the axes to sum: all, or a tuple of distinct ones in order."""
    shape = shape_of(source, 1, 3)
    axes = tuple(axis for axis in range(len(shape)) if source.integer(0, 1))
    return (shape,), (axes or None,)


def broadcastable(source: Source) -> Layout:
    """Return a shape and one that it broadcasts to: axes of size 1 stretched, leading axes added."""
    target = shape_of(source, 1, 3)
    kept = target[source.integer(0, len(target)) :]
    return (tuple(1 if source.integer(0, 1) else n for n in kept),), (target,)


def reshapes(source: Source) -> Layout:
    """Return a shape and another with as many elements."""
    shape = shape_of(source, 1, 3)
    size = 1
    for n in shape:
        size *= n
    target = source.choice([(size,), shape[::-1], (1, *shape), (*shape, 1), (size, 1)])
    return (shape,), (target,)


def swaps(source: Source) -> Layout:
    """Return a shape of two to four axes and a pair of them, in either order, or None for the last two."""
    shape = shape_of(source, 2, 4)
    first = source.integer(0, len(shape) - 1)
    second = (first + source.integer(1, len(shape) - 1)) % len(shape)
    pair = (min(first, second), max(first, second))
    return (shape,), (source.choice([None, pair, pair[::-1]]),)
