"""A dataset of arrays in memory. Given."""

from ..data_basic import Dataset


class NDArrayDataset(Dataset):
    """Samples are tuples with one row of each array."""

    def __init__(self, *arrays):
        super().__init__()
        self.arrays = arrays

    def __len__(self) -> int:
        return self.arrays[0].shape[0]

    def __getitem__(self, i) -> object:
        return tuple(array[i] for array in self.arrays)
