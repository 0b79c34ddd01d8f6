"""All ops, as classes and as functions."""

from .ops_logarithmic import *
from .ops_mathematic import *
from .ops_tuple import *
