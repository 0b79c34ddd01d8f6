"""Faults of single ops."""

from tests.faults.model import Expect, Fault, fine

BROADCAST_FROM_LEFT = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    padded = tuple(in_shape) + (1,) * (len(self.shape) - len(in_shape))
    axes = tuple(i for i in range(len(self.shape)) if padded[i] != self.shape[i])
    return reshape(summation(out_grad, axes), in_shape)
"""

BROADCAST_NODE_PER_AXIS = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    grad = out_grad
    for _ in range(len(self.shape) - len(in_shape)):
        grad = summation(grad, (0,))
    for axis, size in enumerate(in_shape):
        if size == 1:
            kept = grad.shape[:axis] + (1,) + grad.shape[axis + 1:]
            grad = reshape(summation(grad, (axis,)), kept)
    return grad
"""

# From a diary: two weeks spent on Adam, and the cause was here.
DIARY_BEFORE = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    grad = out_grad
    extra = len(self.shape) - len(in_shape)
    for _ in range(extra):
        grad = summation(grad, axes=(0,))
    for axis in range(len(in_shape)):
        if in_shape[axis] == 1:
            total = summation(grad, axes=(axis,))
            grad = Tensor(array_api.expand_dims(total.realize_cached_data(), axis))
    return Tensor(grad.realize_cached_data().reshape(in_shape))
"""

DIARY_AFTER = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    extra = len(self.shape) - len(in_shape)
    axes = [*range(extra)]
    axes += [extra + axis for axis in range(len(in_shape)) if in_shape[axis] == 1]
    return reshape(summation(out_grad, axes=tuple(axes)), in_shape)
"""

SUM_AXIS_BY_SIZE = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    left = list(out_grad.shape)
    kept = []
    for size in in_shape:
        if left and left[0] == size:
            kept.append(left.pop(0))
        else:
            kept.append(1)
    return broadcast_to(reshape(out_grad, tuple(kept)), in_shape)
"""

SUM_TUPLES_ONLY = """
def gradient(self, out_grad, node):
    in_shape = node.inputs[0].shape
    axes = range(len(in_shape)) if self.axes is None else self.axes
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(in_shape))
    return broadcast_to(reshape(out_grad, kept), in_shape)
"""

MATMUL_NO_BATCH_SUM = """
def gradient(self, out_grad, node):
    a, b = node.inputs
    return matmul(out_grad, transpose(b)), matmul(transpose(a), out_grad)
"""

MATMUL_SUMS_ONE_SIDE = """
def gradient(self, out_grad, node):
    a, b = node.inputs
    grad_a, grad_b = matmul(out_grad, transpose(b)), matmul(transpose(a), out_grad)
    extra = len(grad_b.shape) - len(b.shape)
    return grad_a, summation(grad_b, tuple(range(extra))) if extra else grad_b
"""


def _method(body: str, name: str = "gradient") -> str:
    arguments = "out_grad, node" if name == "gradient" else "a"
    return f"def {name}(self, {arguments}):\n" + "".join(f"    {line}\n" for line in body.splitlines())


POWER_OVER_BASE = """
def gradient(self, out_grad, node):
    a = node.inputs[0]
    return out_grad * 0.0 if self.scalar == 0 else out_grad * self.scalar * node / a
