"""The fault table of hw2: modules that fit the first batch only, and numbers that become float64."""

from __future__ import annotations

from tests.faults.hw2_source import altered, lost
from tests.faults.model import Fault

SIZE_ROW = "state that fits only one batch size"
WIDE_ROW = "`Tensor` float32 turned float64"


def _first_batch(module: str, old: str, new: str, *says: str) -> Fault:
    says = (f"{module} does not work for a batch of", *says)
    return Fault(
        f"{module.lower()}-first-batch",
        SIZE_ROW,
        lost(f"nn.{module}.hygiene", says=says, consequences=(f"nn.{module}.*", "optim.*")),
        altered(f"{module}.forward", (old, new)),
    )


FAULTS = [
    _first_batch(
        "LayerNorm1d",
        "batch, dim = x.shape",
        "self.shape = batch, dim = getattr(self, 'shape', x.shape)",
        "rows after one of",
        "keep no batch size",
    ),
    _first_batch(
        "BatchNorm1d",
        "batch = x.shape[0]",
        "batch = self.batch = getattr(self, 'batch', x.shape[0])",
    ),
    _first_batch(
        "Linear",
        "self.bias.broadcast_to(out.shape)",
        "self.bias.broadcast_to(self.__dict__.setdefault('shape', out.shape))",
    ),
    _first_batch(
        "Dropout",
        "mask = init.randb(*x.shape,",
        "mask = init.randb(*self.__dict__.setdefault('shape', x.shape),",
    ),
    _first_batch(
        "Residual",
        "return self.fn(x) + x",
        "return self.fn(x) + x.broadcast_to(self.__dict__.setdefault('shape', x.shape))",
    ),
    Fault(
        "batchnorm-statistics-float64",
        WIDE_ROW,
        lost(
            "nn.BatchNorm1d.hygiene",
            says=("BatchNorm1d.running_mean is float64 after a float32 batch in training, expected float32",),
        ),
        altered(
            "BatchNorm1d.forward",
            (
                "self.momentum * mean.data",
                "self.momentum * Tensor(mean.numpy().astype(float), dtype='float64')",
            ),
        ),
    ),
]
