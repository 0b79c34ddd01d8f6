"""Known mistakes of datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.oracle import data
from grader.oracle.mistakes import Mistake, Question

Array = np.ndarray


class Chain:
    """Transforms, applied one after the other."""

    def __init__(self, steps: Sequence[Callable[[Array], Array]]) -> None:
        self.steps = list(steps)

    def __call__(self, image: Array) -> Array:
        """Return the image after all of them."""
        for step in self.steps:
            image = step(image)
        return image


def _images(change: Callable[[Array], Array]) -> Callable[[Question], list[Array]]:
    """Make a mistake of reading; inputs: pixels uint8 and labels, parameters: index, transforms."""

    def wrong(q: Question) -> list[Array]:
        pixels, classes = q.inputs
        index, transform = q.parameters
        images = change(pixels.reshape(-1, 28, 28, 1).astype(np.float64))[index]
        flat = images.reshape(-1, 28, 28, 1)
        return [
            np.array([transform(one) for one in flat]).reshape(images.shape),
            classes.astype(float)[index],
        ]

    return wrong


def _per_image(images: Array) -> Array:
    return images / np.maximum(images.max(axis=(1, 2, 3), keepdims=True), 1)


def _stretched(images: Array) -> Array:
    low, high = (f(images, axis=(1, 2, 3), keepdims=True) for f in (np.min, np.max))
    return (images - low) / np.maximum(high - low, 1)


def _signed(images: Array) -> Array:
    return np.where(images > 127, images - 256, images) / 255.0


def _labels_from_images(q: Question) -> list[Array]:
    index, transform = q.parameters
    images, _ = data.mnist(*q.inputs)
    if images[index].ndim > 3:
        return []
    return [transform(images[index]), np.asarray(float(q.inputs[0].ravel()[8:][index]))]


def _late_labels(q: Question) -> list[Array]:
    index, transform = q.parameters
    images, classes = data.mnist(*q.inputs)
    return [transform(images[index]), np.asarray(classes[8:][index])]


def _on_stack(q: Question) -> list[Array] | None:
    index, transform = q.parameters
    images, classes = data.mnist(*q.inputs)
    if images[index].ndim == 3:
        return None
    return [transform(images[index]), classes[index]]


MNIST = [
    Mistake("mnist-not-scaled", "the pixels are not divided by 255", _images(lambda images: images)),
    Mistake("mnist-scaled-256", "the pixels are divided by 256", _images(lambda images: images / 256)),
    Mistake(
        "mnist-per-image",
        "each image is divided by its own maximum: divide all by 255",
        _images(_per_image),
    ),
    Mistake(
        "mnist-stretched",
        "each image is stretched from its own minimum to its own maximum: divide all by 255",
        _images(_stretched),
    ),
    Mistake("mnist-signed", "the bytes are read as signed numbers", _images(_signed)),
    Mistake(
        "mnist-transposed",
        "rows and columns of the images have changed places",
        _images(lambda images: np.swapaxes(images, 1, 2) / 255),
    ),
    Mistake(
        "mnist-header",
        "the images begin 8 bytes early: their header has 16 bytes",
        lambda q: _images(lambda images: _early(images))(q),
    ),
    Mistake(
        "mnist-label-header",
        "the labels begin 8 labels late: the header of a label file has 8 bytes, not 16",
        _late_labels,
    ),
]


def _early(images: Array) -> Array:
    head = np.array([0, 0, 0, 28, 0, 0, 0, 28.0])
    return np.concatenate([head, images.ravel()])[: images.size].reshape(images.shape) / 255


def _steps(change: Callable[[Question, list[Any]], list[Any]]) -> Callable[[Question], list[Array]]:
    """Make a mistake of applying other transforms, or in another order."""

    def wrong(q: Question) -> list[Array]:
        applied = Chain(change(q, q.parameters[1].steps))
        return _images(lambda images: images / 255)(Question(q.inputs, (q.parameters[0], applied)))

    return wrong


TRANSFORMS = [
    Mistake(
        "mnist-transforms-last-only",
        "only the last transform counts: each has to get the result of the one before",
        _steps(lambda q, steps: steps[-1:]),
    ),
    Mistake(
        "mnist-transforms-first-only",
        "only the first transform is applied",
        _steps(lambda q, steps: steps[:1]),
    ),
    Mistake(
        "mnist-transforms-without-last",
        "the last transform of several is not applied",
        _steps(lambda q, steps: steps[:-1] or steps),
    ),
    Mistake(
        "mnist-transforms-reversed",
        "the transforms are applied in reverse order: the first comes first",
        _steps(lambda q, steps: steps[::-1]),
    ),
    Mistake(
        "mnist-transforms-many-only",
        "with a single index the transforms are not applied",
        _steps(lambda q, steps: [] if _is_one(q) else steps),
    ),
    Mistake(
        "mnist-transforms-ignored",
        "the transforms are not applied",
        lambda q: _images(lambda images: images / 255)(Question(q.inputs, (q.parameters[0], np.asarray))),
    ),
    Mistake(
        "mnist-transforms-on-stack",
        "the transforms see the whole stack of images: each image is transformed for itself",
        _on_stack,
    ),
    Mistake(
        "mnist-transforms-twice",
        "the transforms are applied twice",
        lambda q: _images(lambda images: images / 255)(
            Question(q.inputs, (q.parameters[0], lambda one: q.parameters[1](q.parameters[1](one))))
        ),
    ),
    Mistake(
        "mnist-transforms-one-only",
        "with a slice or an array of indices the transforms are not applied",
        lambda q: _images(lambda images: images / 255)(
            Question(q.inputs, (q.parameters[0], q.parameters[1] if _is_one(q) else np.asarray))
        ),
    ),
]


def _is_one(q: Question) -> bool:
    return isinstance(q.parameters[0], int)
