"""Elementwise ops, shape ops, sums and matrix products.

`compute` sees raw arrays and keeps their dtype; `gradient` sees Tensors and is built from the functions of
this module only. There is no implicit broadcasting: both inputs of an elementwise op have one shape.
"""

import numpy as array_api

from ..autograd import NDArray, Tensor, TensorOp

# The scalar ops below restore the dtype of a floating input: numpy 1 turns a 0-d float32 divided by an int,
# and numpy 2 a float32 array times a numpy float64, into float64.


class EWiseAdd(TensorOp):
    """`a + b`, element by element."""

    def compute(self, a: NDArray, b: NDArray):
        return a + b

    def gradient(self, out_grad: Tensor, node: Tensor):
        return out_grad, out_grad


def add(a, b):
    """`a + b`, element by element."""
    return EWiseAdd()(a, b)


class AddScalar(TensorOp):
    """`a + scalar`."""

    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a: NDArray):
        result = a + self.scalar
        return result.astype(a.dtype, copy=False) if a.dtype.kind == "f" else result

    def gradient(self, out_grad: Tensor, node: Tensor):
        return out_grad


def add_scalar(a, scalar):
    """`a + scalar`."""
    return AddScalar(scalar)(a)


class EWiseMul(TensorOp):
    """`a * b`, element by element."""

    def compute(self, a: NDArray, b: NDArray):
        return a * b

    def gradient(self, out_grad: Tensor, node: Tensor):
        a, b = node.inputs
        return out_grad * b, out_grad * a


def multiply(a, b):
    """`a * b`, element by element."""
    return EWiseMul()(a, b)


class MulScalar(TensorOp):
    """`a * scalar`."""

    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a: NDArray):
        result = a * self.scalar
        return result.astype(a.dtype, copy=False) if a.dtype.kind == "f" else result

    def gradient(self, out_grad: Tensor, node: Tensor):
        return out_grad * self.scalar


def mul_scalar(a, scalar):
    """`a * scalar`."""
    return MulScalar(scalar)(a)


class PowerScalar(TensorOp):
    """`a ** scalar`."""

    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`, for any scalar exponent."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def power_scalar(a, scalar):
    """`a ** scalar`."""
    return PowerScalar(scalar)(a)


class EWisePow(TensorOp):
    """`a ** b`, element by element."""

    def compute(self, a: NDArray, b: NDArray) -> NDArray:
        """Array in the shape of `a` and `b`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradients with respect to `a` and `b`, where `a` is positive."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def power(a, b):
    """`a ** b`, element by element."""
    return EWisePow()(a, b)


class EWiseDiv(TensorOp):
    """`a / b`, element by element."""

    def compute(self, a: NDArray, b: NDArray) -> NDArray:
        """Array in the shape of `a` and `b`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradients with respect to `a` and `b`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def divide(a, b):
    """`a / b`, element by element."""
    return EWiseDiv()(a, b)


class DivScalar(TensorOp):
    """`a / scalar`."""

    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def divide_scalar(a, scalar):
    """`a / scalar`."""
    return DivScalar(scalar)(a)


class Transpose(TensorOp):
    """Swap two axes: the pair `axes`, by default the last two."""

    def __init__(self, axes: tuple | None = None):
        self.axes = axes

    def compute(self, a: NDArray) -> NDArray:
        """Array whose other axes stay where they were."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`, in its shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def transpose(a, axes=None):
    """`a` with two axes swapped, by default the last two."""
    return Transpose(axes)(a)


class Reshape(TensorOp):
    """The elements of `a`, in order, in another shape."""

    def __init__(self, shape):
        self.shape = shape

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape `shape`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`, in its shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def reshape(a, shape):
    """`a` in another shape."""
    return Reshape(shape)(a)


class BroadcastTo(TensorOp):
    """`a` repeated along new axes and along axes of size 1, as numpy broadcasts."""

    def __init__(self, shape):
        self.shape = shape

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape `shape`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`, in its shape. A few nodes are enough, whatever the number of axes."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def broadcast_to(a, shape):
    """`a` broadcast to `shape`."""
    return BroadcastTo(shape)(a)


class Summation(TensorOp):
    """Sum over `axes`: all (None), one (int) or several (tuple); the axes disappear."""

    def __init__(self, axes=None):
        self.axes = axes

    def compute(self, a: NDArray) -> NDArray:
        """Array without the summed axes, in the dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`, in its shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def summation(a, axes=None):
    """Sum of `a` over `axes`."""
    return Summation(axes)(a)


class MatMul(TensorOp):
    """Matrix product `(..., m, k) @ (..., k, n)`; leading batch axes broadcast as in numpy."""

    def compute(self, a: NDArray, b: NDArray) -> NDArray:
        """Array `(..., m, n)`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradients with respect to `a` and `b`, each in its own shape, also when batch axes broadcast."""

        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def matmul(a, b):
    """Matrix product of `a` and `b`."""
    return MatMul()(a, b)


class Negate(TensorOp):
    """`-a`."""

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def negate(a):
    """`-a`."""
    return Negate()(a)


class Log(TensorOp):
    """Natural logarithm, element by element."""

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def log(a):
    """Natural logarithm of `a`."""
    return Log()(a)


class Exp(TensorOp):
    """Exponential, element by element."""

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def exp(a):
    """Exponential of `a`."""
    return Exp()(a)


class ReLU(TensorOp):
    """`max(a, 0)`, element by element."""

    def compute(self, a: NDArray) -> NDArray:
        """Array in the shape and dtype of `a`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad: Tensor, node: Tensor):
        """Gradient with respect to `a`. The raw value of `a` may be read here: only its sign matters."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def relu(a):
    """`max(a, 0)`."""
    return ReLU()(a)
