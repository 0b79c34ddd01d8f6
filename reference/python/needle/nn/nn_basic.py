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
        kwargs = {"device": device, "dtype": dtype}
        self.weight = Parameter(init.kaiming_uniform(in_features, out_features, **kwargs))
        self.bias = None
        if bias:
            column = init.kaiming_uniform(out_features, 1, **kwargs)
            self.bias = Parameter(column.reshape((1, out_features)))
        ### END YOUR SOLUTION

    def forward(self, X: Tensor) -> Tensor:
        """`X` `(batch, in_features)`; returns `(batch, out_features)`."""
        ### BEGIN YOUR SOLUTION
        out = X @ self.weight
        return out if self.bias is None else out + self.bias.broadcast_to(out.shape)
        ### END YOUR SOLUTION


class Flatten(Module):
    """Joins all axes but the first: `(batch, ...)` to `(batch, features)`."""

    def forward(self, X):
        """`X` `(batch, ...)`; returns `(batch, features)`."""
        ### BEGIN YOUR SOLUTION
        return X.reshape((X.shape[0], int(np.prod(X.shape[1:]))))
        ### END YOUR SOLUTION


class ReLU(Module):
    """`max(x, 0)`, element by element."""

    def forward(self, x: Tensor) -> Tensor:
        """Tensor in the shape of `x`."""
        ### BEGIN YOUR SOLUTION
        return ops.relu(x)
        ### END YOUR SOLUTION


class Sequential(Module):
    """Applies its modules one after the other."""

    def __init__(self, *modules):
        super().__init__()
        self.modules = modules

    def forward(self, x: Tensor) -> Tensor:
        """Output of the last module."""
        ### BEGIN YOUR SOLUTION
        for module in self.modules:
            x = module(x)
        return x
        ### END YOUR SOLUTION


class SoftmaxLoss(Module):
    """Softmax (cross-entropy) loss, averaged over the batch."""

    def forward(self, logits: Tensor, y: Tensor):
        """`logits` `(batch, classes)`, `y` `(batch,)` of class indices; returns a Tensor of shape `()`."""
        ### BEGIN YOUR SOLUTION
        batch, classes = logits.shape
        one_hot = init.one_hot(classes, y, device=logits.device, dtype=logits.dtype)
        total = ops.logsumexp(logits, axes=(1,)).sum() - (logits * one_hot).sum()
        return total / batch
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
        kwargs = {"device": device, "dtype": dtype}
        self.weight = Parameter(init.ones(dim, **kwargs))
        self.bias = Parameter(init.zeros(dim, **kwargs))
        self.running_mean = init.zeros(dim, **kwargs)
        self.running_var = init.ones(dim, **kwargs)
        ### END YOUR SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """`x` `(batch, dim)`; returns the same shape. The running statistics stay out of the graph."""
        ### BEGIN YOUR SOLUTION
        if self.training:
            batch = x.shape[0]
            mean = x.sum(axes=(0,)) / batch
            centered = x - mean.broadcast_to(x.shape)
            var = (centered**2).sum(axes=(0,)) / batch
            # from detached values, or the statistics would keep the graph of every past batch alive
            keep = 1 - self.momentum
            self.running_mean = keep * self.running_mean.data + self.momentum * mean.data
            self.running_var = keep * self.running_var.data + self.momentum * var.data
        else:
            centered = x - self.running_mean.data.broadcast_to(x.shape)
            var = self.running_var.data
        normal = centered / ((var + self.eps) ** 0.5).broadcast_to(x.shape)
        return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)
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
        self.weight = Parameter(init.ones(dim, device=device, dtype=dtype))
        self.bias = Parameter(init.zeros(dim, device=device, dtype=dtype))
        ### END YOUR SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """`x` `(batch, dim)`; returns the same shape."""
        ### BEGIN YOUR SOLUTION
        batch, dim = x.shape
        column = (batch, 1)
        mean = x.sum(axes=(1,)).reshape(column) / dim
        centered = x - mean.broadcast_to(x.shape)
        var = (centered**2).sum(axes=(1,)).reshape(column) / dim
        normal = centered / ((var + self.eps) ** 0.5).broadcast_to(x.shape)
        return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)
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
        if not self.training:
            return x
        keep = 1 - self.p
        mask = init.randb(*x.shape, p=keep, device=x.device, dtype=x.dtype)
        return x * mask / keep
        ### END YOUR SOLUTION


class Residual(Module):
    """Adds the input of the module `fn` to its output."""

    def __init__(self, fn: Callable[..., Any]):
        super().__init__()
        self.fn = fn

    def forward(self, x: Tensor) -> Tensor:
        """Tensor in the shape of `x`, which `fn` must keep."""
        ### BEGIN YOUR SOLUTION
        return self.fn(x) + x
        ### END YOUR SOLUTION
