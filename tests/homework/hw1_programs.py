"""Wrong programs of hw1's functions: the sort, reverse-mode differentiation, the loss, the epoch, a sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.faults.hw1_autograd import BY_PATHS
from tests.faults.hw1_axes import TUPLES_ONLY


@dataclass(frozen=True)
class Program:
    """A wrong program: its functions, the checks that fail, words of the first one's text."""

    id: str
    fails: tuple[str, ...]
    solutions: Mapping[str, str]
    says: str = ""


ORDER, OUTPUTS, GROWTH, DEPTH = (
    f"topo_sort.find_topo_sort.{kind}" for kind in ("order", "outputs", "growth", "depth")
)
VALUES, INNER, SECOND = (
    f"compute_gradient.compute_gradient_of_variables.{kind}" for kind in ("values", "inner", "second_order")
)

STACK = """
def find_topo_sort(node_list):
    order, stack = [], [(node, False) for node in reversed(node_list)]
    while stack:
        node, done = stack.pop()
        if not done:
            stack.append((node, True))
            stack.extend((value, False) for value in reversed(node.inputs))
        elif node not in order:
            order.append(node)
    return order
"""
FRESH_VISITED = """
def find_topo_sort(node_list):
    order = []
    for node in node_list:
        topo_sort_dfs(node, set(), order)
    return order
"""
REVERSED = """
def find_topo_sort(node_list):
    visited, order = set(), []
    for node in node_list:
        topo_sort_dfs(node, visited, order)
    return order[::-1]
"""
BREADTH_FIRST = """
def find_topo_sort(node_list):
    order, queue = [], list(node_list)
    while queue:
        node = queue.pop(0)
        if node not in order:
            order.append(node)
            queue.extend(node.inputs)
    return order[::-1]
"""
DUPLICATES = """
def topo_sort_dfs(node, visited, topo_order):
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
    topo_order.append(node)
"""
SHALLOW = """
def topo_sort_dfs(node, visited, topo_order, depth=0):
    if node in visited or depth > 50:
        return
    visited.add(node)
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order, depth + 1)
    topo_order.append(node)
"""


def _walk(
    total: str, store: str = "table.setdefault(value, []).append(grad)", first: str = "out_grad"
) -> dict[str, str]:
    source = f"""
def compute_gradient_of_variables(output_tensor, out_grad):
    table = {{output_tensor: [{first}]}}
    for node in reversed(find_topo_sort([output_tensor])):
        {total}
        if node.op is None:
            continue
        for value, grad in zip(node.inputs, node.op.gradient_as_tuple(total, node)):
            {store}
"""
    return {"compute_gradient_of_variables": source}


SUM = "node.grad = total = sum_node_list(table[node])"
ADDS_TO_EARLIER = """
        total = sum_node_list(table[node])
        node.grad = total if getattr(node, "grad", None) is None else node.grad + total
""".strip()
LEAVES_ONLY = """
        total = sum_node_list(table[node])
        if node.op is None:
            node.grad = total
""".strip()


def _loss(expression: str) -> dict[str, str]:
    return {"softmax_loss": f"def softmax_loss(Z, y_one_hot):\n    return {expression}\n"}


LOG_SUM = "ndl.log(ndl.exp(Z).sum((1,))).sum()"
EPOCH = """
def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for start in range(0, len(X), batch):
        x, t = X[start : start + batch], y[start : start + batch]
        target = ndl.Tensor(np.eye(W2.shape[1])[t])
        softmax_loss(ndl.relu(ndl.Tensor(x) @ W1) @ W2, target).backward()
        {update}
    return {result}
"""


def _epoch(update: str, result: str = "W1, W2") -> dict[str, str]:
    return {"nn_epoch": EPOCH.format(update=update, result=result)}


STEP = "W1, W2 = [ndl.Tensor(w.numpy() - lr * w.grad.numpy()) for w in (W1, W2)]"
RELU_NAN = """
def gradient(self, out_grad, node):
    return out_grad * (node / node.inputs[0])
"""

PROGRAMS = [
    Program(
        "gradient-by-paths",
        ("compute_gradient.compute_gradient_of_variables.growth",),
        {"compute_gradient_of_variables": BY_PATHS},
        "doubles per layer",
    ),
    Program("sort-stack", (GROWTH,), {"find_topo_sort": STACK}, "visits double per layer"),
    Program("sort-fresh-visited", (OUTPUTS,), {"find_topo_sort": FRESH_VISITED}, "every node comes once"),
    Program("sort-reversed", (ORDER,), {"find_topo_sort": REVERSED}, "before its input"),
    Program("sort-breadth-first", (ORDER,), {"find_topo_sort": BREADTH_FIRST}, "order"),
    Program("sort-duplicates", (ORDER,), {"topo_sort_dfs": DUPLICATES}, "every node comes once"),
    Program("sort-shallow", (DEPTH,), {"topo_sort_dfs": SHALLOW}, "chain of 300"),
    Program("walk-overwrites", (VALUES,), _walk(SUM, "table[value] = [grad]"), "summed"),
    Program(
        "walk-ignores-out-grad", (VALUES,), _walk(SUM, first="needle.init.ones_like(out_grad)"), "out_grad"
    ),
    Program("walk-leaves-only", (INNER,), _walk(LEAVES_ONLY), "unset"),
    Program(
        "walk-detaches",
        (SECOND,),
        _walk("node.grad = total = sum_node_list(table[node]).detach()"),
        "detached",
    ),
    Program("walk-adds-to-earlier", (SECOND,), _walk(ADDS_TO_EARLIER), "anew"),
    Program(
        "loss-wrong-axis",
        ("softmax_loss.softmax_loss.values",),
        _loss("(ndl.log(ndl.exp(Z).sum((0,))).sum() - (Z * y_one_hot).sum()) / Z.shape[0]"),
    ),
    Program(
        "loss-detached",
        ("softmax_loss.softmax_loss.gradient",),
        _loss(f"(({LOG_SUM} - (Z * y_one_hot).sum()) / Z.shape[0]).detach()"),
        "Z",
    ),
    Program("epoch-second-weight", ("nn_epoch.nn_epoch.values",), _epoch(f"W1 = {STEP[8:]}[0]"), "W2"),
    Program(
        "epoch-keeps-graph",
        ("nn_epoch.nn_epoch.growth",),
        _epoch("W1, W2 = W1 - lr * W1.grad, W2 - lr * W2.grad"),
        "graph",
    ),
    Program("epoch-swapped", ("nn_epoch.nn_epoch.values",), _epoch(STEP, "W2, W1"), "W1"),
    Program("sum-tuples-only", ("forward.Summation.int_axis",), {"Summation.compute": TUPLES_ONLY}, "tuple"),
    Program("relu-nan", ("nn_epoch.ReLU.kink",), {"ReLU.gradient": RELU_NAN}, "x = 0"),
]
