"""hw2, a neural network library: what is graded.

hw1's ops and autograd come first, as advice: most faults of a module that is right lie there.
"""

from __future__ import annotations

from grader.homework import carried, init_checks, log_checks, nn_checks, optim_checks
from grader.homework.check import Homework, Question

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

QUESTIONS = (
    Question("forward", "forward computation, carried over from hw1", 0.0, carried.forward("forward")),
    Question(
        "backward",
        "gradients of the ops, carried over from hw1",
        0.0,
        carried.backward("backward", "forward"),
    ),
    Question("autograd", "reverse-mode differentiation, carried over from hw1", 0.0, carried.autograd()),
    Question("init", "initial weights", 8.0, init_checks.initialisers("init")),
    Question("ops", "logarithms of sums of exponentials", 10.0, log_checks.logarithms("ops")),
    Question("nn", "modules", 32.0, nn_checks.modules("nn"), MODULES),
    Question(
        "optim",
        "optimisers and memory",
        20.0,
        (*optim_checks.optim("optim"), *carried.budgets("optim", "backward")),
        {"SGD": 8.0, "Adam": 10.0, "graph": 2.0},
    ),
)

HOMEWORK = Homework(
    "hw2",
    "a neural network library",
    QUESTIONS,
    modules=("needle",),
    eager=("needle",),
    folders=("apps", "python", "", "src"),
)
