"""Modules: a module owns parameters and other modules, and maps tensors to tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from needle import init, ops
from needle.autograd import Tensor


class Parameter(Tensor):
    """A tensor that an optimiser may change."""


def _unpack_params(value: object) -> list[Tensor]:
    """Parameters found in a parameter, a module, or a list, tuple or dict of such."""
    if isinstance(value, Parameter):
        return [value]
    if isinstance(value, Module):
        return value.parameters()
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [parameter for item in value for parameter in _unpack_params(item)]
    return []


def _child_modules(value: object) -> list["Module"]:
    """Modules found in a module (itself and those below it), or in a list, tuple or dict of such."""
    if isinstance(value, Module):
        return [value, *value._children()]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [module for item in value for module in _child_modules(item)]
    return []


class Module:
    """Base of all modules; `training` tells the two modes apart."""

    def __init__(self):
        self.training = True

    def parameters(self) -> list[Tensor]:
        """Parameters of this module and of the modules below it, in the order of the attributes."""
        return _unpack_params(self.__dict__)

    def _children(self) -> list["Module"]:
        """All modules below this one."""
        return _child_modules(self.__dict__)

    def eval(self):
        """Switch this module and all below it to evaluation."""
        self.training = False
        for module in self._children():
            module.training = False

    def train(self):
        """Switch this module and all below it to training."""
        self.training = True
        for module in self._children():
            module.training = True

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Identity(Module):
    """Gives back its input."""

    def forward(self, x):
        return x


class Linear(Module):
    """Affine map of the rows of `X`: `(batch, in_features)` to `(batch, out_features)`.

    `weight` is a Parameter `(in_features, out_features)`, `bias` a Parameter `(1, out_features)`, or None
    with `bias=False`. Both start from Kaiming uniform draws, the weight first, the bias with fan_in
    `out_features`.
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features

        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def forward(self, X: Tensor) -> Tensor:
        """`X` `(batch, in_features)`; returns `(batch, out_features)`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class Flatten(Module):
    """Joins all axes but the first: `(batch, ...)` to `(batch, features)`."""

    def forward(self, X):
        """`X` `(batch, ...)`; returns `(batch, features)`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class ReLU(Module):
    """`max(x, 0)`, element by element."""

    def forward(self, x: Tensor) -> Tensor:
        """Tensor in the shape of `x`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class Sequential(Module):
    """Applies its modules one after the other."""

    def __init__(self, *modules):
        super().__init__()
        self.modules = modules

    def forward(self, x: Tensor) -> Tensor:
        """Output of the last module."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class SoftmaxLoss(Module):
    """Softmax (cross-entropy) loss, averaged over the batch."""

    def forward(self, logits: Tensor, y: Tensor):
        """`logits` `(batch, classes)`, `y` `(batch,)` of class indices; returns a Tensor of shape `()`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class BatchNorm1d(Module):
    """Normalises each feature over the batch (Ioffe and Szegedy, 2015).

    `weight` (ones) and `bias` (zeros) are Parameters `(dim,)`. `running_mean` (zeros) and `running_var`
    (ones) are plain tensors `(dim,)`: the share `momentum` of them is replaced by the statistics of each
    training batch, with the variance divided by the batch size. Evaluation normalises with them instead of
    the batch's own statistics.
    """

    def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.momentum = momentum
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """`x` `(batch, dim)`; returns the same shape. The running statistics stay out of the graph."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class LayerNorm1d(Module):
    """Normalises each row over its features (Ba, Kiros and Hinton, 2016).

    `weight` (ones) and `bias` (zeros) are Parameters `(dim,)`; the variance is divided by `dim`.
    """

    def __init__(self, dim, eps=1e-5, device=None, dtype="float32"):
        super().__init__()
        self.dim = dim
        self.eps = eps
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """`x` `(batch, dim)`; returns the same shape."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class Dropout(Module):
    """Sets elements to zero with probability `p` in training, and scales up the rest so that the mean stays.

    In evaluation it gives back its input.
    """

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Tensor in the shape of `x`; the draws come from `init.randb`."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION


class Residual(Module):
    """Adds the input of the module `fn` to its output."""

    def __init__(self, fn: Callable[..., Any]):
        super().__init__()
        self.fn = fn

    def forward(self, x: Tensor) -> Tensor:
        """Tensor in the shape of `x`, which `fn` must keep."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION
