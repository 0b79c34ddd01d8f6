"""Datasets that come with needle."""

from .mnist_dataset import *
from .ndarray_dataset import *
