"""Plain calls of `apps/simple_ml.py`, and of the initialisers."""

from __future__ import annotations

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask


def softmax_loss(code: Code, ask: Ask) -> None:
    """Compute the loss, and its gradient if that was asked for."""
    code.imported("from simple_ml import softmax_loss")
    code.tensor("Z", ask.arrays[0])
    code.tensor("y_one_hot", ask.arrays[1])
    code.add("", "loss = softmax_loss(Z, y_one_hot)")
    code.numbers("the loss", "loss")
    if ask.arguments.get("gradient"):
        code.add("loss.backward()")
        code.numbers("Z.grad", "Z.grad")


def nn_epoch(code: Code, ask: Ask) -> None:
    """Train for one epoch."""
    images, labels, first, second = ask.arrays
    code.imported("from simple_ml import nn_epoch")
    code.need("alive", "numbers")
    code.add(f"X = {literals.array(images)}", f"y = {literals.array(labels)}")
    code.add("X_before, y_before = X.copy(), y.copy()")
    code.tensor("W1", first)
    code.tensor("W2", second)
    code.add(
        "",
        "before = alive()",
        f"new = nn_epoch(X, y, W1, W2, {ask.arguments['lr']!r}, {ask.arguments['batch']!r})",
        "made_alive = alive() - before",
    )
    code.numbers("the new W1", "new[0]")
    code.numbers("the new W2", "new[1]")
    code.numbers("X after the epoch", "X")
    code.numbers("y after the epoch", "y")
    code.facts["kinds"] = "[type(one).__name__ for one in new if not isinstance(one, Tensor)]"
    code.facts["alive"] = "made_alive"


def draw(code: Code, ask: Ask) -> None:
    """Call an initialiser under a known seed."""
    arguments = ask.arguments
    code.imported("import needle.init")
    made = literals.call(
        f"needle.init.{arguments['function']}", arguments["arguments"], arguments.get("keywords")
    )
    code.add(f"np.random.seed({arguments['seed']})", f"out = {made}")
    code.numbers("the result", "out")
    code.facts["requires_grad"] = "bool(out.requires_grad)"


PRINTERS = {"apps.softmax_loss": softmax_loss, "apps.nn_epoch": nn_epoch, "init.draw": draw}
