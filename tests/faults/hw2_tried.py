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
        "carried-op",
        "an op of hw1 that hw2 does not use is wrong",
        lost(
            "optim.graph.EWisePow",
            says=("backward.EWisePow.gradient comes first",),
            consequences=("backward.EWisePow.*",),
        ),
        altered("EWisePow.gradient", ("log(a)", "log(b)")),
    ),
    Fault(
        "test-labels-of-train",
        "train_mnist tests with other labels",
        lost(
            "mlp_resnet.train_mnist.results",
            says=("the labels of the training set", "t10k-labels-idx1-ubyte.gz"),
        ),
        altered("train_mnist", ('f"{name}-labels', '"train-labels')),
    ),
    Fault(
        "tested-on-train",
        "train_mnist tests on the training data",
        lost("mlp_resnet.train_mnist.results", says=("the test pass goes over the training data",)),
        altered("train_mnist", ('("train", "t10k")', '("train", "train")')),
    ),
    Fault(
        "step-after-the-loop",
        "epoch steps once in a pass",
        lost(
            "mlp_resnet.epoch.training",
            says=("the optimiser steps 1 times", "once in every batch", "inside the loop"),
        ),
        altered(
            "epoch",
            ("            opt.step()\n", ""),
            ("    return errors", "    if opt is not None:\n        opt.step()\n    return errors"),
        ),
    ),
    Fault(
        "optimizer-ignored",
        "train_mnist does not use the optimiser that it is given",
        lost("mlp_resnet.train_mnist.arguments", says=("`optimizer` is not used", "opt = optimizer(")),
        altered("train_mnist", ("opt = optimizer(", "opt = ndl.optim.Adam(")),
    ),
    Fault(
        "logsoftmax-of-quotient",
        "LogSoftmax takes the log of a quotient",
        lost(
            "ops.LogSoftmax.stable", says=("is not stable: -inf", "log of a quotient"), consequences=("nn.*",)
        ),
        altered(
            "LogSoftmax.compute",
            (
                "return shifted - array_api.log(array_api.sum(array_api.exp(shifted), axis=1, keepdims=True))",
                "e = array_api.exp(shifted)\n    return array_api.log(e / array_api.sum(e, axis=1, keepdims=True))",
            ),
        ),
    ),
    Fault(
        "labels-header",
        "MNISTDataset: the labels' header is taken for an image file's",
        named(
            "data.MNISTDataset.values",
            "mnist-label-header",
            "the labels begin 8 labels late",
            "MNISTDataset.__init__",
            consequences=("data.MNISTDataset.*",),
        ),
        altered("MNISTDataset.__init__", ("file.read(8)", "file.read(16)")),
    ),
    Fault(
        "crop-from-behind",
        "a crop's end is counted from the back",
        named("data.RandomCrop.values", "crop-end-from-behind", "a slice `a:0` is empty"),
        {
            "RandomCrop.__call__": """
def __call__(self, img):
    x, y = np.random.randint(low=-self.padding, high=self.padding + 1, size=2)
    big = np.pad(img, ((self.padding,) * 2, (self.padding,) * 2, (0, 0)))
    return big[self.padding + x : x - self.padding, self.padding + y : y - self.padding]
"""
        },
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
    Fault(
        "optimizer-in-every-epoch",
        "train_mnist makes an optimiser in every epoch",
        lost("mlp_resnet.train_mnist.arguments", says=("made in every epoch", "before the loop")),
        altered(
            "train_mnist",
            (
                "epoch(train_loader, model, opt)",
                "epoch(train_loader, model, optimizer(model.parameters(), lr=lr, weight_decay=weight_decay))",
            ),
        ),
    ),
    Fault(
        "decay-not-handed-on",
        "train_mnist does not hand weight_decay on",
        lost("mlp_resnet.train_mnist.arguments", says=("made with weight_decay=0.0, not with the argument",)),
        altered("train_mnist", (", weight_decay=weight_decay)", ")")),
    ),
    Fault(
        "bias-spread-by-numpy",
        "Linear leaves the spreading of its bias to numpy",
        lost(
            "nn.Linear.gradient", says=("unlike bias itself", "`ops.broadcast_to` it"), consequences=("nn.*",)
        ),
        altered("Linear.forward", ("self.bias.broadcast_to(out.shape)", "self.bias")),
    ),
    Fault(
        "permutation-dropped",
        "DataLoader drops what np.random.permutation returns",
        lost(
            "data.DataLoader.shuffle",
            says=("shuffle=True does not shuffle", "returns a new array"),
            consequences=("data.DataLoader.*",),
        ),
        altered(
            "DataLoader.__iter__",
            (
                "order = np.random.permutation(count) if self.shuffle else np.arange(count)",
                "order = np.arange(count)\n    if self.shuffle:\n        np.random.permutation(order)",
            ),
        ),
    ),
    Fault(
        "maximum-over-axis-0",
        "LogSoftmax takes the maximum over axis 0",
        named(
            "ops.LogSoftmax.forward",
            "logsoftmax-maximum-axis",
            "each row has its own",
            consequences=("ops.*",),
        ),
        altered(
            "LogSoftmax.compute",
            ("array_api.max(Z, axis=1, keepdims=True)", "array_api.max(Z, axis=0, keepdims=True)"),
        ),
    ),
    Fault(
        "maximum-of-all-rows",
        "LogSoftmax takes one maximum for all rows",
        lost("ops.LogSoftmax.stable", says=("not that of the whole array",), consequences=("ops.*",)),
        altered("LogSoftmax.compute", ("array_api.max(Z, axis=1, keepdims=True)", "array_api.max(Z)")),
    ),
    Fault(
        "adam-m-stored",
        "Adam stores the corrected m back",
        named(
            "optim.Adam.values",
            "adam-m-correction-stored",
            "the corrected m is stored back",
            consequences=("optim.Adam.*",),
        ),
        altered("Adam.step", ("    m_hat =", "    m_hat = self.m[p] =")),
    ),
]
