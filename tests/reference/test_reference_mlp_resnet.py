"""hw2's network: its structure, one epoch, and training on the digits."""

import numpy as np
import pytest


def kinds(module):
    """Names of the classes in a Sequential."""
    return [type(part).__name__ for part in module.modules]


def test_structure(ndl, hw2):
    """The modules, in order, and the widths of all layers."""
    model = hw2.MLPResNet(
        20, hidden_dim=8, num_blocks=2, num_classes=5, norm=ndl.nn.LayerNorm1d, drop_prob=0.3
    )
    block = model.modules[3]
    inner = block.modules[0].fn

    assert kinds(model) == ["Flatten", "Linear", "ReLU", "Sequential", "Sequential", "Linear"]
    assert kinds(block) == ["Residual", "ReLU"]
    assert kinds(inner) == ["Linear", "LayerNorm1d", "ReLU", "Dropout", "Linear", "LayerNorm1d"]
    assert inner.modules[3].p == 0.3
    block_shapes = [(8, 4), (1, 4), (4,), (4,), (4, 8), (1, 8), (8,), (8,)]
    assert [p.shape for p in model.parameters()] == [(20, 8), (1, 8), *2 * block_shapes, (8, 5), (1, 5)]


@pytest.fixture
def loader(ndl, rng):
    """Five samples in batches of two."""
    X = rng.standard_normal((5, 4)).astype(np.float32)
    return ndl.data.DataLoader(ndl.data.NDArrayDataset(X, np.array([0, 1, 2, 0, 1])), batch_size=2)


def test_epoch_measures_over_samples(ndl, hw2, loader):
    """With constant logits the loss is that of the constant and the error the share of other classes."""
    logits = np.array([0.0, 2.0, 1.0], dtype=np.float32)

    class Constant(ndl.nn.Module):
        def forward(self, x):
            return ndl.Tensor(np.tile(logits, (x.shape[0], 1)))

    model = Constant()
    error, loss = hw2.epoch(loader, model)
    normalizer = np.log(np.exp(logits.astype(np.float64)).sum())

    assert error == pytest.approx(3 / 5)
    assert loss == pytest.approx(normalizer - (2 * 0 + 2 * 2 + 1) / 5, rel=1e-6)
    assert (type(error), type(loss), model.training) == (float, float, False)


def test_epoch_trains_only_with_an_optimiser(ndl, hw2, loader, seeded):
    """Evaluation changes nothing, training reaches every parameter; the modes fit."""
    model = hw2.MLPResNet(4, hidden_dim=6, num_blocks=1, num_classes=3)
    before = [p.numpy().copy() for p in model.parameters()]
    hw2.epoch(loader, model)
    assert all((p.numpy() == old).all() for p, old in zip(model.parameters(), before))
    assert not model.training

    optimizer = ndl.optim.Adam(model.parameters(), lr=0.01)
    first = hw2.epoch(loader, model, optimizer)
    assert model.training
    assert all(p.grad is not None for p in model.parameters())
    assert (model.modules[1].weight.numpy() != before[0]).any()
    for _ in range(60):
        last = hw2.epoch(loader, model, optimizer)
    assert last[1] < first[1] / 2


def test_train_mnist(ndl, hw2, root):
    """Four epochs on the digits reach 8 % test error, and the same figures in every run."""
    kwargs = {"epochs": 4, "lr": 0.005, "hidden_dim": 50, "data_dir": str(root / "data")}
    figures = hw2.train_mnist(**kwargs)

    assert figures[0] < 0.08 and figures[2] < 0.08
    assert 0 < figures[1] < 0.3 and 0 < figures[3] < 0.3
    assert hw2.train_mnist(**kwargs) == figures
