"""Initial weights and modules against formulas in numpy float64."""

import numpy as np
import pytest
import scipy.special

INITIALISERS = [
    ("xavier_uniform", {"gain": 1.5}, 1.5 * np.sqrt(6 / (300 + 200)) / np.sqrt(3)),
    ("xavier_normal", {"gain": 1.5}, 1.5 * np.sqrt(2 / (300 + 200))),
    ("kaiming_uniform", {}, np.sqrt(2 / 300)),
    ("kaiming_normal", {}, np.sqrt(2 / 300)),
]


def as_float64(module):
    """Give all parameters of a module, and its running statistics, double precision."""
    for name, value in vars(module).items():
        if hasattr(value, "realize_cached_data"):
            value.cached_data = value.cached_data.astype(np.float64)
            setattr(module, name, value)
    return module


@pytest.mark.parametrize(("name", "kwargs", "std"), INITIALISERS)
def test_initialiser(ndl, seeded, name, kwargs, std):
    """Shape, mean, spread and bounds; dtype and requires_grad are passed on."""
    weights = getattr(ndl.init, name)(300, 200, **kwargs, dtype="float64", requires_grad=True)
    values = weights.numpy()

    assert (values.shape, values.dtype, weights.requires_grad) == ((300, 200), np.float64, True)
    assert abs(values.mean()) < 4 * std / np.sqrt(values.size)
    assert values.std() == pytest.approx(std, rel=0.02)
    bound = std * np.sqrt(3)
    assert (np.abs(values).max() <= bound) == name.endswith("uniform")
    assert getattr(ndl.init, name)(3, 2).dtype == np.float32


def test_linear(ndl, seeded, rng):
    """X @ W + b; the weight is drawn before the bias, whose fan_in is the number of outputs."""
    layer = ndl.nn.Linear(5, 3)
    np.random.seed(7)
    W = ndl.init.kaiming_uniform(5, 3).numpy()
    b = ndl.init.kaiming_uniform(3, 1).numpy().T
    X = rng.standard_normal((4, 5)).astype(np.float32)

    np.testing.assert_array_equal(layer.weight.numpy(), W)
    np.testing.assert_array_equal(layer.bias.numpy(), b)
    np.testing.assert_allclose(layer(ndl.Tensor(X)).numpy(), X @ W + b, rtol=1e-6, atol=1e-6)
    assert [p.shape for p in layer.parameters()] == [(5, 3), (1, 3)]


def test_linear_without_bias(ndl):
    """`bias=False` leaves one parameter."""
    layer = ndl.nn.Linear(2, 3, bias=False)

    assert layer.parameters() == [layer.weight]
    assert layer.bias is None
    assert layer(ndl.Tensor(np.ones((1, 2), dtype=np.float32))).shape == (1, 3)


def test_linear_gradients(ndl, rng, check_derivatives):
    """Both parameters and the input get the right derivatives."""
    layer = ndl.nn.Linear(3, 2)

    def forward(X, W, b):
        layer.weight, layer.bias = W, b
        return layer(X)

    arrays = rng.standard_normal((2, 3)), rng.standard_normal((3, 2)), rng.standard_normal((1, 2))
    check_derivatives(forward, lambda X, W, b: X @ W + b, *arrays)


def test_flatten(ndl):
    """All axes but the first are joined, in order."""
    x = np.arange(24.0).reshape(2, 3, 4)

    assert ndl.nn.Flatten()(ndl.Tensor(x)).numpy().tolist() == x.reshape(2, 12).tolist()
    assert ndl.nn.Flatten()(ndl.Tensor(np.ones(2))).shape == (2, 1)


def test_containers(ndl):
    """Sequential composes in order, Residual adds its input, Identity does nothing."""
    nn = ndl.nn
    x = ndl.Tensor([[-1.0, 2.0]])
    block = nn.Sequential(nn.Identity(), nn.Residual(nn.ReLU()), nn.Residual(nn.Residual(nn.Identity())))

    assert block(x).numpy().tolist() == [[-3, 12]]


