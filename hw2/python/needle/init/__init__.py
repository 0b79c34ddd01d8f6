"""Tensors to start from: constants, random draws, initial weights."""

from .init_basic import *
from .init_initializers import *
