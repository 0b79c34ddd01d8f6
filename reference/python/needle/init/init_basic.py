"""Tensors filled with constants or random draws. All functions are given.

Shapes are passed as separate arguments: `zeros(2, 3)`. The dtype is float32 unless one is named, and the
random draws come from numpy's global generator.
"""

import needle as ndl


def rand(*shape, low=0.0, high=1.0, device=None, dtype="float32", requires_grad=False):
    """Uniform draws from [low, high)."""
    device = ndl.cpu() if device is None else device
    array = device.rand(*shape) * (high - low) + low
    return ndl.Tensor(array, device=device, dtype=dtype, requires_grad=requires_grad)


def randn(*shape, mean=0.0, std=1.0, device=None, dtype="float32", requires_grad=False):
    """Normal draws with the given mean and standard deviation."""
    device = ndl.cpu() if device is None else device
    array = device.randn(*shape) * std + mean
    return ndl.Tensor(array, device=device, dtype=dtype, requires_grad=requires_grad)


def constant(*shape, c=1.0, device=None, dtype="float32", requires_grad=False):
    """The value `c` everywhere."""
    device = ndl.cpu() if device is None else device
    array = device.full(shape, c, dtype=dtype)
    return ndl.Tensor(array, device=device, dtype=dtype, requires_grad=requires_grad)


def ones(*shape, device=None, dtype="float32", requires_grad=False):
    """Ones everywhere."""
    return constant(*shape, c=1.0, device=device, dtype=dtype, requires_grad=requires_grad)


def zeros(*shape, device=None, dtype="float32", requires_grad=False):
    """Zeros everywhere."""
    return constant(*shape, c=0.0, device=device, dtype=dtype, requires_grad=requires_grad)


def randb(*shape, p=0.5, device=None, dtype="bool", requires_grad=False):
    """True (or 1) with probability `p`, else False (or 0)."""
    device = ndl.cpu() if device is None else device
    array = device.rand(*shape) < p
    return ndl.Tensor(array, device=device, dtype=dtype, requires_grad=requires_grad)


def one_hot(n, i, device=None, dtype="float32", requires_grad=False):
    """Rows of the identity: a Tensor `i` of class indices below `n` gives the shape `i.shape + (n,)`."""
    device = ndl.cpu() if device is None else device
    array = device.one_hot(n, i.numpy().astype("int32"), dtype=dtype)
    return ndl.Tensor(array, device=device, dtype=dtype, requires_grad=requires_grad)


def zeros_like(array, *, device=None, requires_grad=False):
    """Zeros in the shape and dtype of the Tensor `array`."""
    device = array.device if device is None else device
    return zeros(*array.shape, dtype=array.dtype, device=device, requires_grad=requires_grad)


def ones_like(array, *, device=None, requires_grad=False):
    """Ones in the shape and dtype of the Tensor `array`."""
    device = array.device if device is None else device
    return ones(*array.shape, dtype=array.dtype, device=device, requires_grad=requires_grad)
