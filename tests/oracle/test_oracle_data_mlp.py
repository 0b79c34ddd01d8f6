"""The oracle of data and network against numpy's own functions, PyTorch, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from grader.oracle import data, mlp
from grader.oracle.mlp import Shape


@pytest.mark.parametrize("seed", range(5))
def test_crop_is_a_window_of_the_padded_image(seed: int) -> None:
    """The window begins at padding + shift."""
    image = np.random.default_rng(seed).normal(size=(5, 6, 2))
    padded = np.pad(image, ((3, 3), (3, 3), (0, 0)))

    for out, (x, y) in zip(data.crops(image, 3, seed, 8), data.shifts(3, seed, 8), strict=True):
        np.testing.assert_array_equal(out, padded[3 + x : 8 + x, 3 + y : 9 + y])


def test_draws_follow_the_global_generator() -> None:
    """What the oracle draws is what np.random draws after the same seed."""
    np.random.seed(11)
    drawn = [tuple(np.random.randint(low=-2, high=3, size=2)) for _ in range(4)]
    np.random.seed(11)
    flipped = [np.random.rand() < 0.5 for _ in range(6)]
    image = np.arange(6.0).reshape(2, 3, 1)

    assert data.shifts(2, 11, 4) == drawn
    assert [not np.array_equal(one, image) for one in data.flips(image, 0.5, 11, 6)] == flipped


def test_batches_cover_the_rows() -> None:
    """Every row once, in order, the last batch short."""
    assert data.batches(7, 3) == [[0, 1, 2], [3, 4, 5], [6]]
    assert data.batches(2, 5) == [[0, 1]]
    assert data.batches(4, 2) == [[0, 1], [2, 3]]


def _parameters(shapes: list[tuple[int, ...]], seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("norm", ["BatchNorm1d", "LayerNorm1d"])
def test_network_equals_torch(norm: str, training: bool) -> None:
    """The same network built of torch.nn gives the same logits."""
    torch = pytest.importorskip("torch")
    nn, shape = torch.nn, Shape(5, 6, 2, 3, norm)
    norms = {"BatchNorm1d": nn.BatchNorm1d, "LayerNorm1d": nn.LayerNorm}

    class Residual(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            made = norms[norm]
            self.inner = nn.Sequential(nn.Linear(6, 3), made(3), nn.ReLU(), nn.Linear(3, 6), made(6))

        def forward(self, x):  # type: ignore[no-untyped-def]
            return torch.relu(x + self.inner(x))

    model = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), Residual(), Residual(), nn.Linear(6, 3)).double()
    values = _parameters(mlp.network_shapes(shape))
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), values, strict=True):
            parameter.copy_(torch.tensor(value.T if value.ndim == 2 else value))
    model.train(training)
    x = np.random.default_rng(1).normal(size=(4, 5))

    expected = model(torch.tensor(x)).detach().numpy()

    np.testing.assert_allclose(mlp.network(x, values, shape, training=training), expected, atol=1e-10)


def test_norms_normalise() -> None:
    """BatchNorm gives each column mean 0 and variance near 1, LayerNorm each row."""
    x = np.random.default_rng(2).normal(3.0, 2.0, size=(50, 40))
    ones, zeros = np.ones(40), np.zeros(40)

    for norm, axis in (("BatchNorm1d", 0), ("LayerNorm1d", 1)):
        out = mlp.normalised(x, ones, zeros, norm, training=True)
        np.testing.assert_allclose(out.mean(axis=axis), 0.0, atol=1e-12)
        np.testing.assert_allclose(out.var(axis=axis), 1.0, atol=1e-4)


def test_block_of_zeros_is_a_relu() -> None:
    """With a last norm of weight and bias 0 only the input is left."""
    parameters = _parameters(mlp.block_shapes(4, 3))
    parameters[6:] = [np.zeros(4), np.zeros(4)]
    x = np.random.default_rng(3).normal(size=(5, 4))

    np.testing.assert_array_equal(mlp.block(x, parameters, "LayerNorm1d", training=True), np.maximum(x, 0))


def test_epoch_steps_down_the_gradient() -> None:
    """The step of one batch is lr times the loss's gradient, by central differences."""
    rng = np.random.default_rng(4)
    images, labels, weight = rng.normal(size=(4, 3)), np.array([0, 2, 1, 2]), rng.normal(size=(3, 3))

    def loss(w: np.ndarray) -> float:
        return mlp.loss_by_sample(mlp.epoch(images, labels, w, 4, None)[0])

    _, after = mlp.epoch(images, labels, weight, 4, 0.5)

    for i, j in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[i, j] = 1e-5
        slope = (loss(weight + moved) - loss(weight - moved)) / 2e-5
        assert (weight - after)[i, j] / 0.5 == pytest.approx(slope, abs=1e-8)


def test_epoch_sums_up() -> None:
    """Error over samples; the two means of the loss differ when the last batch is short."""
    rng = np.random.default_rng(5)
    images, labels, weight = rng.normal(size=(5, 3)), np.array([0, 1, 1, 0, 1]), rng.normal(size=(3, 2))

    done, _ = mlp.epoch(images, labels, weight, 2, None)
    (whole,), _ = mlp.epoch(images, labels, weight, 5, None)

    assert [one.samples for one in done] == [2, 2, 1]
    assert mlp.error_rate(done) == whole.wrong / 5
    assert mlp.loss_by_sample(done) == pytest.approx(whole.loss)
    assert mlp.loss_by_batch(done) != pytest.approx(whole.loss)
