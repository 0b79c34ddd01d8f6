# ruff: noqa: F401
"""needle: a small deep-learning library with reverse-mode automatic differentiation."""

from . import init, ops
from .autograd import Tensor, TensorTuple, all_devices, cpu
from .init import ones, ones_like, zeros, zeros_like
from .ops import *
