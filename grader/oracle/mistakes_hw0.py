"""Known mistakes of hw0: reading MNIST and the softmax loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle import apps
from grader.oracle.mistakes import Mistake, Question

Array = np.ndarray


def _parsed(formula: Callable[[Array, Array], Any]) -> Callable[[Question], Any]:
    """Make a mistake from what it makes of pixels `(n, rows, columns)` and labels, both float64."""

    def wrong(q: Question) -> list[Array]:
        pixels, classes = q.inputs
        return [np.asarray(one, dtype=np.float64) for one in formula(pixels.astype(np.float64), classes)]

    return wrong


def _flat(pixels: Array) -> Array:
    return pixels.reshape(len(pixels), -1)


def _scaled(flat: Array, low: Array | float, high: Array | float) -> Array:
    return (flat - low) / (high - low)


def _per_image(pixels: Array, *, from_lowest: bool) -> Array:
    flat = _flat(pixels)
    low = flat.min(axis=1, keepdims=True) if from_lowest else 0.0
    return _scaled(flat, low, flat.max(axis=1, keepdims=True))


def _standard(flat: Array, axis: int | None) -> Array:
    return (flat - flat.mean(axis=axis, keepdims=True)) / flat.std(axis=axis, keepdims=True)


def _signed(pixels: Array) -> Array:
    return np.where(pixels > 127, pixels - 256, pixels)


def _image_file(pixels: Array, start: int) -> Array:
    """Return as many bytes of the unpacked image file as there are images, from `start` on."""
    head = np.array([pixels.shape[0], *pixels.shape[1:]], dtype=">u4").tobytes()
    content = np.frombuffer(b"\0\0\x08\x03" + head + pixels.astype(np.uint8).tobytes(), dtype=np.uint8)
    return content[start : start + len(pixels)]


def _label_file(classes: Array) -> Array:
    head = b"\0\0\x08\x01" + np.array([len(classes)], dtype=">u4").tobytes()
    return np.frombuffer(head + classes.astype(np.uint8).tobytes(), dtype=np.uint8)[: len(classes)]


PARSE_MNIST = [
    Mistake(
        "parse-unscaled",
        "the pixels are not scaled: X must be divided by 255",
        _parsed(lambda x, y: (_flat(x), y)),
    ),
    Mistake(
        "parse-per-image",
        "each image is scaled by its own maximum; all images share the scale 255",
        _parsed(lambda x, y: (_per_image(x, from_lowest=False), y)),
    ),
    Mistake(
        "parse-per-image-range",
        "each image is scaled by its own minimum and maximum; all images share the scale 0 to 255",
        _parsed(lambda x, y: (_per_image(x, from_lowest=True), y)),
    ),
    Mistake(
        "parse-per-pixel",
        "each pixel is scaled by its own maximum over the images; all share the scale 255",
        _parsed(lambda x, y: (_flat(x) / np.maximum(_flat(x).max(axis=0), 1.0), y)),
    ),
    Mistake(
        "parse-256", "the pixels are divided by 256, not 255", _parsed(lambda x, y: (_flat(x) / 256.0, y))
    ),
    Mistake(
        "parse-integer-division",
        "the division is one of integers: nearly every pixel becomes 0",
        _parsed(lambda x, y: (_flat(x) // 255, y)),
    ),
    Mistake(
        "parse-scaled-twice",
        "the pixels are scaled twice, by 255 each time",
        _parsed(lambda x, y: (_flat(x) / 255.0**2, y)),
    ),
    Mistake(
        "parse-centred",
        "the pixels are mapped to -1..1, not to 0..1",
        _parsed(lambda x, y: (_flat(x) / 127.5 - 1.0, y)),
    ),
    Mistake(
        "parse-standardised",
        "the pixels are standardised by mean and deviation, not divided by 255",
        _parsed(lambda x, y: (_standard(_flat(x), None), y)),
    ),
    Mistake(
        "parse-inverted", "X is inverted: 0 has become 1", _parsed(lambda x, y: (1.0 - _flat(x) / 255.0, y))
    ),
    Mistake(
        "parse-signed",
        "the bytes are read as signed: pixels above 127 become negative",
        _parsed(lambda x, y: (_signed(_flat(x)) / 255.0, y)),
    ),
    Mistake(
        "parse-columns-first",
        "each image is read column by column; the file has it row by row",
        _parsed(lambda x, y: (_flat(x.transpose(0, 2, 1)) / 255.0, y)),
    ),
    Mistake(
        "parse-labels-from-images",
        "y is read from the image file; the labels have a file of their own",
        _parsed(lambda x, y: (_flat(x) / 255.0, _image_file(x, 16))),
    ),
    Mistake(
        "parse-labels-from-images-8",
        "y is read from the image file, behind its first 8 bytes; the labels have a file of their own",
        _parsed(lambda x, y: (_flat(x) / 255.0, _image_file(x, 8))),
    ),
    Mistake(
        "parse-label-header",
        "the 8 bytes of the label file's header are read as labels",
        _parsed(lambda x, y: (_flat(x) / 255.0, _label_file(y))),
    ),
]

# What a set without a 0 and a 255 tells apart: MNIST itself does not.
PARSE_DIM = [
    Mistake(
        "parse-own-maximum",
        "X is scaled by the largest pixel of the file, not by 255",
        _parsed(lambda x, y: (_flat(x) / x.max(), y)),
    ),
    Mistake(
        "parse-own-range",
        "X is scaled by the smallest and largest pixel of the file, not by 0 and 255",
        _parsed(lambda x, y: (_scaled(_flat(x), x.min(), x.max()), y)),
    ),
]


def _loss(formula: Callable[[Array, Array], Any]) -> Callable[[Question], Any]:
    return lambda q: [np.asarray(formula(*q.inputs))]


def _normalizer(z: Array) -> Array:
    return np.log(np.sum(np.exp(z), axis=1))


def _of_class(z: Array, y: Array) -> Array:
    return z[np.arange(len(y)), y]


SOFTMAX_LOSS = [
    Mistake(
        "loss-summed",
        "the losses are summed over the batch, not averaged",
        _loss(lambda z, y: np.sum(_normalizer(z) - _of_class(z, y))),
    ),
    Mistake(
        "loss-over-all",
        "the loss is averaged over batch and classes",
        _loss(lambda z, y: apps.class_loss(z, y) / z.shape[1]),
    ),
    Mistake(
        "loss-per-sample",
        "one loss per sample is returned, not their mean",
        # the loss of a single sample is its own mean
        _loss(lambda z, y: _normalizer(z) - _of_class(z, y) if len(y) > 1 else apps.class_loss(z, y)),
    ),
    Mistake("loss-negated", "the sign is wrong", _loss(lambda z, y: -apps.class_loss(z, y))),
    Mistake(
        "loss-no-target",
        "the logit of the true class is not subtracted",
        _loss(lambda z, y: np.mean(_normalizer(z))),
    ),
    Mistake(
        "loss-log-missing",
        "the logarithm of the sum is missing",
        _loss(lambda z, y: np.mean(np.sum(np.exp(z), axis=1) - _of_class(z, y))),
    ),
    Mistake(
        "loss-only-target",
        "the logarithm of the sum of exponentials is missing altogether",
        _loss(lambda z, y: -np.mean(_of_class(z, y))),
    ),
    Mistake(
        "loss-all-columns",
        "`Z[:, y]` takes the columns of all labels for every sample; `Z[np.arange(n), y]` takes one each",
        _loss(lambda z, y: np.mean(_normalizer(z)) - np.mean(z[:, y])),
    ),
    Mistake(
        "loss-whole-matrix",
        "the exponentials are summed over the whole batch, not per sample",
        _loss(lambda z, y: np.log(np.sum(np.exp(z))) - np.mean(_of_class(z, y))),
    ),
    Mistake(
        "loss-mean-of-exponentials",
        "the exponentials are averaged over the classes, not summed",
        _loss(lambda z, y: np.mean(np.log(np.mean(np.exp(z), axis=1)) - _of_class(z, y))),
    ),
    Mistake(
        "loss-log-outside",
        "the logarithm is taken of the mean, not the mean of the logarithms",
        _loss(lambda z, y: np.log(np.mean(np.sum(np.exp(z), axis=1))) - np.mean(_of_class(z, y))),
    ),
    Mistake(
        "loss-base-2",
        "the logarithm is not the natural one: np.log2 is used",
        _loss(lambda z, y: np.mean(_normalizer(z) / np.log(2.0) - _of_class(z, y))),
    ),
    Mistake(
        "loss-base-10",
        "the logarithm is not the natural one: np.log10 is used",
        _loss(lambda z, y: np.mean(_normalizer(z) / np.log(10.0) - _of_class(z, y))),
    ),
    Mistake(
        "loss-predicted-class",
        "y is not used: the largest logit stands for the true class",
        _loss(lambda z, y: np.mean(_normalizer(z) - np.max(z, axis=1))),
    ),
    Mistake(
        "loss-of-probabilities",
        "the softmax is taken twice: Z holds logits",
        _loss(lambda z, y: apps.class_loss(apps.softmax(z), y)),
    ),
    Mistake(
        "loss-shift-not-added",
        "the largest logit is taken out of the exponentials and not put back",
        _loss(
            lambda z, y: np.mean(_normalizer(z - np.max(z, axis=1, keepdims=True)) - _of_class(z, y)),
        ),
    ),
]
