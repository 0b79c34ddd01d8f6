"""Faults of the graph walk, of reverse-mode differentiation, and of the two functions in `apps/`."""

from tests.faults.model import Expect, Fault, fine

DESCENDS_FIRST = """
def topo_sort_dfs(node, visited, topo_order):
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
    if node not in visited:
        visited.add(node)
        topo_order.append(node)
"""

HANDS_ONE_ON = """
def compute_gradient_of_variables(output_tensor, out_grad):
    contributions = {{output_tensor: [out_grad]}}
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = sum_node_list(contributions[node])
        if node.op is not None:
            handed = node.op.gradient_as_tuple(contributions[node][{}], node)
            for value, one in zip(node.inputs, handed):
                contributions.setdefault(value, []).append(one)
"""

NO_VISITED = """
def topo_sort_dfs(node, visited, topo_order):
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
    topo_order.append(node)
"""

PRE_ORDER = """
def topo_sort_dfs(node, visited, topo_order):
    if node in visited:
        return
    visited.add(node)
    topo_order.append(node)
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
"""

BY_PATHS = """
def compute_gradient_of_variables(output_tensor, out_grad):
    for node in find_topo_sort([output_tensor]):
        node.grad = None

    def send(node, contribution):
        node.grad = contribution if node.grad is None else node.grad + contribution
        if node.op is not None:
            for value, one in zip(node.inputs, node.op.gradient_as_tuple(contribution, node)):
                send(value, one)

    send(output_tensor, out_grad)
"""

RIGHT_TO_LEFT = """
def topo_sort_dfs(node, visited, topo_order):
    if node in visited:
        return
    visited.add(node)
    for value in reversed(node.inputs):
        topo_sort_dfs(value, visited, topo_order)
    topo_order.append(node)
"""

FIRST_OUTPUT_ONLY = """
def find_topo_sort(node_list):
    visited, topo_order = set(), []
    topo_sort_dfs(node_list[0], visited, topo_order)
    return topo_order
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


def _gradients(total: str, store: str, *, guard: str = "node.op is None") -> str:
    """A version of compute_gradient_of_variables: how contributions are summed, and how they are stored."""
    return f"""
def compute_gradient_of_variables(output_tensor, out_grad):
    table = {{output_tensor: [out_grad]}}
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = {total}
        if {guard}:
            continue
        for value, grad in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
            {store}
"""


APPEND = "table.setdefault(value, []).append(grad)"

GRADS_OF_LEAVES_ONLY = """
def compute_gradient_of_variables(output_tensor, out_grad):
    table = {output_tensor: [out_grad]}
    for node in reversed(find_topo_sort([output_tensor])):
        total = sum_node_list(table[node])
        if node.op is None:
            node.grad = total
            continue
        for value, grad in zip(node.inputs, node.op.gradient_as_tuple(total, node)):
            table.setdefault(value, []).append(grad)
"""


def _loss(expression: str) -> dict[str, str]:
    return {"softmax_loss": f"def softmax_loss(Z, y_one_hot):\n    return {expression}\n"}


def _epoch(update: str, rows: str = "W2.shape[1]", loop: str = "range(0, len(X), batch)") -> dict[str, str]:
    return {
        "nn_epoch": f"""
def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for start in {loop}:
        x, t = X[start : start + batch], y[start : start + batch]
        one_hot = ndl.Tensor(np.eye({rows}, dtype="float32")[t])
        softmax_loss(ndl.relu(ndl.Tensor(x) @ W1) @ W2, one_hot).backward()
        {update}
    return W1, W2
