"""The fault table of hw0: sizes that are taken for granted: of the images, of the classes."""

from __future__ import annotations

from tests.faults.hw0_source import PARSE_ROW, REGRESSION, TWO_LAYER, advised, altered, failing, python
from tests.faults.model import Fault

CLASSES_ROW = "hw0 epochs: classes counted from the labels"


def _classes(name: str, one_hot: str, old: str) -> Fault:
    return python(
        f"{name}-classes-of-labels",
        CLASSES_ROW,
        altered(name, (old, one_hot)),
        advised(f"{name}.{name}.classes", "where the largest class is not among the labels"),
    )


FAULTS = [
    python(
        "parse-fixed-sides",
        PARSE_ROW,
        altered("parse_mnist", ("reshape(count, rows * columns)", "reshape(count, 784)")),
        advised("parse_mnist.parse_mnist.sides", "with images of 20 by 24 pixels", "the header of the file"),
    ),
    _classes(REGRESSION, "G -= np.eye(y.max() + 1)[y_batch]", "G[np.arange(len(y_batch)), y_batch] -= 1"),
    _classes(TWO_LAYER, "G2 -= np.eye(y.max() + 1)[y_batch]", "G2[np.arange(len(y_batch)), y_batch] -= 1"),
    python(
        "regression-classes-of-batch",
        CLASSES_ROW,
        altered(
            REGRESSION,
            ("G[np.arange(len(y_batch)), y_batch] -= 1", "G -= np.eye(y_batch.max() + 1)[y_batch]"),
        ),
        failing(REGRESSION, "raised ValueError"),
    ),
]
