"""Known mistakes of the random transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle import data
from grader.oracle.mistakes import Mistake, Question

Array = np.ndarray


def _flip(change: Callable[[Array], Array], *, inverted: bool = False) -> Callable[[Question], list[Array]]:
    """Make a mistake that changes an image in another way; the question's parameters: p, seed, times."""

    def wrong(q: Question) -> list[Array]:
        p, seed, times = q.parameters
        rng = np.random.RandomState(seed)
        return [change(q.inputs[0]) if (rng.rand() < p) != inverted else q.inputs[0] for _ in range(times)]

    return wrong


def _mirror(image: Array) -> Array:
    return image[:, ::-1]


FLIP = [
    Mistake(
        "flip-vertical",
        "the image is turned upside down: left and right lie along axis 1",
        _flip(lambda image: image[::-1]),
    ),
    Mistake("flip-both", "the image is mirrored along both axes", _flip(lambda image: image[::-1, ::-1])),
    Mistake(
        "flip-channels",
        "the channels are reversed: left and right lie along axis 1",
        _flip(lambda image: image[..., ::-1]),
    ),
    Mistake(
        "flip-everything",
        "all axes are reversed, channels too: left and right lie along axis 1",
        _flip(lambda image: image[::-1, ::-1, ::-1]),
    ),
    Mistake(
        "flip-transposed",
        "height and width have changed places",
        _flip(lambda image: np.swapaxes(image, 0, 1)),
    ),
    Mistake(
        "flip-inverted",
        "it mirrors when it should not, and the other way round",
        _flip(_mirror, inverted=True),
    ),
    Mistake("flip-never", "the image never changes", lambda q: [q.inputs[0]] * q.parameters[2]),
    Mistake(
        "flip-always", "it always mirrors: p is not used", lambda q: [_mirror(q.inputs[0])] * q.parameters[2]
    ),
    Mistake(
        "flip-draws-twice",
        "it draws a second time: the draw that is given decides",
        lambda q: _second_draw(q),
    ),
]


def _second_draw(q: Question) -> list[Array]:
    p, seed, times = q.parameters
    drawn = np.random.RandomState(seed).rand(2 * times)
    return [_mirror(q.inputs[0]) if drawn[2 * i + 1] < p else q.inputs[0] for i in range(times)]


def _crop(window: Callable[[Array, int, int, int], Array]) -> Callable[[Question], list[Array]]:
    """Make a mistake from another window; parameters: padding, seed, times."""

    def wrong(q: Question) -> list[Array]:
        padding, seed, times = q.parameters
        return [window(q.inputs[0], padding, x, y) for x, y in data.shifts(padding, seed, times)]

    return wrong


def _padded(image: Array, padding: int, mode: Any = "constant") -> Array:
    return np.pad(image, ((padding, padding), (padding, padding), (0, 0)), mode=mode)


def _window(image: Array, padded: Array, top: int, left: int) -> Array:
    return padded[top : top + image.shape[0], left : left + image.shape[1]]


def _from_behind(image: Array, padding: int, x: int, y: int) -> Array:
    """Cut a window whose end is counted from the back: `a:0` is empty."""
    padded = _padded(image, padding)
    return padded[padding + x : x - padding, padding + y : y - padding]


def _onto_itself(image: Array, padding: int, x: int, y: int) -> Array:
    """Move an image over a copy of itself: what comes in is what was there."""
    inside = data.moved(np.ones_like(image), x, y) > 0
    return np.where(inside, data.moved(image, x, y), image)


CROP = [
    Mistake(
        "crop-onto-itself",
        "where nothing moves in, the image's own pixels stay: begin with zeros, not with a copy of the image",
        _crop(_onto_itself),
    ),
    Mistake(
        "crop-end-from-behind",
        "the window's end is counted from the back of the padded image, and a slice `a:0` is empty: count it "
        "from the front, start + height",
        _crop(_from_behind),
    ),
    Mistake(
        "crop-opposite",
        "the window moves against the shift: it begins at padding + shift",
        _crop(lambda image, padding, x, y: data.moved(image, -x, -y)),
    ),
    Mistake(
        "crop-channels-padded",
        "the channels are padded too: axis 2 needs the padding (0, 0)",
        _crop(lambda image, padding, x, y: _window(image, np.pad(image, padding), padding + x, padding + y)),
    ),
    Mistake(
        "crop-swapped",
        "shift_x and shift_y have changed places: shift_x moves along rows (axis 0)",
        _crop(lambda image, padding, x, y: data.moved(image, y, x)),
    ),
    Mistake(
        "crop-rows-opposite",
        "the rows move against shift_x",
        _crop(lambda image, padding, x, y: data.moved(image, -x, y)),
    ),
    Mistake(
        "crop-columns-opposite",
        "the columns move against shift_y",
        _crop(lambda image, padding, x, y: data.moved(image, x, -y)),
    ),
    Mistake(
        "crop-wraps",
        "what leaves the image on one side comes in on the other: fill with zeros",
        _crop(lambda image, padding, x, y: np.roll(image, (-x, -y), (0, 1))),
    ),
    Mistake(
        "crop-edge",
        "the border is filled with the image's edge: fill with zeros",
        _crop(lambda image, p, x, y: _window(image, _padded(image, p, "edge"), p + x, p + y)),
    ),
    Mistake(
        "crop-reflects",
        "the border is filled with the image's reflection: fill with zeros",
        _crop(lambda image, p, x, y: _window(image, _padded(image, p, "reflect"), p + x, p + y)),
    ),
    Mistake("crop-unchanged", "the image never moves", _crop(lambda image, padding, x, y: image)),
    Mistake(
        "crop-not-cut", "the padded image is not cut back", _crop(lambda image, p, x, y: _padded(image, p))
    ),
    Mistake(
        "crop-not-centred",
        "the window begins at the shift: in the padded image it begins at padding + shift",
        _crop(lambda image, p, x, y: _window(image, _padded(image, p), x, y)),
    ),
    Mistake("crop-rows-only", "only rows move", _crop(lambda image, padding, x, y: data.moved(image, x, 0))),
    Mistake(
        "crop-columns-only", "only columns move", _crop(lambda image, padding, x, y: data.moved(image, 0, y))
    ),
    Mistake(
        "crop-shift-positive",
        "the sign of the shift is lost",
        _crop(lambda image, padding, x, y: data.moved(image, abs(x), abs(y))),
    ),
]