"""
    }


LOG_SUM = "ndl.summation(ndl.log(ndl.summation(ndl.exp(Z), axes=(1,))))"
RIGHT_STEP = "W1, W2 = [ndl.Tensor(w.numpy() - lr * w.grad.numpy()) for w in (W1, W2)]"
TRAINED = ("nn_epoch.nn_epoch.values",)
GRADIENTS = ("compute_gradient.*",)


FAULTS = [
    Fault(
        "topo-exponential",
        "topological sort exponential",
        Expect(("topo_sort.find_topo_sort.growth",), ("visited",), "find_topo_sort", consequences=GRADIENTS),
        {"topo_sort_dfs": DESCENDS_FIRST},
    ),
    Fault(
        "gradient-by-paths",
        "gradients sent along every path",
        Expect(
            ("compute_gradient.compute_gradient_of_variables.growth",),
            ("doubles per layer",),
            "compute_gradient_of_variables",
            advice=("compute_gradient.compute_gradient_of_variables.graph",),
        ),
        {"compute_gradient_of_variables": BY_PATHS},
    ),
    Fault(
        "topo-duplicates",
        "duplicates in the order",
        Expect(("topo_sort.find_topo_sort.order",), ("every node comes once",), consequences=("*",)),
        {"topo_sort_dfs": NO_VISITED},
    ),
    Fault(
        "topo-pre-order",
        "not post-order",
        Expect(
            ("topo_sort.find_topo_sort.order",),
            ("before its input",),
            consequences=("compute_gradient.*", "softmax_loss.*", "nn_epoch.*"),
        ),
        {"topo_sort_dfs": PRE_ORDER},
    ),
    Fault(
        "topo-right-to-left",
        "not post-order",
        Expect(("topo_sort.find_topo_sort.order",), ("order",)),
        {"topo_sort_dfs": RIGHT_TO_LEFT},
    ),
    Fault(
        "topo-first-output",
        "several outputs",
        Expect(("topo_sort.find_topo_sort.outputs",), ("leaves out",)),
        {"find_topo_sort": FIRST_OUTPUT_ONLY},
    ),
    Fault(
        "topo-breadth-first",
        "not post-order",
        Expect(
            ("topo_sort.find_topo_sort.order",),
            ("order",),
            consequences=("compute_gradient.*", "softmax_loss.*", "nn_epoch.*"),
        ),
        {"find_topo_sort": BREADTH_FIRST},
    ),
    Fault(
        "gradient-sum",
        "`sum()` for `sum_node_list`",
        fine(advice=("compute_gradient.*",), advice_says=("node",)),
        {"compute_gradient_of_variables": _gradients("sum(table[node])", APPEND)},
    ),
    Fault(
        "gradient-last-only",
        "contributions are not summed",
        Expect(
            ("compute_gradient.compute_gradient_of_variables.values",),
            ("sum",),
            consequences=("softmax_loss.*", "nn_epoch.*"),
        ),
        {"compute_gradient_of_variables": _gradients("table[node][-1]", APPEND)},
    ),
    Fault(
        "gradient-first-only",
        "contributions are not summed",
        Expect(("compute_gradient.compute_gradient_of_variables.values",), ("sum",)),
        {
            "compute_gradient_of_variables": _gradients(
                "sum_node_list(table[node])", "table.setdefault(value, [grad])"
            )
        },
    ),
    Fault(
        "gradient-detached",
        "gradient of gradient is lost",
        Expect(("compute_gradient.compute_gradient_of_variables.second_order",), ("gradient",)),
        {"compute_gradient_of_variables": _gradients("sum_node_list(table[node]).detach()", APPEND)},
    ),
    Fault(
        "gradient-ignores-out-grad",
        "gradient ignores `out_grad`",
        Expect(("compute_gradient.compute_gradient_of_variables.values",), ("out_grad",)),
        {
            "compute_gradient_of_variables": _gradients("sum_node_list(table[node])", APPEND).replace(
                "[out_grad]", "[needle.init.ones_like(out_grad)]"
            )
        },
    ),
    Fault(
        "gradient-leaves-only",
        "`.grad` is not set on every node",
        Expect(("compute_gradient.compute_gradient_of_variables.inner",), ("grad",)),
        {"compute_gradient_of_variables": GRADS_OF_LEAVES_ONLY},
    ),
    Fault(
        "gradient-nothing",
        "not filled in",
        Expect(("compute_gradient.*",), ("grad",), consequences=("softmax_loss.*", "nn_epoch.*")),
        {
            "compute_gradient_of_variables": """
