"""Images and labels in MNIST's format."""

import gzip
import struct

import numpy as np

from ..data_basic import Dataset


class MNISTDataset(Dataset):
    """A pair of gzipped IDX files: images float32 in [0, 1], labels uint8.

    Samples are `(image, label)`. An int gives one image `(28, 28, 1)`; a slice or an array of indices gives
    images `(count, 28, 28, 1)` and labels `(count,)`. The transforms see one image `(28, 28, 1)` at a time.
    """

    def __init__(self, image_filename: str, label_filename: str, transforms: list | None = None):
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def __getitem__(self, index) -> object:
        """Image and label at `index` (int, slice or array), after the transforms."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION

    def __len__(self) -> int:
        """Number of images."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION
