"""Faults planted into right solutions of any style: what the report must name as the first cause.

A fault wraps the function that the style has, so that one text fits all styles; the wrapped function goes
on under another name. Some functions whose faults cannot be put around them are replaced.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bank import hw1, hw2
from tests.bank.style import Style
from tests.support import build
from tests.support.splice import BEFORE, extract, splice
from tests.support.tree import base_tree

HW1 = [style for style in hw1.STYLES if "_from_" not in style.name and "_python_" not in style.name]
HW2 = hw2.STYLES
ABSENT_IN_2022 = ("EWisePow", "LogSoftmax")


@dataclass(frozen=True)
class Planting:
    """A fault: the homework, the function it is in, the statements that stand around the right one.

    In `body` the right function is `right(...)`, with the arguments of the function itself.
    """

    homework: str
    function: str
    body: str

    def around(self, source: str) -> str:
        """Return the right function under another name, and the faulty one."""
        node = ast.parse(textwrap.dedent(source)).body[0]
        assert isinstance(node, ast.FunctionDef)
        name, hidden = node.name, f"right_{node.name.strip('_')}"
        method = bool(node.args.args) and node.args.args[0].arg == "self"
        node.name = hidden
        arguments = ast.unparse(node.args)
        call = f"self.{hidden}" if method else hidden
        faulty = f"def {name}({arguments}):\n    right = {call}\n" + textwrap.indent(self.body, "    ")
        return f"{ast.unparse(node)}\n\n{faulty}\n"


@dataclass(frozen=True)
class Planted:
    """A style with faults in it."""

    style: Style
    faults: tuple[Planting, ...]
    solutions: Mapping[str, str] | None = None

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions at fault."""
        return tuple(fault.function for fault in self.faults)

    @property
    def name(self) -> str:
        """Return what the table calls it."""
        return f"{' + '.join(self.functions)} in {self.style.name}"

    def build(self, target: Path) -> Path:
        """Write the submission to `target`."""
        homework, style = self.faults[0].homework, self.style
        solutions = {**style.solutions(homework), **(self.solutions or {})}
        tree = splice(base_tree(homework, style.layout), solutions)
        for fault in self.faults:
            if fault.body:
                solutions[fault.function] = fault.around(extract(tree, fault.function))
        known = {name: text for name, text in solutions.items() if name.startswith(BEFORE) or text}
        return build(target, homework, style.layout, known, style.files, style.transforms)


def first_cause_is(functions: Sequence[str], planted: str) -> bool:
    """Tell whether a cause is the function with the fault, or the class that it is a method of."""
    return len(functions) == 1 and (planted == functions[0] or planted.startswith(f"{functions[0]}."))


def spread(faults: Iterable[Planting], styles: Sequence[Style]) -> list[Planted]:
    """Give each fault a style, in turn; what a style's year does not have goes to the next one."""
    found = []
    for number, fault in enumerate(faults):
        options = [styles[(number + shift) % len(styles)] for shift in range(len(styles))]
        absent = fault.function.startswith(ABSENT_IN_2022)
        found.append(Planted(next(one for one in options if not absent or one.layout == "2023"), (fault,)))
    return found


def _compute(homework: str, op: str, body: str) -> Planting:
    return Planting(homework, f"{op}.compute", body)


def _gradient(homework: str, op: str, body: str) -> Planting:
    return Planting(homework, f"{op}.gradient", body)


DOUBLED = "grad = right(out_grad, node)\nreturn grad * 2"
ONLY_SIGN = "return right(-out_grad, node)"
DETACHED = "grad = right(out_grad, node)\nreturn Tensor(grad.numpy())"
FIRST_WRONG = "grads = right(out_grad, node)\nreturn grads[0] * 3, grads[1]"
SECOND_WRONG = "grads = right(out_grad, node)\nreturn grads[0], -grads[1]"
NO_GRADIENT = "return None"
RAISES = "raise ValueError('not today')"
MANY_NODES = "for _ in range(12):\n    out_grad = out_grad + 0\nreturn right(out_grad, node)"