def test_softmax_loss(ndl, rng, check_derivatives):
    """The mean of logsumexp(Z_i) - Z_i[y_i], and its derivatives."""
    y = np.array([2, 0], dtype=np.uint8)

    def truth(Z):
        return -np.mean(scipy.special.log_softmax(Z, axis=1)[[0, 1], y])

    def forward(Z):
        return ndl.nn.SoftmaxLoss()(Z, ndl.Tensor(y))

    check_derivatives(forward, truth, rng.standard_normal((2, 3)))
    assert forward(ndl.Tensor(np.zeros((2, 3), dtype=np.float32))).dtype == np.float32


@pytest.mark.parametrize("axis", [0, 1])
def test_normalisation(ndl, rng, check_derivatives, axis):
    """Biased variance over the batch (BatchNorm1d) or the features (LayerNorm1d), then weight and bias."""
    kind = ndl.nn.BatchNorm1d if axis == 0 else ndl.nn.LayerNorm1d

    def forward(x, w, b):
        module = as_float64(kind(3))
        module.weight, module.bias = w, b
        return module(x)

    def truth(x, w, b):
        mean, var = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
        return w * (x - mean) / np.sqrt(var + 1e-5) + b

    arrays = rng.standard_normal((3, 3)), rng.uniform(0.5, 2, 3), rng.standard_normal(3)
    check_derivatives(forward, truth, *arrays)


def test_normalisation_starts_as_identity_map(ndl):
    """Weights are ones and biases zeros, float32 Parameters of shape (dim,); statistics are no Parameters."""
    for kind in (ndl.nn.BatchNorm1d, ndl.nn.LayerNorm1d):
        module = kind(3)

        assert [p.numpy().tolist() for p in module.parameters()] == [[1, 1, 1], [0, 0, 0]]
        assert all(p.dtype == np.float32 for p in module.parameters())


def test_batchnorm_running_statistics(ndl, rng):
    """Two batches move the statistics by `momentum` of the biased ones, in float32; evaluation uses them."""
    norm = ndl.nn.BatchNorm1d(3, momentum=0.2)
    mean, var = np.zeros(3), np.ones(3)
    for _ in range(2):
        x = rng.normal(5, 3, (4, 3)).astype(np.float32)
        norm(ndl.Tensor(x))
        mean = 0.8 * mean + 0.2 * x.mean(0, dtype=np.float64)
        var = 0.8 * var + 0.2 * x.var(0, dtype=np.float64)

    np.testing.assert_allclose(norm.running_mean.numpy(), mean, rtol=1e-6)
    np.testing.assert_allclose(norm.running_var.numpy(), var, rtol=1e-5)
    assert norm.running_mean.dtype == norm.running_var.dtype == np.float32
    assert norm.running_mean.is_leaf() and not norm.running_var.requires_grad

    norm.eval()
    out = norm(ndl.Tensor(x[:1])).numpy()
    np.testing.assert_allclose(out, (x[:1] - mean) / np.sqrt(var + 1e-5), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(norm.running_mean.numpy(), mean, rtol=1e-6)


def test_dropout(ndl, seeded):
    """A quarter vanishes at p = 0.25, the rest grows by 4/3; p = 0 and evaluation change nothing."""
    x = ndl.Tensor(np.ones((200, 200), dtype=np.float32))
    dropout = ndl.nn.Dropout(0.25)
    out = dropout(x)
    out.backward()
    kept = out.numpy() != 0

    assert abs(kept.mean() - 0.75) < 4 * np.sqrt(0.25 * 0.75 / kept.size)
    np.testing.assert_allclose(out.numpy()[kept], 4 / 3, rtol=1e-6)
    np.testing.assert_array_equal(x.grad.numpy(), out.numpy())
    assert out.dtype == np.float32
    assert (ndl.nn.Dropout(0)(x).numpy() == 1).all()
    dropout.eval()
    assert dropout(x).numpy().tolist() == x.numpy().tolist()


def test_modes_and_parameters_reach_everywhere(ndl):
    """Lists, tuples and dicts, nested, hold modules that are found."""
    nn = ndl.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = [nn.Dropout(), (nn.Linear(1, 1), {"deep": nn.Sequential(nn.Dropout())})]
            self.own = nn.Parameter(ndl.init.ones(1))

    net = Net()
    linear, deep = net.inner[1][0], net.inner[1][1]["deep"]
    found = [net.inner[0], linear, deep, deep.modules[0]]
    net.eval()
    assert not any(module.training for module in [net, *found])
    net.train()
    assert all(module.training for module in [net, *found])
    assert set(net.parameters()) == {linear.weight, linear.bias, net.own}
