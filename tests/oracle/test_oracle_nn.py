"""The truth for modules and initialisers against scipy, numpy's own statistics and numdifftools."""

from collections.abc import Callable

import numdifftools
import numpy as np
import pytest
from scipy import special, stats

from grader.oracle import finite, init, nn, ops

RNG = np.random.default_rng(5)
X = RNG.uniform(-2, 2, (4, 3))
WEIGHT, BIAS = RNG.uniform(-2, 2, 3), RNG.uniform(-2, 2, 3)
MEAN, VAR = RNG.uniform(-1, 1, 3), RNG.uniform(0.5, 2, 3)
MATRIX, OFFSET = RNG.uniform(-2, 2, (3, 2)), RNG.uniform(-2, 2, 2)
LABELS = np.array([0, 2, 1, 1])
EPS = 0.125

# name: the function of float arrays, and the arrays
SMOOTH: dict[str, tuple[Callable[..., np.ndarray], list[np.ndarray]]] = {
    "linear": (nn.linear, [X, MATRIX, OFFSET]),
    "flatten": (lambda x: nn.flatten(np.reshape(x, (2, 2, 3))), [X]),
    "residual": (lambda x: nn.residual(x, [("own.Square", 0.0)]), [X]),
    "cross_entropy": (lambda x: np.asarray(nn.cross_entropy(x, LABELS)), [X]),
    "batch_norm": (lambda x, w, b: nn.batch_norm(x, w, b, EPS), [X, WEIGHT, BIAS]),
    "batch_norm_eval": (lambda x, w, b: nn.batch_norm_eval(x, w, b, MEAN, VAR, EPS), [X, WEIGHT, BIAS]),
    "layer_norm": (lambda x, w, b: nn.layer_norm(x, w, b, EPS), [X, WEIGHT, BIAS]),
    "logsumexp": (lambda x: np.asarray(ops.logsumexp(x, (1,))), [X]),
    "logsumexp_all": (lambda x: np.asarray(ops.logsumexp(x, None)), [X]),
    "logsoftmax": (ops.logsoftmax, [X]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_equal_full_jacobians(name: str) -> None:
    """Finite differences of the truth give what numdifftools' whole Jacobian gives, for every input."""
    function, arrays = SMOOTH[name]
    cotangent = RNG.uniform(-2, 2, np.shape(function(*arrays)))
    for position, array in enumerate(arrays):

        def flat(
            values: np.ndarray, position: int = position, shape: tuple[int, ...] = array.shape
        ) -> np.ndarray:
            changed = [values.reshape(shape) if i == position else one for i, one in enumerate(arrays)]
            return np.ravel(function(*changed))

        jacobian = np.reshape(numdifftools.Jacobian(flat)(array.ravel()), (-1, array.size))
        expected = np.ravel(cotangent) @ jacobian

        actual = finite.gradient(function, arrays, position, cotangent)

        np.testing.assert_allclose(actual.ravel(), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("axes", [None, (0,), (1,), (0, 2), (1, 2)])
def test_logsumexp_is_scipys(axes: tuple[int, ...] | None) -> None:
    """Shape and values, axes of size 1 and numbers of 1e4 included."""
    for x in (RNG.uniform(-3, 3, (2, 1, 3)), 1e4 * RNG.uniform(-1, 1, (2, 1, 3))):
        np.testing.assert_allclose(ops.logsumexp(x, axes), special.logsumexp(x, axis=axes), rtol=1e-14)


def test_logsoftmax_is_scipys() -> None:
    """Row by row, large numbers included."""
    for x in (X, 1e4 * X):
        np.testing.assert_allclose(ops.logsoftmax(x), special.log_softmax(x, axis=1), rtol=1e-14, atol=1e-12)


def test_cross_entropy_is_scipys() -> None:
    """The mean of minus the true classes' log-probabilities."""
    expected = -np.mean(special.log_softmax(X, axis=1)[np.arange(4), LABELS])

    assert nn.cross_entropy(X, LABELS) == pytest.approx(expected, rel=1e-14)


def test_norms_are_z_scores_without_eps() -> None:
    """With eps 0, weight 1 and bias 0 the norms are scipy's z-scores along their axes."""
    ones, zeros = np.ones(3), np.zeros(3)

    np.testing.assert_allclose(nn.batch_norm(X, ones, zeros, 0.0), stats.zscore(X, axis=0), rtol=1e-13)
    np.testing.assert_allclose(nn.layer_norm(X, ones, zeros, 0.0), stats.zscore(X, axis=1), rtol=1e-13)


def test_running_statistics_of_one_repeated_batch_converge() -> None:
    """They approach the batch's mean and biased variance geometrically."""
    mean, var = nn.running_statistics(MEAN, VAR, [X] * 3, 0.25)

    np.testing.assert_allclose(mean, X.mean(axis=0) + 0.75**3 * (MEAN - X.mean(axis=0)), rtol=1e-13)
    np.testing.assert_allclose(var, X.var(axis=0) + 0.75**3 * (VAR - X.var(axis=0)), rtol=1e-13)


@pytest.mark.parametrize("function", init.SCALES)
def test_initialisers_have_their_distribution(function: str) -> None:
    """Many draws pass a Kolmogorov-Smirnov test against the distribution of the paper."""
    fan_in, fan_out = 80, 120
    drawn = init.draw(function, 3, fan_in, fan_out, 1.0).ravel()
    variance = 2 / fan_in if function.startswith("kaiming") else 2 / (fan_in + fan_out)
    deviation = np.sqrt(variance)
    if function.endswith("normal"):
        distribution = stats.norm(0, deviation)
    else:
        distribution = stats.uniform(-deviation * np.sqrt(3), 2 * deviation * np.sqrt(3))

    assert stats.kstest(drawn, distribution.cdf).pvalue > 1e-3


def test_xavier_gain_scales() -> None:
    """A gain multiplies every draw."""
    for function in ("xavier_uniform", "xavier_normal"):
        np.testing.assert_allclose(init.draw(function, 1, 2, 3, 2.5), 2.5 * init.draw(function, 1, 2, 3))
