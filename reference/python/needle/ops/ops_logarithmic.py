"""Logarithms of sums of exponentials, computed without overflow."""

import numpy as array_api

from ..autograd import Tensor, TensorOp
from .ops_mathematic import broadcast_to, exp, reshape, summation


class LogSoftmax(TensorOp):
    """`log(softmax(Z))` along axis 1 of `Z`, shape `(batch, classes)`."""

    def compute(self, Z):
        """Array in the shape and dtype of `Z`; finite for every finite `Z`."""
        ### BEGIN YOUR SOLUTION
        shifted = Z - array_api.max(Z, axis=1, keepdims=True)
        return shifted - array_api.log(array_api.sum(array_api.exp(shifted), axis=1, keepdims=True))
        ### END YOUR SOLUTION

    def gradient(self, out_grad, node):
        """Gradient with respect to `Z`, in its shape."""
        ### BEGIN YOUR SOLUTION
        batch, _ = node.shape
        row_sums = broadcast_to(reshape(summation(out_grad, axes=(1,)), (batch, 1)), node.shape)
        return out_grad - exp(node) * row_sums
        ### END YOUR SOLUTION


def logsoftmax(a: Tensor) -> Tensor:
    """`log(softmax(a))` along axis 1."""
    return LogSoftmax()(a)


class LogSumExp(TensorOp):
    """`log(sum(exp(Z)))` over `axes`: all (None), one (int) or several (tuple); the axes disappear."""

    def __init__(self, axes=None):
        self.axes = axes

    def compute(self, Z):
        """Array without the summed axes, in the dtype of `Z`; finite for every finite `Z`."""
        ### BEGIN YOUR SOLUTION
        max_z = array_api.max(Z, axis=self.axes, keepdims=True)
        total = array_api.sum(array_api.exp(Z - max_z), axis=self.axes)
        return array_api.log(total) + max_z.reshape(total.shape)
        ### END YOUR SOLUTION

    def gradient(self, out_grad, node):
        """Gradient with respect to `Z`, in its shape."""
        ### BEGIN YOUR SOLUTION
        Z = node.inputs[0]
        ndim = len(Z.shape)
        axes = range(ndim) if self.axes is None else self.axes
        axes = (axes,) if isinstance(axes, int) else axes
        summed = {axis % ndim for axis in axes}
        kept_shape = tuple(1 if axis in summed else size for axis, size in enumerate(Z.shape))

        def spread(value):
            return broadcast_to(reshape(value, kept_shape), Z.shape)

        # exp(Z - logsumexp(Z)) is the softmax, and cannot overflow
        return spread(out_grad) * exp(Z - spread(node))
        ### END YOUR SOLUTION


def logsumexp(a: Tensor, axes=None) -> Tensor:
    """`log(sum(exp(a)))` over `axes`."""
    return LogSumExp(axes=axes)(a)
