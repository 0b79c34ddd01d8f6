"""The fault table of hw2: what is given and not used as it is: dtypes, odd sizes, negative indices, modules."""

from __future__ import annotations

from tests.faults.hw2_source import altered, lost
from tests.faults.model import Fault, fine

NARROW_ROW = "float64 from a transform, the dataset or the loader"
DTYPE_ROW = "a module drops its dtype"
PADDED = "padded = np.pad(img, (border, border, (0, 0)))"
ZEROS = (
    "padded = np.zeros((height + 2 * self.padding, width + 2 * self.padding, img.shape[2]))\n"
    "    padded[self.padding:self.padding + height, self.padding:self.padding + width] = img"
)
BY_RANGE = (
    "images = self.images[index]",
    "if isinstance(index, slice):\n"
    "        stop = len(self) if index.stop is None else index.stop\n"
    "        index = list(range(index.start or 0, stop, index.step or 1))\n"
    "    images = self.images[index]",
)


def _narrow(id_: str, check: str, says: str, name: str, *replaced: tuple[str, str]) -> Fault:
    return Fault(
        id_, NARROW_ROW, fine(advice=(f"data.{check}.dtype",), advice_says=(says,)), altered(name, *replaced)
    )


def _drops_dtype(module: str, says: str, old: str, new: str) -> Fault:
    return Fault(
        f"{module.lower()}-drops-dtype",
        DTYPE_ROW,
        fine(advice=(f"nn.{module}.dtype",), advice_says=(f"{module} does not use its dtype", says)),
        altered(f"{module}.__init__", (old, new)),
    )


FAULTS = [
    _narrow(
        "crop-float64",
        "RandomCrop",
        "RandomCrop turns a float32 image into float64",
        "RandomCrop.__call__",
        (PADDED, ZEROS),
    ),
    _narrow(
        "loader-float64",
        "DataLoader",
        "DataLoader: the batches of a float32 dataset are float64",
        "DataLoader.__iter__",
        ("np.stack(column)", "np.array(column, dtype=float if np.ndim(column[0]) else None)"),
    ),
    _narrow(
        "dataset-float64-transformed",
        "MNISTDataset",
        "MNISTDataset gives float64 images",
        "MNISTDataset.__getitem__",
        ("np.array(transformed, dtype=np.float32)", "np.array(transformed, dtype=float)"),
    ),
    Fault(
        "dataset-not-negative",
        "dataset indexing by negative slices",
        fine(advice=("data.MNISTDataset.negative",), advice_says=("dataset[-2:]",)),
        altered("MNISTDataset.__getitem__", BY_RANGE),
    ),
    _drops_dtype("Linear", "weight comes in float32", '"dtype": dtype', '"dtype": "float32"'),
    _drops_dtype("LayerNorm1d", "bias comes in float32", "zeros(dim, device=device, dtype=dtype)", "zeros(dim)"),
    _drops_dtype(
        "BatchNorm1d", "running_var comes in float32", "self.running_var = init.ones(dim, **kwargs)",
        "self.running_var = init.ones(dim)",
    ),
    Fault(
        "sequential-modules-renamed",
        "Sequential without `.modules`",
        fine(advice=("nn.Sequential.modules",), advice_says=("does not keep its modules in `.modules`",)),
        {
            **altered("Sequential.__init__", ("self.modules", "self.layers")),
            **altered("Sequential.forward", ("self.modules", "self.layers")),
        },
    ),
    Fault(
        "network-half-rounded-up",
        "odd hidden_dim // 2",
        lost("mlp_resnet.MLPResNet.structure", says=("(13, 7)", "(13, 6)")),
        altered("MLPResNet", ("hidden_dim // 2", "-(-hidden_dim // 2)")),
    ),
]  # fmt: skip
