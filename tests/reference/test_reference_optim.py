"""Optimisers against their formulas in numpy float64, and what training leaves in memory."""

import gc

import numpy as np
import pytest

STEPS = 6


def sgd(p, gradients, lr, momentum, weight_decay):
    """Trajectory of SGD with an averaged momentum."""
    u = 0.0
    for gradient in gradients:
        u = momentum * u + (1 - momentum) * (gradient + weight_decay * p)
        p = p - lr * u
    return p


def adam(p, gradients, lr, beta1, beta2, eps, weight_decay):
    """Trajectory of Adam, algorithm 1 of Kingma and Ba (2015), with decay in the gradient."""
    m = v = 0.0
    for t, gradient in enumerate(gradients, start=1):
        g = gradient + weight_decay * p
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        p = p - lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    return p


CASES = [
    ("SGD", sgd, {"lr": 0.1, "momentum": 0.0, "weight_decay": 0.0}),
    ("SGD", sgd, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.0}),
    ("SGD", sgd, {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.3}),
    ("Adam", adam, {"lr": 0.01, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0}),
    ("Adam", adam, {"lr": 0.1, "beta1": 0.5, "beta2": 0.6, "eps": 0.1, "weight_decay": 0.3}),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "truth", "kwargs"), CASES)
def test_trajectory(ndl, rng, name, truth, kwargs, dtype):
    """Several steps follow the formulas; gradients and parameters without one are left alone."""
    start, gradients = rng.standard_normal((2, 3)), rng.standard_normal((STEPS, 2, 3))
    p = ndl.nn.Parameter(start, dtype=dtype)
    idle = ndl.nn.Parameter(start, dtype=dtype)
    optimizer = getattr(ndl.optim, name)([p, idle], **kwargs)
    for gradient in gradients:
        # a gradient in float64 must not change the dtype of a float32 parameter
        p.grad = ndl.Tensor(gradient)
        optimizer.step()

        np.testing.assert_array_equal(p.grad.numpy(), gradient)

    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(p.numpy(), truth(start, gradients, **kwargs), rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(idle.numpy(), start.astype(dtype))
    assert (p.dtype, p.is_leaf(), p.requires_grad, idle.grad) == (dtype, True, True, None)


def test_first_steps_by_hand(ndl):
    """SGD with momentum 0.9 moves by a tenth of lr * grad, Adam by lr whatever the gradient."""
    p, q = (ndl.nn.Parameter([1.0, -1.0]) for _ in range(2))
    p.grad = q.grad = ndl.Tensor([2.0, -50.0])
    ndl.optim.SGD([p], lr=0.1, momentum=0.9).step()
    ndl.optim.Adam([q], lr=0.1).step()

    np.testing.assert_allclose(p.numpy(), [0.98, -0.5], rtol=1e-12)
    np.testing.assert_allclose(q.numpy(), [0.9, -0.9], rtol=1e-8)


def test_reset_grad(ndl):
    """After `reset_grad` no parameter has a gradient, and a step changes nothing."""
    p = ndl.nn.Parameter([1.0])
    (p * p).backward()
    optimizer = ndl.optim.SGD([p], lr=1)
    optimizer.reset_grad()
    optimizer.step()

    assert (p.grad, p.numpy().tolist()) == (None, [1])


@pytest.mark.parametrize("norm", ["BatchNorm1d", "LayerNorm1d"])
@pytest.mark.parametrize(
    ("name", "kwargs"),
    [("SGD", {}), ("SGD", {"momentum": 0.9, "weight_decay": 0.1}), ("Adam", {"weight_decay": 0.1})],
)
def test_training_does_not_grow(ndl, hw2, seeded, norm, name, kwargs):
    """From the second step on, exactly as many nodes are alive after each."""
    model = hw2.MLPResNet(4, hidden_dim=6, num_blocks=1, num_classes=3, norm=getattr(ndl.nn, norm))
    optimizer = getattr(ndl.optim, name)(model.parameters(), lr=0.01, **kwargs)
    loss_function = ndl.nn.SoftmaxLoss()
    X = ndl.Tensor(np.random.randn(5, 4).astype(np.float32), requires_grad=False)
    y = ndl.Tensor(np.array([0, 1, 2, 1, 0]), requires_grad=False)
    alive = []
    for _ in range(5):
        optimizer.reset_grad()
        loss_function(model(X), y).backward()
        optimizer.step()
        gc.collect()
        alive.append(ndl.autograd.TENSOR_COUNTER)

    assert len(set(alive[1:])) == 1
    assert all(p.dtype == np.float32 for p in model.parameters())


def test_dtype_of_parameters_survives_training(ndl, hw2, seeded):
    """Gradients and moments of a float32 network are float32."""
    model = hw2.MLPResNet(4, hidden_dim=6, num_blocks=1)
    optimizer = ndl.optim.Adam(model.parameters())
    X = ndl.Tensor(np.ones((2, 4), dtype=np.float32))
    ndl.nn.SoftmaxLoss()(model(X), ndl.Tensor([1, 2])).backward()
    optimizer.step()

    assert {p.grad.dtype for p in model.parameters()} == {np.dtype("float32")}
    assert {m.dtype for m in [*optimizer.m.values(), *optimizer.v.values()]} == {np.dtype("float32")}
