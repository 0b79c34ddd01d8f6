"""hw0's truth agrees with scipy and with numdifftools; its files are what gzip and struct read."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable

import numpy as np
import pytest

from grader.oracle import apps, idx

nd = pytest.importorskip("numdifftools")
special = pytest.importorskip("scipy.special")

RNG = np.random.default_rng(3)
X, Y = RNG.uniform(-1, 1, (5, 3)), np.array([0, 3, 1, 3, 2], dtype=np.uint8)
THETA, W1, W2 = RNG.uniform(-1, 1, (3, 4)), RNG.uniform(-1, 1, (3, 6)), RNG.uniform(-1, 1, (6, 4))


def test_loss_is_scipys() -> None:
    for scale in (1.0, 1e3):
        z = RNG.uniform(-scale, scale, (6, 4))
        y = RNG.integers(0, 4, 6)

        wanted = -special.log_softmax(z, axis=1)[np.arange(6), y].mean()

        assert apps.class_loss(z, y) == pytest.approx(wanted, rel=1e-13)


def gradient_by_differences(loss: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    found = nd.Gradient(lambda flat: float(loss(flat.reshape(at.shape))))(at.ravel())
    return np.asarray(found).reshape(at.shape)


def test_regression_gradient_is_the_slope_of_its_loss() -> None:
    wanted = gradient_by_differences(lambda theta: apps.regression_loss(X, Y, theta), THETA)

    np.testing.assert_allclose(apps.regression_gradient(X, Y, THETA), wanted, rtol=0, atol=1e-9)


def test_two_layer_gradients_are_the_slopes_of_its_loss() -> None:
    wanted = (
        gradient_by_differences(lambda w: apps.two_layer_loss(X, Y, w, W2), W1),
        gradient_by_differences(lambda w: apps.two_layer_loss(X, Y, W1, w), W2),
    )

    for mine, right in zip(apps.two_layer_gradients(X, Y, W1, W2), wanted, strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-8)


@pytest.mark.parametrize("batch", [1, 2, 5, 9])
def test_epoch_is_one_step_per_batch(batch: int) -> None:
    theta = THETA
    for start in range(0, 5, batch):
        rows = slice(start, min(start + batch, 5))
        theta = theta - 0.3 * gradient_by_differences(
            lambda one, rows=rows: apps.regression_loss(X[rows], Y[rows], one), theta
        )

    (mine,) = apps.softmax_regression_epoch(X, Y, THETA, 0.3, batch)

    np.testing.assert_allclose(mine, theta, rtol=0, atol=1e-8)


def test_distance_from_kink_is_the_smallest_hidden_input() -> None:
    assert apps.distance_from_kink(X, Y, (W1, W2), 0.1, 5) == np.abs(X @ W1).min()


def test_files_hold_what_the_format_says() -> None:
    pixels = RNG.integers(0, 256, (3, 28, 28)).astype(np.uint8)
    classes = np.array([7, 0, 9], dtype=np.uint8)

    images, labels = gzip.decompress(idx.images(pixels)), gzip.decompress(idx.labels(classes))

    assert struct.unpack(">4I", images[:16]) == (2051, 3, 28, 28)
    assert images[16:] == pixels.tobytes()
    assert struct.unpack(">2I", labels[:8]) == (2049, 3)
    assert labels[8:] == bytes([7, 0, 9])


def test_parsed_maps_255_to_1() -> None:
    pixels = np.array([[[0, 51], [255, 102]]], dtype=np.uint8)

    x, y = idx.parsed(pixels, np.array([4], dtype=np.uint8))

    assert x.tolist() == [[0.0, 0.2, 1.0, 0.4]]
    assert y.tolist() == [4]