"""

FAULTS = [
    Fault(
        "power-nan-at-zero",
        "n * a**n / a",
        Expect(
            ("backward.PowerScalar.gradient",),
            ("nan",),
            "PowerScalar.gradient",
            consequences=("backward.PowerScalar.*",),
        ),
        {"PowerScalar.gradient": POWER_OVER_BASE},
    ),
    Fault(
        "power-zero",
        "PowerScalar gradient zero",
        Expect(("backward.PowerScalar.gradient",), ("PowerScalar", "exponent"), "PowerScalar.gradient"),
        {"PowerScalar.gradient": _method("return out_grad * 0")},
    ),
    Fault(
        "power-two-only",
        "PowerScalar gradient right for one exponent only",
        Expect(("backward.PowerScalar.gradient",), ("exponent", "3", "-1", "0.5"), "PowerScalar.gradient"),
        {"PowerScalar.gradient": _method("return out_grad * (2 * node.inputs[0])")},
    ),
    Fault(
        "power-not-reduced",
        "PowerScalar gradient right for one exponent only",
        Expect(("backward.PowerScalar.gradient",), ("exponent",), "PowerScalar.gradient"),
        {"PowerScalar.gradient": _method("return out_grad * node.inputs[0] ** self.scalar * self.scalar")},
    ),
    Fault(
        "broadcast-from-left",
        "BroadcastTo gradient compares axes from the left",
        Expect(
            ("backward.BroadcastTo.gradient",),
            ("(2,)", "(2, 2)", "(0,)", "(1,)"),
            "BroadcastTo.gradient",
        ),
        {"BroadcastTo.gradient": BROADCAST_FROM_LEFT},
    ),
    Fault(
        "broadcast-node-per-axis",
        "BroadcastTo gradient makes a node per axis",
        fine(
            advice=("backward.BroadcastTo.graph",),
            advice_says=("nodes", "budget", "ops_mathematic.py", "Summation"),
        ),
        {"BroadcastTo.gradient": BROADCAST_NODE_PER_AXIS},
    ),
    Fault(
        "broadcast-diary",
        "a gradient wraps raw arrays back into Tensors",
        Expect(
            ("backward.BroadcastTo.second_order",),
            ("detached", "raw arrays", "ops_mathematic.py"),
            "BroadcastTo.gradient",
            advice=("backward.BroadcastTo.graph",),
            advice_says=("budget",),
        ),
        {"BroadcastTo.gradient": DIARY_BEFORE},
    ),
    Fault(
        "broadcast-diary-repaired",
        "a gradient wraps raw arrays back into Tensors",
        fine(),
        {"BroadcastTo.gradient": DIARY_AFTER},
    ),
    Fault(
        "broadcast-2022-diary",
        "a gradient wraps raw arrays back into Tensors",
        Expect(("backward.BroadcastTo.second_order",), ("detached", "ops.py"), "BroadcastTo.gradient"),
        {"BroadcastTo.gradient": DIARY_BEFORE},
        layout="2022",
    ),
    Fault(
        "log-numpy",
        "a gradient wraps raw arrays back into Tensors",
        Expect(("backward.Log.second_order",), ("detached",), "Log.gradient"),
        {"Log.gradient": _method("return out_grad / Tensor(node.inputs[0].numpy())")},
    ),
    Fault(
        "sum-axis-by-size",
        "Summation gradient finds its axis by matching sizes",
        Expect(("backward.Summation.gradient",), ("axis", "size"), "Summation.gradient"),
        {"Summation.gradient": SUM_AXIS_BY_SIZE},
    ),
    Fault(
        "sum-tuples-only",
        "Summation with int or negative axes in backward",
        fine(advice=("backward.Summation.axes",), advice_says=("axes=",)),
        {"Summation.gradient": SUM_TUPLES_ONLY},
    ),
    Fault(
        "transpose-permutes",
        "Transpose treats its pair as a permutation",
        Expect(
            ("forward.Transpose.forward",), ("pair",), consequences=("backward.Transpose.*", "nn_epoch.*")
        ),
        {
            "Transpose.compute": _method(
                "if self.axes:\n    return array_api.transpose(a, self.axes)\n"
                "return array_api.swapaxes(a, -1, -2)",
                "compute",
            )
        },
    ),
    Fault(
        "transpose-reverses",
        "Transpose treats its pair as a permutation",
        Expect(("forward.Transpose.forward",), ("pair",), consequences=("backward.*.*", "nn_epoch.*")),
        {
            "Transpose.compute": _method(
                "return array_api.transpose(a) if self.axes is None else array_api.swapaxes(a, *self.axes)",
                "compute",
            )
        },
    ),
    Fault(
        "transpose-gradient-ignores-pair",
        "Transpose treats its pair as a permutation",
        Expect(("backward.Transpose.gradient",), ("pair",), "Transpose.gradient"),
        {"Transpose.gradient": _method("return transpose(out_grad)")},
    ),
    Fault(
        "matmul-no-batch-sum",
        "MatMul gradient does not sum broadcast batch axes",
        Expect(("backward.MatMul.gradient",), ("batch", "operand"), "MatMul.gradient"),
        {"MatMul.gradient": MATMUL_NO_BATCH_SUM},
    ),
    Fault(
        "matmul-sums-one-side",
        "MatMul gradient does not sum broadcast batch axes",
        Expect(("backward.MatMul.gradient",), ("operand a",), "MatMul.gradient"),
        {"MatMul.gradient": MATMUL_SUMS_ONE_SIDE},
    ),
    Fault(
        "log-times-array",
        "numpy inside gradient",
        Expect(("backward.Log.second_order",), ("array",), "Log.gradient"),
        {"Log.gradient": _method("return out_grad * (1 / node.inputs[0].numpy())")},
    ),
    Fault(
        "exp-array-only",
        "numpy inside gradient",
        Expect(("backward.Exp.second_order",), ("numpy",), consequences=("softmax_loss.*", "nn_epoch.*")),
        {"Exp.gradient": _method("return out_grad.numpy() * array_api.exp(node.inputs[0].numpy())")},
    ),
    Fault(
        "div-tensor-in-compute",
        "Tensor ops inside compute",
        Expect(
            ("forward.DivScalar.forward",),
            ("Tensor",),
            consequences=("backward.DivScalar.*", "softmax_loss.*", "nn_epoch.*"),
        ),
        {"DivScalar.compute": _method("return Tensor(a) * (1 / self.scalar)", "compute")},
    ),
    Fault(
        "relu-nan",
        "ReLU at exactly 0",
        Expect(("nn_epoch.ReLU.kink",), ("0/0", "x = 0"), "ReLU.gradient"),
        {"ReLU.gradient": _method("return out_grad * (node / node.inputs[0])")},
    ),
    Fault(
        "relu-one",
        "ReLU at exactly 0",
        fine(),
        {
            "ReLU.gradient": _method(
                "return out_grad * Tensor(node.inputs[0].numpy() >= 0, dtype=out_grad.dtype)"
            )
        },
    ),
    Fault(
        "relu-half",
        "ReLU at exactly 0",
        fine(),
        {
            "ReLU.gradient": _method(
                "step = array_api.heaviside(node.inputs[0].numpy(), 0.5)\n"
                "return out_grad * Tensor(step, dtype=out_grad.dtype)"
            )
        },
    ),
    Fault(
        "div-float64",
        "Tensor float32 turned float64",
        Expect(
            ("forward.DivScalar.hygiene",),
            ("DivScalar", "float32", "float64", "numpy"),
            consequences=("backward.DivScalar.hygiene", "softmax_loss.*", "nn_epoch.*"),
        ),
        {
            "DivScalar.compute": _method(
                "return array_api.true_divide(a, self.scalar, dtype='float64')", "compute"
            )
        },
    ),
    Fault(
        "exp-in-place",
        "an op modifies its input in place",
        Expect(
            ("forward.Exp.hygiene",),
            ("Exp", "compute", "input 0"),
            consequences=("backward.Exp.*", "softmax_loss.*", "nn_epoch.*"),
        ),
        {"Exp.compute": _method("array_api.exp(a, out=a)\nreturn a", "compute")},
    ),
    Fault(
        "power-in-place",
        "an op modifies its input in place",
        Expect(
            ("forward.PowerScalar.hygiene",),
            ("PowerScalar", "input 0"),
            consequences=("backward.*.*", "softmax_loss.*", "nn_epoch.*"),
        ),
        {"PowerScalar.compute": _method("a **= self.scalar\nreturn a", "compute")},
    ),
    Fault(
        "div-sign",
        "wrong formula",
        Expect(("backward.EWiseDiv.gradient",), ("sign",), "EWiseDiv.gradient"),
        {"EWiseDiv.gradient": _method("a, b = node.inputs\nreturn out_grad / b, out_grad * a / b / b")},
    ),
    Fault(
        "reshape-forgotten",
        "gradient in the wrong shape",
        Expect(("backward.Reshape.gradient",), ("shape",), "Reshape.gradient"),
        {"Reshape.gradient": _method("return out_grad")},
    ),
    Fault(
        "exp-returns-none",
        "gradient returns nothing",
        Expect(("backward.Exp.gradient",), ("None",), "Exp.gradient"),
        {"Exp.gradient": _method("grad = out_grad * node")},
    ),
]
