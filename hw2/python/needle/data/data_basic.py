"""The base of all datasets, and the loader."""

import numpy as np

from ..autograd import Tensor


class Dataset:
    """Samples by index. `transforms` is a list of functions that are applied to an image, or None."""

    def __init__(self, transforms: list | None = None):
        self.transforms = transforms

    def __getitem__(self, index) -> object:
        """The sample at `index`."""
        raise NotImplementedError()

    def __len__(self) -> int:
        """Number of samples."""
        raise NotImplementedError()

    def apply_transforms(self, x):
        """`x` after all transforms, in their order."""
        for transform in self.transforms or []:
            x = transform(x)
        return x


class DataLoader:
    """Batches of a dataset; each pass over the loader sees every sample once.

    With `shuffle` every pass has a fresh order, drawn from numpy's global generator. The last batch is short
    when `batch_size` does not divide the number of samples. A pass that is left early does not affect the
    next one.
    """

    def __init__(self, dataset: Dataset, batch_size: int = 1, shuffle: bool = False):
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle

    def __iter__(self):
        """Start a pass: an iterator over batches, each a tuple of Tensors with the batch as first axis."""
        ### BEGIN YOUR SOLUTION
        raise NotImplementedError()
        ### END YOUR SOLUTION
