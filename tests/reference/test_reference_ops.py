"""Ops against numpy in float64, their gradients and the gradients of those against numdifftools."""

import numpy as np
import pytest
import scipy.special

POSITIVE = (0.5, 2.0)
ANY = (-2.0, 2.0)

ELEMENTWISE = [
    ("add", lambda o, a, b: o.add(a, b), np.add, ANY, 2),
    ("add_scalar", lambda o, a: o.add_scalar(a, 3), lambda a: a + 3, ANY, 1),
    ("multiply", lambda o, a, b: o.multiply(a, b), np.multiply, ANY, 2),
    ("mul_scalar", lambda o, a: o.mul_scalar(a, -2), lambda a: -2 * a, ANY, 1),
    ("power", lambda o, a, b: o.power(a, b), np.power, POSITIVE, 2),
    ("power 3", lambda o, a: o.power_scalar(a, 3), lambda a: a**3, ANY, 1),
    ("power 1", lambda o, a: o.power_scalar(a, 1), lambda a: a, ANY, 1),
    ("power 0", lambda o, a: o.power_scalar(a, 0), np.ones_like, ANY, 1),
    ("power -1", lambda o, a: o.power_scalar(a, -1), lambda a: 1 / a, POSITIVE, 1),
    ("power 0.5", lambda o, a: o.power_scalar(a, 0.5), np.sqrt, POSITIVE, 1),
    ("divide", lambda o, a, b: o.divide(a, b), np.divide, POSITIVE, 2),
    ("divide_scalar", lambda o, a: o.divide_scalar(a, 4), lambda a: a / 4, ANY, 1),
    ("negate", lambda o, a: o.negate(a), np.negative, ANY, 1),
    ("log", lambda o, a: o.log(a), np.log, POSITIVE, 1),
    ("exp", lambda o, a: o.exp(a), np.exp, ANY, 1),
    ("relu", lambda o, a: o.relu(a - 1), lambda a: np.maximum(a - 1, 0), POSITIVE, 1),
]

SHAPES = [
    ("transpose", lambda o, a: o.transpose(a), lambda a: np.swapaxes(a, -1, -2), (2, 3, 2)),
    ("transpose pair", lambda o, a: o.transpose(a, (0, 2)), lambda a: np.swapaxes(a, 0, 2), (2, 2, 3)),
    ("transpose square", lambda o, a: o.transpose(a, (0, 1)), lambda a: np.swapaxes(a, 0, 1), (2, 2, 2)),
    ("reshape", lambda o, a: o.reshape(a, (3, 2)), lambda a: a.reshape(3, 2), (2, 3)),
    ("reshape scalar", lambda o, a: o.reshape(a, (1, 1)), lambda a: a.reshape(1, 1), ()),
    ("broadcast ()", lambda o, a: o.broadcast_to(a, (2, 3)), lambda a: np.broadcast_to(a, (2, 3)), ()),
    ("broadcast (1,)", lambda o, a: o.broadcast_to(a, (2, 2)), lambda a: np.broadcast_to(a, (2, 2)), (1,)),
    ("broadcast (3,)", lambda o, a: o.broadcast_to(a, (3, 3)), lambda a: np.broadcast_to(a, (3, 3)), (3,)),
    ("broadcast (3,1)", lambda o, a: o.broadcast_to(a, (3, 3)), lambda a: np.broadcast_to(a, (3, 3)), (3, 1)),
    (
        "broadcast inner",
        lambda o, a: o.broadcast_to(a, (2, 2, 3, 2)),
        lambda a: np.broadcast_to(a, (2, 2, 3, 2)),
        (2, 1, 2),
    ),
    ("broadcast none", lambda o, a: o.broadcast_to(a, (2, 3)), lambda a: a, (2, 3)),
    ("sum all", lambda o, a: o.summation(a), np.sum, (2, 3)),
    ("sum int", lambda o, a: o.summation(a, 1), lambda a: a.sum(1), (3, 3)),
    ("sum negative", lambda o, a: o.summation(a, -1), lambda a: a.sum(-1), (3, 3)),
    ("sum pair", lambda o, a: o.summation(a, (0, 2)), lambda a: a.sum((0, 2)), (2, 2, 2)),
    ("sum size one", lambda o, a: o.summation(a, (1,)), lambda a: a.sum(1), (3, 1)),
    ("logsumexp all", lambda o, a: o.logsumexp(a), scipy.special.logsumexp, (2, 3)),
    ("logsumexp int", lambda o, a: o.logsumexp(a, 0), lambda a: scipy.special.logsumexp(a, 0), (3, 3)),
    ("logsumexp -1", lambda o, a: o.logsumexp(a, (-1,)), lambda a: scipy.special.logsumexp(a, -1), (3, 1, 2)),
    (
        "logsumexp pair",
        lambda o, a: o.logsumexp(a, (0, 2)),
        lambda a: scipy.special.logsumexp(a, (0, 2)),
        (2, 1, 3),
    ),
    ("logsoftmax", lambda o, a: o.logsoftmax(a), lambda a: scipy.special.log_softmax(a, 1), (2, 3)),
]

