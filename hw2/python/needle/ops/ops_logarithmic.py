"""Logarithms of sums of exponentials, computed without overflow."""

import numpy as array_api

from ..autograd import Tensor, TensorOp
from .ops_mathematic import broadcast_to, exp, reshape, summation


class LogSoftmax(TensorOp):
    """`log(softmax(Z))` along axis 1 of `Z`, shape `(batch, classes)`."""

    def compute(self, Z):
        """Array in the shape and dtype of `Z`; finite for every finite `Z`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad, node):
        """Gradient with respect to `Z`, in its shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
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
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def gradient(self, out_grad, node):
        """Gradient with respect to `Z`, in its shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


def logsumexp(a: Tensor, axes=None) -> Tensor:
    """`log(sum(exp(a)))` over `axes`."""
    return LogSumExp(axes=axes)(a)
