"""Truth for transforms, the MNIST dataset and the loader."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def flips(image: Array, p: float, seed: int, times: int) -> list[Array]:
    """Return what successive calls of RandomFlipHorizontal(p) make of an image `(height, width, channels)`.

    numpy's global generator was seeded with `seed`; each call draws one `rand()`.
    """
    rng = np.random.RandomState(seed)
    return [image[:, ::-1] if rng.rand() < p else image for _ in range(times)]


def shifts(padding: int, seed: int, times: int) -> list[tuple[int, int]]:
    """Return the draws (shift_x, shift_y) of successive calls of RandomCrop(padding)."""
    rng = np.random.RandomState(seed)
    drawn = [rng.randint(low=-padding, high=padding + 1, size=2) for _ in range(times)]
    return [(int(x), int(y)) for x, y in drawn]


def moved(image: Array, rows: int, columns: int) -> Array:
    """Return the window of an image's size that begins `rows` down and `columns` right; zeros outside."""
    out = np.zeros(image.shape)
    height, width = image.shape[:2]
    for i in range(height):
        for j in range(width):
            if 0 <= i + rows < height and 0 <= j + columns < width:
                out[i, j] = image[i + rows, j + columns]
    return out


def crops(image: Array, padding: int, seed: int, times: int) -> list[Array]:
    """Return what successive calls of RandomCrop(padding) make of an image; shift_x moves along rows."""
    return [moved(image, x, y) for x, y in shifts(padding, seed, times)]


def mnist(pixels: Array, classes: Array) -> tuple[Array, Array]:
    """Return images `(n, 28, 28, 1)` in [0, 1] and labels `(n,)` of two parsed files."""
    return pixels.reshape(len(pixels), 28, 28, 1) / 255.0, classes.astype(np.float64)


def batches(count: int, batch_size: int) -> list[list[int]]:
    """Return the rows of each batch of an unshuffled pass; the last batch may be short."""
    return [list(range(start, min(start + batch_size, count))) for start in range(0, count, batch_size)]
