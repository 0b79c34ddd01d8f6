"""hw0, softmax regression and a two-layer network without a framework: what is graded."""

from __future__ import annotations

from grader.homework import epoch_checks, extension_checks, hw0_checks, mnist_checks
from grader.homework.check import Homework, Question

QUESTIONS = (
    Question("add", "adding two numbers", 10.0, hw0_checks.add("add")),
    Question("parse_mnist", "reading MNIST", 20.0, mnist_checks.parse_mnist("parse_mnist")),
    Question("softmax_loss", "softmax loss", 10.0, hw0_checks.softmax_loss("softmax_loss")),
    Question(
        "softmax_regression_epoch",
        "softmax regression",
        20.0,
        epoch_checks.checks("softmax_regression_epoch", epoch_checks.REGRESSION),
    ),
    Question(
        "nn_epoch",
        "training a two-layer network",
        20.0,
        epoch_checks.checks("nn_epoch", epoch_checks.TWO_LAYER),
    ),
    Question(
        "softmax_regression_epoch_cpp",
        "softmax regression in C++",
        20.0,
        extension_checks.checks("softmax_regression_epoch_cpp"),
    ),
)

HOMEWORK = Homework(
    "hw0",
    "softmax regression without a framework",
    QUESTIONS,
    modules=("simple_ml",),
    eager=(),
    folders=("src", ""),
    extension=extension_checks.EXTENSION,
)