def compute_gradient_of_variables(output_tensor, out_grad):
    find_topo_sort([output_tensor])
"""
        },
    ),
    Fault(
        "loss-sum",
        "sum for mean",
        Expect(("softmax_loss.softmax_loss.values",), ("mean",), consequences=("nn_epoch.*",)),
        _loss(f"{LOG_SUM} - ndl.summation(Z * y_one_hot)"),
    ),
    Fault(
        "loss-over-classes",
        "mean over the wrong axis",
        Expect(("softmax_loss.softmax_loss.values",), (), consequences=("nn_epoch.*",)),
        _loss(f"({LOG_SUM} - ndl.summation(Z * y_one_hot)) / Z.shape[1]"),
    ),
    Fault(
        "loss-wrong-axis",
        "wrong axis",
        Expect(("softmax_loss.softmax_loss.values",), (), consequences=("nn_epoch.*",)),
        _loss(f"({LOG_SUM} - ndl.summation(Z * y_one_hot)) / Z.shape[0]".replace("(1,)", "(0,)")),
    ),
    Fault(
        "loss-detached",
        "a gradient wraps raw arrays back into Tensors",
        Expect(("softmax_loss.softmax_loss.gradient",), ("Z",), consequences=("nn_epoch.*",)),
        _loss("ndl.Tensor(np.mean(np.log(np.exp(Z.numpy()).sum(1)) - (Z * y_one_hot).numpy().sum(1)))"),
    ),
    Fault(
        "epoch-keeps-graph",
        "`W = W - lr * W.grad` keeps the graph",
        Expect(("nn_epoch.nn_epoch.growth",), ("graph",), "nn_epoch"),
        _epoch("W1, W2 = W1 - lr * W1.grad, W2 - lr * W2.grad"),
    ),
    Fault(
        "epoch-one-weight",
        "second weight not updated",
        Expect(TRAINED, ("W2",), "nn_epoch"),
        _epoch("W1 = ndl.Tensor(W1.numpy() - lr * W1.grad.numpy())"),
    ),
    Fault(
        "epoch-drops-last-batch",
        "short last batch dropped",
        fine(advice=("nn_epoch.nn_epoch.short_batch",), advice_says=("batch",)),
        _epoch(RIGHT_STEP, loop="range(0, len(X) // batch * batch, batch)"),
    ),
    Fault(
        "epoch-ignores-lr",
        "learning rate ignored",
        Expect(TRAINED, ("lr",)),
        _epoch(RIGHT_STEP.replace("lr *", "0.1 *")),
    ),
    Fault(
        "epoch-ascends",
        "wrong sign",
        Expect(TRAINED, ()),
        _epoch(RIGHT_STEP.replace("- lr", "+ lr")),
    ),
    Fault(
        "epoch-counts-labels",
        "one-hot from the labels of a batch",
        Expect(TRAINED, ()),
        _epoch(RIGHT_STEP, rows="t.max() + 1"),
    ),
    Fault(
        "epoch-returns-arrays",
        "numpy arrays returned",
        Expect(TRAINED, ("Tensor",)),
        {
            "nn_epoch": _epoch(RIGHT_STEP)["nn_epoch"].replace(
                "return W1, W2", "return W1.numpy(), W2.numpy()"
            )
        },
    ),
    Fault(
        "epoch-returns-nothing",
        "nothing returned",
        Expect(TRAINED, ("None",)),
        {"nn_epoch": _epoch(RIGHT_STEP)["nn_epoch"].replace("    return W1, W2\n", "")},
    ),
    *[
        Fault(
            f"adjoint-{which}-handed-on",
            "one contribution handed on",
            Expect(
                ("compute_gradient.compute_gradient_of_variables.values",),
                (f"gets the {which} contribution", f'"known_mistake": "adjoint-{which}-handed-on"'),
                "compute_gradient_of_variables",
                consequences=("*",),
            ),
            {"compute_gradient_of_variables": HANDS_ONE_ON.format(place)},
        )
        for which, place in (("first", 0), ("last", -1))
    ],
]
