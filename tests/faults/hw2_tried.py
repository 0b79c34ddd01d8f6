"""The fault table of hw2: what people who planted faults for a trial thought of."""

from __future__ import annotations

from tests.faults.hw2_source import altered, lost, named
from tests.faults.model import Fault

FLIPPED = "return img[:, ::-1, :] if flip_img else img"

FAULTS = [
    Fault(
        "flip-in-place",
        "a transform changes its image",
        lost(
            "data.RandomFlipHorizontal.values",
            says=("RandomFlipHorizontal changes the image that it is given",),
            consequences=("data.RandomFlipHorizontal.*",),
        ),
        altered(
            "RandomFlipHorizontal.__call__",
            (FLIPPED, "if flip_img:\n        img[...] = img[:, ::-1, :].copy()\n    return img"),
        ),
    ),
    Fault(
        "sgd-stops-at-none",
        "a parameter without gradient ends the step",
        named("optim.SGD.none", "sgd-none-ends-the-step", "go on with the others"),
        altered("SGD.step", ("continue", "break")),
    ),
    Fault(
        "train-decay-by-position",
        "train_mnist: weight decay by position",
        lost("mlp_resnet.train_mnist.arguments", says=("beta1, is given weight_decay", "by their names")),
        altered(
            "train_mnist",
            (
                "optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)",
                "optimizer(model.parameters(), lr, weight_decay)",
            ),
        ),
    ),
]
