"""Plain calls of `find_topo_sort` and `compute_gradient_of_variables` on graphs of the script's own ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

OPS = {"add": "Add", "multiply": "Multiply", "scale": "Scale", "sine": "Sine"}
MOST_LINES = 40


def _graph(code: Code, program: Sequence[Sequence[Any]], leaves: int) -> None:
    """Add the lines that build a graph, its nodes x0, x1, …; long chains as a loop over a table."""
    for name, *_ in program:
        code.need(OPS[name])
    if len(program) <= MOST_LINES:
        for i, (name, inputs, *parameters) in enumerate(program, leaves):
            arguments = ", ".join(f"x{at}" for at in inputs)
            code.add(f"x{i} = {literals.call(OPS[name], parameters)}({arguments})")
        code.add(f"nodes = [{', '.join(f'x{i}' for i in range(leaves + len(program)))}]")
        return
    ops = ", ".join(f"{name!r}: {OPS[name]}" for name in dict.fromkeys(name for name, *_ in program))
    code.add(
        f"nodes = [{', '.join(f'x{i}' for i in range(leaves))}]",
        f"ops = {{{ops}}}",
        f"program = {[[name, list(inputs), *parameters] for name, inputs, *parameters in program]!r}",
        "for name, inputs, *parameters in program:",
        "    nodes.append(ops[name](*parameters)(*[nodes[i] for i in inputs]))",
    )


def sort(code: Code, ask: Ask) -> None:
    """Sort a graph."""
    code.imported("from needle.autograd import find_topo_sort")
    for i, array in enumerate(ask.arrays):
        code.tensor(f"x{i}", array)
    _graph(code, ask.arguments["program"], len(ask.arrays))
    outputs = "[" + ", ".join(f"nodes[{i}]" for i in ask.arguments["outputs"]) + "]"
    if ask.arguments.get("count"):
        code.need("steps_of")
        code.add("", f"steps = steps_of(find_topo_sort, {outputs})")
        code.facts["steps"] = "steps"
        return
    code.add(
        "",
        f"order = find_topo_sort({outputs})",
        "position = {id(node): i for i, node in enumerate(nodes)}",
    )
    code.facts["order"] = "[position.get(id(node), -1) for node in order]"


def gradients(code: Code, ask: Ask) -> None:
    """Differentiate the last node of a graph."""
    leaves, wanted = ask.arguments["leaves"], ask.arguments["wanted"]
    names = [code.tensor(f"x{i}", array) for i, array in enumerate(ask.arrays[:leaves])]
    code.tensor("out_grad", ask.arrays[leaves])
    _graph(code, ask.arguments["program"], leaves)
    code.add("")
    code.counted(_call(code, ask.arguments.get("by", "function"), "nodes[-1]"))
    if ask.arguments.get("twice"):
        code.add("# the gradient is a graph itself, and can be differentiated in its turn")
        code.add(_call(code, "function", "x0.grad"))
    if ask.arguments.get("again"):
        code.need("again")
        code.add("# the gradients' graphs, for other numbers in the leaves", "others = {")
        for name, array in zip([*names, "out_grad"], ask.arrays[leaves + 1 :], strict=True):
            code.add(f"    id({name}): {literals.array(array)},")
        code.add("}")
    code.facts["missing"] = f"[i for i in {list(wanted)} if nodes[i].grad is None]"
    missing = set((ask.reply.values.get("missing") or []) if ask.reply else [])
    for i in wanted:
        if i not in missing:
            title = f"x{i}.grad at the other point" if ask.arguments.get("again") else f"x{i}.grad"
            one = f"nodes[{i}].grad"
            code.numbers(title, f"again({one}, others)" if ask.arguments.get("again") else one)


def _call(code: Code, by: str, output: str) -> str:
    if by == "backward":
        return f"{output}.backward(out_grad)"
    if by == "default":
        return f"{output}.backward()"
    code.imported("from needle.autograd import compute_gradient_of_variables")
    return f"compute_gradient_of_variables({output}, out_grad)"


PRINTERS = {"autograd.sort": sort, "autograd.gradients": gradients}
