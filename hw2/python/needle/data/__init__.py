"""Datasets, transforms, and the loader that makes batches of them."""

from .data_basic import *
from .data_transforms import *
from .datasets import *
