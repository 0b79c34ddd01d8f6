"""Gzipped IDX files, the format of MNIST, as bytes: big-endian headers, then one byte per value."""

from __future__ import annotations

import gzip
import struct

import numpy as np

IMAGES, LABELS = 2051, 2049


def images(pixels: np.ndarray) -> bytes:
    """Return the gzipped IDX file of images `(n, rows, columns)` uint8."""
    return _packed(struct.pack(">4I", IMAGES, *pixels.shape), pixels)


def labels(classes: np.ndarray) -> bytes:
    """Return the gzipped IDX file of labels `(n,)` uint8."""
    return _packed(struct.pack(">2I", LABELS, *classes.shape), classes)


def _packed(head: bytes, values: np.ndarray) -> bytes:
    return gzip.compress(head + values.astype(np.uint8).tobytes(), 1, mtime=0)


def parsed(pixels: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what `parse_mnist` makes of the two files: `(n, rows * columns)` in [0, 1], and the labels."""
    return pixels.reshape(len(pixels), -1) / 255.0, classes
