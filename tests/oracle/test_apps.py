"""The formulas of the training loops against finite differences of the loss, and scipy."""

import numpy as np
import pytest
from scipy import special

from grader.oracle import apps, finite

RNG = np.random.default_rng(11)
IMAGES = RNG.uniform(-1, 1, (6, 3))
LABELS = np.array([0, 2, 1, 1, 0, 2])
FIRST, SECOND = RNG.uniform(0.25, 1, (3, 4)) * np.array([1, -1, 1, -1]), RNG.uniform(-1, 1, (4, 3))
THETA = RNG.uniform(-1, 1, (3, 3))


def test_softmax_and_loss_are_scipys() -> None:
    """Rows sum to 1; the loss is the mean of minus log softmax at the label, stable at 1e4."""
    z = np.vstack([RNG.uniform(-3, 3, (5, 3)), [[1e4, 0.0, -1e4]]])

    np.testing.assert_allclose(apps.softmax(z), special.softmax(z, axis=1), rtol=1e-13)
    picked = -special.log_softmax(z, axis=1)[np.arange(6), LABELS]
    np.testing.assert_allclose(apps.class_loss(z, LABELS), np.mean(picked), rtol=1e-13)


def test_one_hot() -> None:
    """One 1 per row, at the label."""
    assert apps.one_hot(np.array([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("position", [0, 1])
def test_two_layer_gradients(position: int) -> None:
    """Both gradients are the loss's derivatives."""
    weights = [FIRST, SECOND]

    actual = apps.two_layer_gradients(IMAGES, LABELS, *weights)[position]

    expected = finite.gradient(
        lambda first, second: apps.two_layer_loss(IMAGES, LABELS, first, second),
        weights,
        position,
        np.ones(()),
    )
    np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_regression_gradient() -> None:
    """The gradient is the loss's derivative."""
    expected = finite.gradient(lambda t: apps.regression_loss(IMAGES, LABELS, t), [THETA], 0, np.ones(()))

    np.testing.assert_allclose(apps.regression_gradient(IMAGES, LABELS, THETA), expected, atol=1e-9)


@pytest.mark.parametrize("batch", [2, 4, 6, 100])
def test_epochs_step_down_batch_by_batch(batch: int) -> None:
    """An epoch is one step along the loss's own derivative per batch, the short last one included."""
    first, second, theta = FIRST, SECOND, THETA
    for start in range(0, 6, batch):
        x, y = IMAGES[start : start + batch], LABELS[start : start + batch]

        def loss(a: np.ndarray, b: np.ndarray, x: np.ndarray = x, y: np.ndarray = y) -> np.ndarray:
            return apps.two_layer_loss(x, y, a, b)

        def regression(t: np.ndarray, x: np.ndarray = x, y: np.ndarray = y) -> np.ndarray:
            return apps.regression_loss(x, y, t)

        steps = [finite.gradient(loss, [first, second], i, np.ones(())) for i in (0, 1)]
        first, second = first - 0.25 * steps[0], second - 0.25 * steps[1]
        theta = theta - 0.25 * finite.gradient(regression, [theta], 0, np.ones(()))

    actual = apps.nn_epoch(IMAGES, LABELS, FIRST, SECOND, 0.25, batch)
    np.testing.assert_allclose(actual[0], first, atol=1e-8)
    np.testing.assert_allclose(actual[1], second, atol=1e-8)
    (found,) = apps.softmax_regression_epoch(IMAGES, LABELS, THETA, 0.25, batch)
    np.testing.assert_allclose(found, theta, atol=1e-8)


def test_not_joint_differs_in_the_second_weight_only() -> None:
    """One batch with the mistake: W1 is right, W2 is stepped by the gradient at the new W1."""
    first, second = apps.nn_epoch(IMAGES, LABELS, FIRST, SECOND, 0.25, 6, joint=False)

    np.testing.assert_array_equal(first, apps.nn_epoch(IMAGES, LABELS, FIRST, SECOND, 0.25, 6)[0])
    np.testing.assert_allclose(
        second, SECOND - 0.25 * apps.two_layer_gradients(IMAGES, LABELS, first, SECOND)[1]
    )


def test_distance_from_kink() -> None:
    """The smallest absolute input of the ReLU."""
    nearest = np.min(np.abs(IMAGES @ FIRST))

    assert apps.distance_from_kink(IMAGES, LABELS, (FIRST, SECOND), 0.25, 6) == nearest
