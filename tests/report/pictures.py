"""Pictures as plain data, as a worker would tell them: a leak, a budget broken, a hostile one."""

from __future__ import annotations

from typing import Any

HOSTILE = "</text><script>alert(1)</script>\"'&\x1b[31m\u202e\x00"


def node(n: int, **more: Any) -> dict[str, Any]:
    """A node of step 3, forward, in Linear, as far as `more` does not say otherwise."""
    plain = {"step": 3, "phase": "forward", "op": "MatMul", "shape": [3, 2], "inputs": [], "layer": "Linear"}
    place = {"file": "needle/nn.py", "function": "Linear.forward", "line": 7}
    return {"n": n, **plain, **place, "of": None, "alive": False, **more}


def picture(**more: Any) -> dict[str, Any]:
    """A step that lets everything go: two nodes forward, two backward, one of the optimiser."""
    nodes = [
        node(100, inputs=[-1]),
        node(101, op="Summation", inputs=[100], layer=""),
        node(102, op="BroadcastTo", phase="backward", of=101, function="Summation.gradient", layer=""),
        node(103, op="MatMul", phase="backward", of=100, inputs=[102], layer=""),
        node(104, op="", phase="step", function="Adam.step", layer="", alive=True),
    ]
    plain = {
        "step": 3,
        "layers": ["Linear"],
        "given": [{"name": "Linear.weight", "shape": [4, 2]}],
        "alive": [9, 9, 9],
        "holders": [],
        "held": [],
        "nodes": nodes,
        "model": "Linear",
        "optimiser": "Adam",
        "subject": "",
        "growth": 0.0,
        "reference": [8, 8, 8],
        "budgets": {"Summation": 3, "MatMul": 3},
    }
    return plain | more


def leaking(steps: int = 5, each: int = 9) -> dict[str, Any]:
    """`Norm.mean` holds a chain through all steps: the first node of each refers to that of the one before."""
    nodes = []
    for step in range(1, steps + 1):
        for i in range(each):
            nodes.append(node(1000 - 10 * (steps - step) - i, step=step, alive=True))
    numbers = [one["n"] for one in nodes]
    for k, one in enumerate(nodes):
        step, i = divmod(k, each)
        inside = [numbers[k + 1]] if i + 1 < each else []
        older = [numbers[(step - 1) * each]] if i == 0 and step else []
        one["inputs"] = inside + older
    held = [["Norm.mean", numbers[-each]]]
    return picture(
        step=steps,
        nodes=sorted(nodes, key=lambda one: one["n"]),
        held=held,
        holders=[{"name": "Norm.mean", "nodes": each * (steps - 1)}],
        alive=[each * step for step in range(1, steps + 1)],
        growth=float(each),
    )


def hostile() -> dict[str, Any]:
    """A leak in which every text is an attack on the page."""
    one = leaking()
    for each in one["nodes"]:
        each |= {"op": HOSTILE, "function": HOSTILE, "layer": HOSTILE, "file": HOSTILE}
    names = {
        "layers": [HOSTILE],
        "holders": [{"name": HOSTILE, "nodes": 36}],
        "held": [[HOSTILE, n] for _, n in one["held"]],
        "given": [{"name": HOSTILE, "shape": None}],
    }
    return one | names
