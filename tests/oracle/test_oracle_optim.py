"""The optimisers' oracle against PyTorch, and against the formulas written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grader.oracle import optim
from grader.oracle.optim import Settings

SHAPES = [(3,), (2, 2)]
STEPS = 10


def _problem(seed: int = 0) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=s) for s in SHAPES], [[rng.normal(size=s) for s in SHAPES] for _ in range(STEPS)]


def _torch(make, parameters, gradients):  # type: ignore[no-untyped-def]
    torch = pytest.importorskip("torch")
    tensors = [torch.tensor(p, dtype=torch.float64, requires_grad=True) for p in parameters]
    optimiser = make(torch, tensors)
    steps = []
    for row in gradients:
        for tensor, g in zip(tensors, row, strict=True):
            tensor.grad = torch.tensor(g)
        optimiser.step()
        steps.append([tensor.detach().numpy().copy() for tensor in tensors])
    return [np.array(column) for column in zip(*steps, strict=True)]


@pytest.mark.parametrize("decay", [0.0, 0.25])
@pytest.mark.parametrize(("beta1", "beta2", "eps"), [(0.9, 0.999, 1e-8), (0.5, 0.75, 0.1)])
def test_adam_equals_torch(beta1: float, beta2: float, eps: float, decay: float) -> None:
    """torch.optim.Adam is this Adam."""
    parameters, gradients = _problem()

    expected = _torch(
        lambda torch, p: torch.optim.Adam(p, lr=0.125, betas=(beta1, beta2), eps=eps, weight_decay=decay),
        parameters,
        gradients,
    )
    settings = Settings(0.125, weight_decay=decay, beta1=beta1, beta2=beta2, eps=eps)
    actual = optim.trajectory(optim.adam, parameters, gradients, settings)

    for mine, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("decay", [0.0, 0.25])
@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_sgd_equals_torch(momentum: float, decay: float) -> None:
    """torch.optim.SGD with dampening=momentum, which it leaves out in the first step: begin at u = 0."""
    parameters, gradients = _problem()
    zeros = [np.zeros(s) for s in SHAPES]
    start = [zeros, *gradients] if not decay else gradients

    if decay and momentum:
        pytest.skip("with weight decay no first gradient of zero can be had")
    expected = _torch(
        lambda torch, p: torch.optim.SGD(
            p, lr=0.125, momentum=momentum, dampening=momentum, weight_decay=decay
        ),
        parameters,
        start,
    )
    actual = optim.trajectory(optim.sgd, parameters, start, Settings(0.125, momentum, decay))

    for mine, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("decay", [0.0, 0.25])
def test_sgd_in_closed_form(momentum: float, decay: float) -> None:
    """u is the weighted sum of all gradients: sum of momentum^(t-k) (1 - momentum) g_k."""
    (p, _), gradients = _problem()
    rows = [[row[0]] for row in gradients]
    (path,) = optim.trajectory(optim.sgd, [p], rows, Settings(0.125, momentum, decay))
    before = np.concatenate([p[None], path[:-1]])
    decayed = [row[0] + decay * b for row, b in zip(rows, before, strict=True)]

    for t in range(STEPS):
        u = sum(momentum ** (t - k) * (1 - momentum) * decayed[k] for k in range(t + 1))
        np.testing.assert_allclose(path[t], before[t] - 0.125 * u, rtol=1e-12)


def test_first_step_of_adam_is_the_sign() -> None:
    """Bias correction makes the first step lr * sign(g), whatever the betas."""
    (p, _), gradients = _problem()

    (path,) = optim.trajectory(optim.adam, [p], [[gradients[0][0]]], Settings(0.125, eps=0.0))

    np.testing.assert_allclose(path[0], p - 0.125 * np.sign(gradients[0][0]), rtol=1e-12)


def test_parameters_without_gradient_rest() -> None:
    """A missing gradient leaves the parameter and its state as they are."""
    (p, q), gradients = _problem()
    holes = [[row[0] if t != 4 else None, row[1]] for t, row in enumerate(gradients)]
    settings = Settings(0.125, 0.9, 0.25)

    path, other = optim.trajectory(optim.sgd, [p, q], holes, settings)
    (short,) = optim.trajectory(optim.sgd, [p], [[r[0]] for t, r in enumerate(gradients) if t != 4], settings)
    (alone,) = optim.trajectory(optim.sgd, [q], [[row[1]] for row in gradients], settings)

    np.testing.assert_array_equal(path[4], path[3])
    np.testing.assert_array_equal(np.delete(path, 4, axis=0), short)
    np.testing.assert_array_equal(other, alone)