IN_HW1 = [
    _compute("hw1", "PowerScalar", "return right(a) + 0.5"),
    _gradient("hw1", "PowerScalar", "return right(out_grad, node) * 0"),
    _compute("hw1", "EWisePow", "return right(b, a)"),
    _gradient("hw1", "EWisePow", SECOND_WRONG),
    _compute("hw1", "EWiseDiv", "return right(b, a)"),
    _gradient("hw1", "EWiseDiv", FIRST_WRONG),
    _compute("hw1", "DivScalar", "return right(a) * 2"),
    _gradient("hw1", "DivScalar", "return out_grad * self.scalar"),
    _compute("hw1", "Transpose", "return a if self.axes is None else right(a)"),
    _gradient("hw1", "Transpose", ONLY_SIGN),
    _compute("hw1", "Reshape", "return right(a[::-1] if a.ndim > 1 else a)"),
    _gradient("hw1", "Reshape", DOUBLED),
    _compute("hw1", "BroadcastTo", "return right(a) + 1"),
    _gradient("hw1", "BroadcastTo", DOUBLED),
    _gradient("hw1", "BroadcastTo", DETACHED),
    _compute("hw1", "Summation", "return right(a) / 2"),
    _gradient("hw1", "Summation", ONLY_SIGN),
    _compute("hw1", "MatMul", "return right(a, b) + 1"),
    _gradient("hw1", "MatMul", FIRST_WRONG),
    _compute("hw1", "Negate", "return -right(a)"),
    _gradient("hw1", "Negate", ONLY_SIGN),
    _compute("hw1", "Log", "return right(a + 0.1)"),
    _gradient("hw1", "Log", DETACHED),
    _compute("hw1", "Exp", "return right(a) - 1"),
    _gradient("hw1", "Exp", NO_GRADIENT),
    _compute("hw1", "ReLU", "return right(a) + right(-a)"),
    _gradient("hw1", "ReLU", RAISES),
    Planting("hw1", "find_topo_sort", "return right(node_list)[::-1]"),
    Planting("hw1", "find_topo_sort", "return right(node_list[:1])"),
    Planting("hw1", "compute_gradient_of_variables", "right(output_tensor, out_grad + out_grad)"),
    Planting("hw1", "softmax_loss", "return right(Z, y_one_hot) * 2"),
]

IN_HW2 = [
    _compute("hw2", "LogSoftmax", "return right(Z) + 1"),
    _gradient("hw2", "LogSoftmax", DOUBLED),
    _compute("hw2", "LogSumExp", "return right(Z) * 2"),
    _gradient("hw2", "LogSumExp", ONLY_SIGN),
    _compute("hw2", "PowerScalar", "return right(a) * 1.5"),
    _gradient("hw2", "PowerScalar", DOUBLED),
    _compute("hw2", "DivScalar", "return right(a) + 1"),
    _gradient("hw2", "EWiseDiv", SECOND_WRONG),
    _compute("hw2", "BroadcastTo", "return right(a) * 2"),
    _gradient("hw2", "BroadcastTo", DOUBLED),
    _gradient("hw2", "BroadcastTo", MANY_NODES),
    _compute("hw2", "Summation", "return right(a) + 1"),
    _gradient("hw2", "Summation", DOUBLED),
    _gradient("hw2", "Summation", MANY_NODES),
    _compute("hw2", "MatMul", "return right(a, b) * 2"),
    _gradient("hw2", "MatMul", SECOND_WRONG),
    _gradient("hw2", "MatMul", RAISES),
    _gradient("hw2", "Reshape", NO_GRADIENT),
    _gradient("hw2", "Exp", DOUBLED),
    _gradient("hw2", "ReLU", ONLY_SIGN),
    Planting("hw2", "find_topo_sort", "return right(node_list)[::-1]"),
    Planting("hw2", "compute_gradient_of_variables", "right(output_tensor, out_grad * 2)"),
    Planting("hw2", "xavier_uniform", "return right(fan_in, fan_out, gain * 2, **kwargs)"),
    Planting("hw2", "xavier_normal", "return right(fan_in, fan_out + fan_in, gain, **kwargs)"),
    Planting("hw2", "kaiming_uniform", "return right(fan_in, fan_out, nonlinearity, **kwargs) * 3"),
    Planting("hw2", "kaiming_normal", "return right(fan_out, fan_in, nonlinearity, **kwargs)"),
    Planting("hw2", "Linear.forward", "return right(X) * 2"),
    Planting("hw2", "Linear.__init__", "right(in_features, out_features, True, device, dtype)"),
    Planting("hw2", "Flatten.forward", "return right(X).transpose()"),
    Planting("hw2", "ReLU.forward", "return -right(-x)"),
    Planting("hw2", "Sequential.forward", "return right(right(x)) if len(self.modules) == 1 else right(x) * 2"),
    Planting("hw2", "SoftmaxLoss.forward", "return right(logits, y) * logits.shape[0]"),
    Planting("hw2", "BatchNorm1d.forward", "self.momentum = 1 - self.momentum\nout = right(x)\n"
             "self.momentum = 1 - self.momentum\nreturn out"),
    Planting("hw2", "BatchNorm1d.forward", "if self.training:\n    return right(x)\nself.training = True\n"
             "out = right(x)\nself.training = False\nreturn out"),
    Planting("hw2", "LayerNorm1d.forward", "return right(x) * 2"),
    Planting("hw2", "Dropout.forward", "self.p = 1 - self.p\nout = right(x)\nself.p = 1 - self.p\nreturn out"),
    Planting("hw2", "Residual.forward", "return right(x) + x"),
    Planting("hw2", "SGD.step", "right()\nself.u = {}"),
    Planting("hw2", "SGD.step", "self.lr, lr = self.lr / 2, self.lr\nright()\nself.lr = lr"),
    Planting("hw2", "Adam.step", "self.t += 1\nright()"),
    Planting("hw2", "Adam.step", "self.weight_decay, decay = 0.0, self.weight_decay\nright()\n"
             "self.weight_decay = decay"),
    Planting("hw2", "RandomFlipHorizontal.__call__", "return right(img)[::-1]"),
    Planting("hw2", "RandomCrop.__call__", "return right(img.transpose(1, 0, 2))"),
    Planting("hw2", "MNISTDataset.__len__", "return right() - 1"),
    Planting("hw2", "MNISTDataset.__getitem__", "image, label = right(index)\nreturn image * 2, label"),
    Planting("hw2", "ResidualBlock", "return right(dim, hidden_dim, norm, 0.5)"),
    Planting("hw2", "MLPResNet", "return right(dim, hidden_dim, num_blocks + 1, num_classes, norm, drop_prob)"),
    Planting("hw2", "epoch", "error, loss = right(dataloader, model, opt)\nreturn 1 - error, loss"),
    Planting("hw2", "train_mnist", "return right(batch_size, epochs, optimizer, lr * 0, weight_decay, "
             "hidden_dim, data_dir)"),
]  # fmt: skip

