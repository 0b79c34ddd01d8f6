"""Plain calls of hw0's functions on arrays."""

from __future__ import annotations

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

WEIGHTS = {"softmax_regression_epoch": ("theta",), "nn_epoch": ("W1", "W2")}


def add(code: Code, ask: Ask) -> None:
    """Add two numbers, or two arrays."""
    code.imported("from simple_ml import add")
    if ask.arguments.get("numbers"):
        x, y = ask.arguments["numbers"]
        code.add(f"x, y = {x!r}, {y!r}", "", "total = add(x, y)")
    else:
        code.add(*[f"{name} = {literals.array(one)}" for name, one in zip("xy", ask.arrays, strict=True)])
        code.add("", "total = add(x, y)")
        for title, one in (("the sum", "total"), ("x afterwards", "x"), ("y afterwards", "y")):
            code.numbers(title, one)
    code.facts["text"] = "repr(total)"
    code.facts["type"] = "type(total).__name__"


def parse_mnist(code: Code, ask: Ask) -> None:
    """Write two small files and parse them."""
    code.imported("from simple_ml import parse_mnist")
    code.files(("images", "labels"), ask.arrays)
    code.add("X, y = parse_mnist(images, labels)")
    code.facts["shapes"] = "[list(X.shape), list(y.shape)]"
    code.facts["dtypes"] = "[str(X.dtype), str(y.dtype)]"
    if ask.reply is None or ask.reply.arrays:
        code.numbers("X", "X")
        code.numbers("y", "y")


def softmax_loss(code: Code, ask: Ask) -> None:
    """Compute the loss."""
    code.imported("from simple_ml import softmax_loss")
    code.add(*[f"{name} = {literals.array(one)}" for name, one in zip("Zy", ask.arrays, strict=True)])
    code.add("", "loss = softmax_loss(Z, y)")
    for title, one in (("the loss", "loss"), ("Z afterwards", "Z"), ("y afterwards", "y")):
        code.numbers(title, one)


def epoch(code: Code, ask: Ask) -> None:
    """Train for one epoch; the weights are changed in place."""
    function = ask.arguments["function"]
    code.imported(f"from simple_ml import {function}")
    names = ("X", "y", *WEIGHTS[function])
    code.add(*[f"{name} = {literals.array(one)}" for name, one in zip(names, ask.arrays, strict=True)])
    given = f"{', '.join(names)}, {ask.arguments['lr']!r}, {ask.arguments['batch']!r}"
    code.add("", f"returned = {function}({given})")
    for name in names:
        code.numbers(f"{name} after the epoch", name)
    code.facts["returned"] = '"" if returned is None else type(returned).__name__'


PRINTERS = {
    "hw0.add": add,
    "hw0.parse_mnist": parse_mnist,
    "hw0.softmax_loss": softmax_loss,
    "hw0.epoch": epoch,
}
