"""All ops, as classes and as functions."""

from .ops_mathematic import *
from .ops_tuple import *