PAIRS = [
    ("MatMul.gradient", "LayerNorm1d.forward"),
    ("BroadcastTo.gradient", "Dropout.forward"),
    ("Summation.compute", "Adam.step"),
    ("Exp.gradient", "SGD.step"),
    ("LogSumExp.gradient", "kaiming_uniform"),
    ("PowerScalar.gradient", "epoch"),
    ("find_topo_sort", "Linear.forward"),
    ("ReLU.gradient", "BatchNorm1d.forward"),
    ("EWiseDiv.gradient", "SoftmaxLoss.forward"),
    ("Reshape.gradient", "MNISTDataset.__len__"),
    ("Residual.forward", "Adam.step"),
    ("BatchNorm1d.forward", "SGD.step"),
    ("Sequential.forward", "LogSumExp.compute"),
    ("Linear.forward", "train_mnist"),
    ("Summation.gradient", "BroadcastTo.gradient"),
    ("xavier_normal", "ResidualBlock"),
]

# Edits of what the handout gives; these stand in the place of the right functions.
EDITS = {
    "Tensor.detach": "def detach(self):\n    return self\n",
    "TensorOp.__call__": "def __call__(self, *args):\n    return Tensor.make_from_op(self, args).detach()\n",
    "Tensor.__add__": "def __add__(self, other):\n    return needle.ops.EWiseAdd()(self, self)\n",
    "Module.parameters": "def parameters(self):\n    return _unpack_params(self.__dict__)[:1]\n",
    "_child_modules": """
def _child_modules(value):
    if isinstance(value, Module):
        return [value, *value._children()]
    if isinstance(value, dict):
        value = list(value.values())
    return [module for item in value for module in _child_modules(item)] if isinstance(value, list) else []
""",
    "Module.eval": "def eval(self):\n    pass\n",
    "sum_node_list": "def sum_node_list(node_list):\n    return node_list[0]\n",
    "EWiseMul.gradient": "def gradient(self, out_grad, node):\n    return node.inputs[0], node.inputs[1]\n",
}


def singles() -> list[Planted]:
    """Return every single fault, over the styles in turn."""
    return [*spread(IN_HW1, HW1), *spread(IN_HW2, HW2)]


def doubles() -> list[Planted]:
    """Return the pairs of faults, over the styles of hw2 in turn."""
    first = {fault.function: fault for fault in reversed(IN_HW2)}
    pairs = [(first[a], first[b]) for a, b in PAIRS]
    return [Planted(HW2[number % len(HW2)], pair) for number, pair in enumerate(pairs)]
