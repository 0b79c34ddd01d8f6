"""Plain calls of one op: its output, its gradient, its gradient's graph at another point."""

from __future__ import annotations

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

NAMES = "abcd"


def _inputs(code: Code, ask: Ask, count: int) -> list[str]:
    return [code.tensor(name, array) for name, array in zip(NAMES, ask.arrays[:count], strict=False)]


def _applied(code: Code, ask: Ask, names: list[str]) -> str:
    code.imported("import needle.ops")
    made = literals.call(f"needle.ops.{ask.arguments['op']}", ask.arguments["parameters"])
    return f"{made}({', '.join(names)})"


def forward(code: Code, ask: Ask) -> None:
    """Apply the op to the arrays."""
    names = _inputs(code, ask, len(ask.arrays))
    code.unchanged(names)
    code.add("", f"out = {_applied(code, ask, names)}")
    code.numbers("the output", "out")


def _gradients(code: Code, ask: Ask, arrays: int) -> list[str]:
    names = _inputs(code, ask, arrays - 1)
    code.tensor("out_grad", ask.arrays[arrays - 1])
    code.unchanged([*names, "out_grad"])
    code.add("", f"out = {_applied(code, ask, names)}")
    return names


def gradient(code: Code, ask: Ask) -> None:
    """Ask the op for its gradients."""
    names = _gradients(code, ask, len(ask.arrays))
    code.counted("gradients = out.op.gradient_as_tuple(out_grad, out)")
    for i, name in enumerate(names):
        code.numbers(f"the gradient for {name}", f"gradients[{i}]")


def replay(code: Code, ask: Ask) -> None:
    """Evaluate the gradient's graph for other numbers in the inputs and in out_grad."""
    half = len(ask.arrays) // 2
    names = _gradients(code, ask, half)
    code.facts.clear()  # another check's question
    code.add("gradients = out.op.gradient_as_tuple(out_grad, out)", "")
    code.need("again")
    code.add(
        "# a gradient made of tensor operations is a graph: with other numbers in its leaves it gives the",
        "# gradient there; one made of raw arrays still holds the numbers of the first point",
        "others = {",
    )
    for name, array in zip([*names, "out_grad"], ask.arrays[half:], strict=True):
        code.add(f"    id({name}): {literals.array(array)},")
    code.add("}")
    for i, name in enumerate(names):
        code.numbers(f"the gradient for {name} at the other point", f"again(gradients[{i}], others)")


PRINTERS = {"op.forward": forward, "op.gradient": gradient, "op.replay": replay}
