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
        super().__init__(transforms)
        with gzip.open(image_filename, "rb") as file:
            _, count, rows, columns = struct.unpack(">4I", file.read(16))
            pixels = np.frombuffer(file.read(), dtype=np.uint8).reshape(count, rows, columns, 1)
        with gzip.open(label_filename, "rb") as file:
            file.read(8)
            self.labels = np.frombuffer(file.read(), dtype=np.uint8)
        self.images = pixels.astype(np.float32) / np.float32(255)
        ### END YOUR SOLUTION

    def __getitem__(self, index) -> object:
        """Image and label at `index` (int, slice or array), after the transforms."""
        ### BEGIN YOUR SOLUTION
        images = self.images[index]
        if images.ndim == 3:
            return self.apply_transforms(images), self.labels[index]
        transformed = [self.apply_transforms(image) for image in images]
        return np.array(transformed, dtype=np.float32).reshape(images.shape), self.labels[index]
        ### END YOUR SOLUTION

    def __len__(self) -> int:
        """Number of images."""
        ### BEGIN YOUR SOLUTION
        return len(self.images)
        ### END YOUR SOLUTION
