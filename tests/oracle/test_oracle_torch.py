"""The truth for modules against PyTorch's nn and functional, forward and backward; skips without torch."""

import numpy as np
import pytest

from grader.oracle import finite, init, nn, ops

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(7)
X = RNG.uniform(-2, 2, (5, 3))
WEIGHT, BIAS = RNG.uniform(-2, 2, 3), RNG.uniform(-2, 2, 3)
MEAN, VAR = RNG.uniform(-1, 1, 3), RNG.uniform(0.5, 2, 3)
MATRIX, OFFSET = RNG.uniform(-2, 2, (3, 2)), RNG.uniform(-2, 2, 2)
LABELS = np.array([0, 2, 1, 1, 0])
EPS = 0.125
F = torch.nn.functional


def _batch_norm(x, w, b, mean=None, var=None):
    return F.batch_norm(x, mean, var, w, b, training=mean is None, eps=EPS)


PAIRS = {
    "linear": (nn.linear, lambda x, w, b: F.linear(x, w.T, b), [X, MATRIX, OFFSET]),
    "flatten": (
        lambda x: nn.flatten(np.reshape(x, (5, 3, 1))),
        lambda x: torch.flatten(x.reshape(5, 3, 1), 1),
        [X],
    ),
    "relu": (ops.relu, F.relu, [X]),
    "cross_entropy": (
        lambda x: np.asarray(nn.cross_entropy(x, LABELS)),
        lambda x: F.cross_entropy(x, torch.tensor(LABELS)),
        [X],
    ),
    "batch_norm": (lambda x, w, b: nn.batch_norm(x, w, b, EPS), _batch_norm, [X, WEIGHT, BIAS]),
    "batch_norm_eval": (
        lambda x, w, b: nn.batch_norm_eval(x, w, b, MEAN, VAR, EPS),
        lambda x, w, b: _batch_norm(x, w, b, torch.tensor(MEAN), torch.tensor(VAR)),
        [X, WEIGHT, BIAS],
    ),
    "layer_norm": (
        lambda x, w, b: nn.layer_norm(x, w, b, EPS),
        lambda x, w, b: F.layer_norm(x, (3,), w, b, eps=EPS),
        [X, WEIGHT, BIAS],
    ),
    "logsumexp": (lambda x: ops.logsumexp(x, (0,)), lambda x: torch.logsumexp(x, 0), [X]),
    "logsoftmax": (ops.logsoftmax, lambda x: F.log_softmax(x, dim=1), [X]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients_are_torchs(name: str) -> None:
    """Forward to the last digits of float64, every gradient to the accuracy of finite differences."""
    ours, theirs, arrays = PAIRS[name]
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    out = theirs(*leaves)
    cotangent = RNG.uniform(-2, 2, tuple(out.shape))
    out.backward(torch.tensor(cotangent))

    np.testing.assert_allclose(ours(*arrays), out.detach().numpy(), rtol=1e-12, atol=1e-13)
    for position, leaf in enumerate(leaves):
        gradient = finite.gradient(ours, arrays, position, cotangent)
        np.testing.assert_allclose(gradient, leaf.grad.numpy(), rtol=1e-7, atol=1e-8)


def test_running_mean_is_torchs() -> None:
    """The mean equals torch's; the variance differs, as torch's is unbiased, by the known factor."""
    module = torch.nn.BatchNorm1d(3, momentum=0.25).double()
    module(torch.tensor(X))

    mean, var = nn.running_statistics(np.zeros(3), np.ones(3), [X], 0.25)

    np.testing.assert_allclose(mean, module.running_mean.numpy(), rtol=1e-12)
    unbiased = 0.75 + 0.25 * X.var(axis=0) * 5 / 4
    np.testing.assert_allclose(unbiased, module.running_var.numpy(), rtol=1e-12)
    np.testing.assert_allclose(var, 0.75 + 0.25 * X.var(axis=0), rtol=1e-12)


def test_dropout_scale_is_torchs() -> None:
    """Kept elements are divided by 1 - p."""
    x = torch.tensor(X)
    out = F.dropout(x, 0.25, training=True).numpy()

    np.testing.assert_allclose(nn.dropout(X, out != 0, 0.25), out, rtol=1e-12)


@pytest.mark.parametrize("function", init.SCALES)
def test_initialisers_spread_as_torchs(function: str) -> None:
    """The standard deviation of many draws is that of torch's function, up to chance."""
    torch.manual_seed(0)
    filled = torch.empty(300, 200)  # torch's shape is (fan_out, fan_in)
    arguments = {"nonlinearity": "relu"} if function.startswith("kaiming") else {}
    getattr(torch.nn.init, f"{function}_")(filled, **arguments)

    assert np.std(init.draw(function, 0, 200, 300)) == pytest.approx(filled.std().item(), rel=0.02)
