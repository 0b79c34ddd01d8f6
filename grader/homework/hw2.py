"""hw2, a neural network library: what is graded.

hw1's ops and autograd come first, as advice, when something fails: most faults of a module that is right
lie there.
"""

from __future__ import annotations

from grader.homework import carried, data_checks, init_checks, log_checks, mlp_checks, nn_checks, optim_checks
from grader.homework.check import Homework, Question, together

# Points of the nine modules, and one for the modes.
MODULES = {
    "Linear": 6.0,
    "Flatten": 1.0,
    "ReLU": 1.0,
    "Sequential": 2.0,
    "SoftmaxLoss": 4.0,
    "BatchNorm1d": 8.0,
    "LayerNorm1d": 4.0,
    "Dropout": 3.0,
    "Residual": 2.0,
    "modes": 1.0,
}

# Subjects whose checks are quick share a worker.
INITIALISERS = ("xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal")
PLAIN = ("Linear", "Flatten", "ReLU", "Sequential", "SoftmaxLoss", "LayerNorm1d")
SWITCHED = ("Dropout", "Residual", "modes")
DATA = ("RandomFlipHorizontal", "RandomCrop", "MNISTDataset", "DataLoader", "NDArrayDataset")
NETWORK = ("ResidualBlock", "MLPResNet", "epoch")

QUESTIONS = (
    Question("forward", "hw1: forward computation", 0.0, carried.forward("forward"), on_failure=True),
    Question(
        "backward",
        "hw1: gradients of the ops",
        0.0,
        carried.backward("backward", "forward"),
        on_failure=True,
    ),
    Question("topo_sort", "hw1: topological sort", 0.0, carried.topo_sort("topo_sort"), on_failure=True),
    Question(
        "compute_gradient",
        "hw1: reverse-mode differentiation",
        0.0,
        carried.compute_gradient("compute_gradient"),
        on_failure=True,
    ),
    Question("init", "initial weights", 8.0, together(init_checks.initialisers("init"), INITIALISERS)),
    Question(
        "ops",
        "logarithms of sums of exponentials",
        10.0,
        together(log_checks.logarithms("ops"), ("LogSumExp", "LogSoftmax")),
    ),
    Question("nn", "modules", 32.0, together(nn_checks.modules("nn"), PLAIN, SWITCHED), MODULES),
    Question(
        "optim",
        "optimisers and memory",
        20.0,
        (*optim_checks.optim("optim"), *carried.budgets("optim", "backward")),
        {"SGD": 8.0, "Adam": 10.0, "graph": 2.0},
    ),
    Question(
        "data",
        "transforms, dataset and loader",
        15.0,
        together(data_checks.data("data"), DATA),
    ),
    Question(
        "mlp_resnet",
        "a residual network, trained",
        15.0,
        together(mlp_checks.mlp_resnet("mlp_resnet"), NETWORK),
    ),
)

HOMEWORK = Homework(
    "hw2",
    "a neural network library",
    QUESTIONS,
    modules=("needle", "mlp_resnet"),
    eager=("needle",),
    folders=("apps", "python", "", "src"),
)