MATMUL = [
    ((2, 3), (3, 2)),
    ((2, 2, 2), (2, 1)),
    ((2, 2), (2, 2, 1)),
    ((1, 2, 2), (2, 2, 1)),
    ((2, 1, 1, 2), (2, 2, 1)),
]


@pytest.mark.parametrize(
    ("call", "truth", "span", "arity"), [row[1:] for row in ELEMENTWISE], ids=[row[0] for row in ELEMENTWISE]
)
def test_elementwise_op(ndl, rng, check_derivatives, call, truth, span, arity):
    """Value, gradient and second derivative are those of numpy's function."""
    arrays = [rng.uniform(*span, (2, 2)) for _ in range(arity)]

    check_derivatives(lambda *tensors: call(ndl.ops, *tensors), truth, *arrays)


@pytest.mark.parametrize(
    ("call", "truth", "shape"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES]
)
def test_shape_op(ndl, rng, check_derivatives, call, truth, shape):
    """Value, gradient and second derivative are those of numpy's function."""
    check_derivatives(lambda a: call(ndl.ops, a), truth, np.asarray(rng.uniform(-2, 2, shape)))


@pytest.mark.parametrize(("left", "right"), MATMUL)
def test_matmul(ndl, rng, check_derivatives, left, right):
    """Batch axes broadcast on either side, and the gradients come back in the shapes of the inputs."""
    check_derivatives(ndl.matmul, np.matmul, rng.uniform(-1, 1, left), rng.uniform(-1, 1, right))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (2, 2)])
@pytest.mark.parametrize("scalar", [2, 0.5, np.float64(0.5), np.int64(2)])
def test_scalars_keep_the_dtype(ndl, dtype, shape, scalar):
    """No scalar, of Python or numpy, changes the dtype of a floating tensor or of its gradient."""
    x = ndl.Tensor(np.ones(shape, dtype=dtype))
    for out in (x + scalar, x - scalar, x * scalar, x / scalar, x**scalar, scalar - x, scalar / x, scalar**x):
        out.backward()

        assert (out.dtype, x.grad.dtype) == (dtype, dtype)
        assert (out.shape, x.grad.shape) == (shape, shape)


@pytest.mark.parametrize("row", ELEMENTWISE, ids=[row[0] for row in ELEMENTWISE])
def test_elementwise_op_keeps_float32_and_its_inputs(ndl, row):
    """float32 stays float32, also for shape (), and no input is written to."""
    _, call, _, _, arity = row
    for shape in ((), (2, 3)):
        arrays = [np.full(shape, 1.5, dtype=np.float32) for _ in range(arity)]
        out = call(ndl.ops, *map(ndl.Tensor, arrays))
        out.backward()

        assert out.dtype == np.float32
        assert all(np.all(array == 1.5) for array in arrays)


def test_reflected_operators(ndl):
    """A scalar on the left, of Python or numpy, works as in arithmetic."""
    x = ndl.Tensor([2.0, 4.0])

    assert (1 - x).numpy().tolist() == [-1, -3]
    assert (8 / x).numpy().tolist() == [4, 2]
    assert (2**x).numpy().tolist() == [4, 16]
    assert (np.float64(3) * x).numpy().tolist() == [6, 12]
    assert (3 + x).numpy().tolist() == [5, 7]


def test_power_zero_has_a_gradient_at_zero(ndl):
    """x**0 is constant: no 0 * inf."""
    x = ndl.Tensor([0.0, 2.0])
    (x**0).backward()

    assert x.grad.numpy().tolist() == [0, 0]


def test_logarithmic_ops_are_stable(ndl):
    """Logits of 1e4 neither overflow nor lose their differences."""
    Z = np.array([[1e4, 1e4 + 1, -1e4], [0.0, -1e4, 1e4]])
    for dtype in (np.float32, np.float64):
        lse = ndl.logsumexp(ndl.Tensor(Z.astype(dtype)), axes=(1,))
        logsoftmax = ndl.logsoftmax(ndl.Tensor(Z.astype(dtype)))

        np.testing.assert_allclose(lse.numpy(), [1e4 + 1 + np.log1p(np.exp(-1)), 1e4], rtol=1e-6)
        np.testing.assert_allclose(logsoftmax.numpy()[0, :2], -np.log1p(np.exp([1, -1])), rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "target", "nodes"),
    [((2, 3), (2, 3), 0), ((3,), (2, 3), 1), ((1,), (4,), 2), ((2, 1), (2, 3), 2), ((1, 1), (5, 2, 3), 2)],
)
def test_broadcast_gradient_makes_few_nodes(ndl, nodes_made, shape, target, nodes):
    """One Summation and one Reshape at most, and neither without need."""
    node = ndl.broadcast_to(ndl.Tensor(np.ones(shape)), target)
    out_grad = ndl.Tensor(np.ones(target))

    assert nodes_made(lambda: node.op.gradient(out_grad, node)) == nodes


def test_relu_gradient_at_zero_is_between_its_sides(ndl):
    """Any value from 0 to 1 is a derivative of ReLU at 0; NaN is not."""
    x = ndl.Tensor([-1.0, 0.0, 1.0])
    ndl.relu(x).backward()
    left, middle, right = x.grad.numpy()

    assert (left, right) == (0, 1)
    assert 0 <= middle <= 1
