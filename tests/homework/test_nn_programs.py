"""Wrong programs of init, ops and nn, graded as submissions: what is said, where, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from tests.support import build

BATCH_FORWARD = """
def forward(self, x):
    if self.training:
        n = x.shape[0]
        mean = x.sum(axes=(0,)) / n
        centred = x - mean.broadcast_to(x.shape)
        var = (centred ** 2).sum(axes=(0,)) / n
        {update}
    else:
        {evaluation}
    normal = centred / ((var + self.eps) ** 0.5).broadcast_to(x.shape)
    return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)
"""
UPDATE = (
    "m = self.momentum\n"
    "        self.running_mean = (1 - m) * self.running_mean + m * mean{data}\n"
    "        self.running_var = (1 - m) * self.running_var + m * {var}"
)
EVALUATION = "centred = x - self.running_mean.broadcast_to(x.shape)\n        var = self.running_var"
DATA = UPDATE.format(data=".data", var="var.data")


def batch_norm(update: str = DATA, evaluation: str = EVALUATION) -> dict[str, str]:
    """A BatchNorm1d with another update or another evaluation."""
    return {"BatchNorm1d.forward": BATCH_FORWARD.format(update=update, evaluation=evaluation)}


LAYER_NORM = """
def forward(self, x):
    n, d = x.shape
    mean = (x.sum(axes=(1,)) / d).reshape((n, 1)).broadcast_to(x.shape)
    centred = x - mean{mean}
    var = ((centred ** 2).sum(axes=(1,)) / {divisor}).reshape((n, 1)).broadcast_to(x.shape)
    normal = centred / (var{var} + self.eps) ** 0.5
    return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)
"""


def layer_norm(mean: str = "", divisor: str = "d", var: str = "") -> dict[str, str]:
    """A LayerNorm1d with a change."""
    return {"LayerNorm1d.forward": LAYER_NORM.format(mean=mean, divisor=divisor, var=var)}


def dropout(body: str) -> dict[str, str]:
    """A Dropout with another body."""
    return {"Dropout.forward": f"def forward(self, x):\n    {body}\n"}


LINEAR = """
def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
    super().__init__()
    self.in_features = in_features
    self.out_features = out_features
    {body}
"""
WEIGHT = "self.weight = Parameter(init.kaiming_uniform(in_features, out_features))"
BIAS = "init.kaiming_uniform(out_features, 1).reshape((1, out_features))"


def linear(body: str) -> dict[str, str]:
    """A Linear with another constructor."""
    return {"Linear.__init__": LINEAR.format(body=body)}


@dataclass(frozen=True)
class Program:
    """What is wrong, the check that says it, words of the message, and the id of the known mistake."""

    name: str
    solutions: dict[str, str]
    check: str
    says: tuple[str, ...]
    mistake: str | None = None
    advice: bool = False
    layout: str = "2023"


PROGRAMS = [
    Program(
        "running statistics keep the graph",
        batch_norm(UPDATE.format(data="", var="var")),
        "nn.BatchNorm1d.graph",
        ("BatchNorm1d.running_", "nodes per step alive"),
    ),
    Program(
        "running variance unbiased",
        batch_norm(UPDATE.format(data=".data", var="var.data * (n / (n - 1))")),
        "nn.BatchNorm1d.running",
        ("the tests of the course hold the biased variance",),
        "running-unbiased",
    ),
    Program(
        "momentum the wrong way",
        batch_norm(DATA.replace("m = self.momentum", "m = 1 - self.momentum")),
        "nn.BatchNorm1d.running",
        ("momentum is applied the wrong way",),
        "running-momentum-reversed",
    ),
    Program(
        "batch statistics in eval",
        batch_norm(
            evaluation="n = x.shape[0]\n        mean = x.sum(axes=(0,)) / n\n"
            "        centred = x - mean.broadcast_to(x.shape)\n"
            "        var = (centred ** 2).sum(axes=(0,)) / n"
        ),
        "nn.BatchNorm1d.forward_eval",
        ("eval normalises with the batch's own statistics",),
        "batchnorm-eval-batch",
    ),
    Program(
        "eps missing in eval",
        batch_norm(evaluation=EVALUATION + " - self.eps + 1e-5"),
        "nn.BatchNorm1d.forward_eval",
        ("eps is missing in eval",),
        "batchnorm-eval-eps",
    ),
    Program(
        "affine missing in eval",
        batch_norm(
            evaluation=EVALUATION
            + "\n        return centred / ((var + self.eps) ** 0.5).broadcast_to(x.shape)"
        ),
        "nn.BatchNorm1d.forward_eval",
        ("weight and bias are not applied in eval",),
        "batchnorm-eval-affine",
    ),
    Program(
        "statistics are Parameters",
        {
            "BatchNorm1d.__init__": """
def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
    super().__init__()
    self.dim, self.eps, self.momentum = dim, eps, momentum
    self.weight, self.bias = Parameter(init.ones(dim)), Parameter(init.zeros(dim))
    self.running_mean, self.running_var = Parameter(init.zeros(dim)), Parameter(init.ones(dim))
"""
        },
        "nn.BatchNorm1d.parameters",
        ("running_mean (3,)", "expected weight (3,), bias (3,)"),
    ),
    Program(
        "running_mean has another name",
        {
            "BatchNorm1d.__init__": """
def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
    super().__init__()
    self.dim, self.eps, self.momentum = dim, eps, momentum
    self.weight, self.bias = Parameter(init.ones(dim)), Parameter(init.zeros(dim))
    self.running_means, self.running_var = init.zeros(dim), init.ones(dim)
"""
        },
        "nn.BatchNorm1d.parameters",
        ("running_mean is missing; did you mean running_means?",),
    ),
    Program(
        "layer norm unbiased",
        layer_norm(divisor="(d - 1)"),
        "nn.LayerNorm1d.forward",
        ("the variance is unbiased",),
        "layernorm-unbiased",
    ),
    Program(
        "layer norm with detached statistics",
        layer_norm(mean=".data", var=".data"),
        "nn.LayerNorm1d.gradient",
        ("mean and variance are constants",),
        "layernorm-statistics-detached",
    ),
    Program(
        "dropout inverted",
        dropout(
            "if not self.training:\n        return x\n"
            "    return x * init.randb(*x.shape, p=self.p, dtype='float32') / (1 - self.p)"
        ),
        "nn.Dropout.ratio",
        ("dropped 75 %, asked 25 %",),
        "dropout-inverted",
    ),
    Program(
        "dropout unscaled",
        dropout("return x * init.randb(*x.shape, p=1 - self.p, dtype='float32') if self.training else x"),
        "nn.Dropout.scale",
        ("not scaled",),
        "dropout-unscaled",
    ),
    Program(
        "dropout drops in eval",
        dropout("return x * init.randb(*x.shape, p=1 - self.p, dtype='float32') / (1 - self.p)"),
        "nn.Dropout.eval",
        ("still drops in eval",),
        "dropout-eval-drops",
    ),
    Program(
        "dropout returns None in eval",
        dropout(
            "if self.training:\n"
            "        return x * init.randb(*x.shape, p=1 - self.p, dtype='float32') / (1 - self.p)"
        ),
        "nn.Dropout.eval",
        ("the output in eval is None",),
    ),
    Program(
        "linear bias=False still has one",
        linear(f"{WEIGHT}\n    self.bias = Parameter({BIAS})"),
        "nn.Linear.parameters",
        ("Linear(bias=False)", "bias (1, 3)", "expected weight (2, 3)"),
    ),
    Program(
        "linear bias is a Tensor",
        linear(f"{WEIGHT}\n    self.bias = {BIAS} if bias else None"),
        "nn.Linear.parameters",
        ("Linear.bias is a Tensor, expected a Parameter",),
    ),
    Program(
        "linear bias drawn first",
        linear(f"self.bias = Parameter({BIAS}) if bias else None\n    {WEIGHT}"),
        "nn.Linear.order",
        ("draws the bias first",),
        "linear-bias-drawn-first",
        advice=True,
    ),
    Program(
        "linear bias starts at zeros",
        linear(f"{WEIGHT}\n    self.bias = Parameter(init.zeros(1, out_features)) if bias else None"),
        "nn.Linear.init",
        ("the bias starts at zeros",),
        "linear-bias-zeros",
    ),
    Program(
        "softmax loss summed",
        {
            "SoftmaxLoss.forward": """
def forward(self, logits, y):
    one_hot = init.one_hot(logits.shape[1], y)
    return ops.logsumexp(logits, axes=(1,)).sum() - (logits * one_hot).sum()
"""
        },
        "nn.SoftmaxLoss.forward",
        ("sum",),
        "softmax-loss-summed",
    ),
    Program(
        "relu turns float64",
        {
            "before:ReLU": "import numpy as wide",
            "ReLU.forward": "def forward(self, x):\n    return ops.relu(x) * Tensor(wide.ones(x.shape))\n",
        },
        "nn.ReLU.hygiene",
        ("float32 into float64", "first in a new Tensor at", "nn_basic.py"),
    ),
    Program(
        "residual forgets the input",
        {"Residual.forward": "def forward(self, x):\n    return self.fn(x)\n"},
        "nn.Residual.forward",
        ("the input is not added",),
        "residual-input-missing",
    ),
    Program(
        "sequential reversed",
        {
            "Sequential.forward": (
                "def forward(self, x):\n"
                "    for one in self.modules[::-1]:\n        x = one(x)\n    return x\n"
            )
        },
        "nn.Sequential.forward",
        ("reverse order",),
        "sequential-reversed",
    ),
    Program(
        "modes miss dictionaries",
        {
            "_child_modules": """
def _child_modules(value):
    if isinstance(value, Module):
        return [value, *[m for item in value.__dict__.values() for m in _child_modules(item)]]
    if isinstance(value, (list, tuple)):
        return [module for item in value for module in _child_modules(item)]
    return []
""",
            "Module._children": (
                "def _children(self):\n    return _child_modules(list(self.__dict__.values()))\n"
            ),
        },
        "nn.modes.switch",
        ("Module.eval() does not reach", "training is not False"),
    ),
    Program(
        "initialiser drops kwargs",
        {
            "kaiming_uniform": """
def kaiming_uniform(fan_in, fan_out, nonlinearity="relu", **kwargs):
    bound = (6 / fan_in) ** 0.5
    return rand(fan_in, fan_out, low=-bound, high=bound)
"""
        },
        "init.kaiming_uniform.kwargs",
        ("drops the keyword dtype",),
        advice=True,
    ),
    Program(
        "initialiser takes fan_out",
        {
            "kaiming_normal": """
def kaiming_normal(fan_in, fan_out, nonlinearity="relu", **kwargs):
    return randn(fan_in, fan_out, std=(2 / fan_out) ** 0.5, **kwargs)
"""
        },
        "init.kaiming_normal.values",
        ("fan_out",),
        "kaiming-normal-fan-out",
    ),
    Program(
        "logsumexp squeezes",
        {
            "LogSumExp.compute": """
def compute(self, Z):
    largest = array_api.max(Z, axis=self.axes, keepdims=True)
    total = array_api.sum(array_api.exp(Z - largest), axis=self.axes, keepdims=True)
    return array_api.squeeze(array_api.log(total) + largest)
"""
        },
        "ops.LogSumExp.forward",
        ("every axis of size 1 is squeezed away",),
        "logsumexp-squeezed",
    ),
    Program(
        "logsumexp overflows",
        {
            "LogSumExp.compute": (
                "def compute(self, Z):\n"
                "    return array_api.log(array_api.sum(array_api.exp(Z), axis=self.axes))\n"
            )
        },
        "ops.LogSumExp.stable",
        ("not stable: inf",),
    ),
    Program(
        "logsumexp gradient overflows",
        {
            "LogSumExp.gradient": """
def gradient(self, out_grad, node):
    Z = node.inputs[0]
    axes = tuple(range(len(Z.shape))) if self.axes is None else self.axes
    axes = (axes,) if isinstance(axes, int) else axes
    axes = [axis % len(Z.shape) for axis in axes]
    kept = tuple(1 if i in axes else n for i, n in enumerate(Z.shape))
    powers = exp(Z)
    share = broadcast_to(reshape(out_grad / summation(powers, tuple(axes)), kept), Z.shape)
    return share * powers
"""
        },
        "ops.LogSumExp.gradient_stable",
        ("LogSumExp.gradient is not stable: nan",),
    ),
    Program(
        "logsoftmax changes its input",
        {
            "LogSoftmax.compute": """
def compute(self, Z):
    Z -= array_api.max(Z, axis=1, keepdims=True)
    return Z - array_api.log(array_api.sum(array_api.exp(Z), axis=1, keepdims=True))
"""
        },
        "ops.LogSoftmax.hygiene",
        ("LogSoftmax.compute changes input 0 in place",),
    ),
    Program(
        "a node per axis costs points in hw2",
        {
            "BroadcastTo.gradient": """
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
        },
        "optim.graph.BroadcastTo",
        ("BroadcastTo.gradient makes", "Summation"),
    ),
    Program(
        "statistics keep the graph in 2022 too",
        batch_norm(UPDATE.format(data="", var="var")),
        "nn.BatchNorm1d.graph",
        ("BatchNorm1d.running_", "nodes per step alive"),
        layout="2022",
    ),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name.replace(" ", "-"))
def test_program_is_named(program: Program, tmp_path: Path) -> None:
    """The check fails with the words and the mistake; advice costs nothing, all else costs points."""
    root = build(tmp_path / "submission", "hw2", program.layout, program.solutions, {}, ())
    subject = program.check.rpartition(".")[0]
    only = {"optim.graph": "*.BroadcastTo"}.get(subject, subject)

    report = grade(root, "hw2", seed=0, only=only).as_dict()

    checks = {check["id"]: check for question in report["questions"] for check in question["checks"]}
    found = checks[program.check]
    assert found["verdict"] not in ("passed", "blocked"), found
    for word in program.says:
        assert word in found["message"], found["message"]
    assert found["known_mistake"] == program.mistake
    assert found["advice"] == program.advice
    assert (report["score"] == report["max_score"]) == program.advice, failed(checks)


def failed(checks: dict[str, Any]) -> dict[str, str]:
    """The checks that did not pass."""
    return {id: check["message"] for id, check in checks.items() if check["verdict"] != "passed"}


DUMB = {
    "zeros": "Tensor(np.zeros(x.shape, dtype='float32'))",
    "ones": "Tensor(np.ones(x.shape, dtype='float32'))",
    "nan": "Tensor(np.full(x.shape, np.nan, dtype='float32'))",
    "empty": "Tensor(np.zeros((0,), dtype='float32'))",
    "input": "x",
    "transpose": "x.transpose()",
    "float16": "Tensor(x.numpy(), dtype='float16')",
    "objects": "x.numpy().astype(object)",
}
NAMES = ("Linear", "Flatten", "ReLU", "Sequential", "BatchNorm1d", "LayerNorm1d", "Dropout", "Residual")


@pytest.mark.parametrize("answer", DUMB)
def test_dumb_answers_earn_nothing(answer: str, tmp_path: Path) -> None:
    """A forward that gives a dumb answer passes no check but those of the constructors."""
    solutions = {f"{name}.forward": f"def forward(self, x):\n    return {DUMB[answer]}\n" for name in NAMES}
    solutions["SoftmaxLoss.forward"] = f"def forward(self, x, y):\n    return {DUMB[answer]}\n"
    root = build(tmp_path / "submission", "hw2", "2023", solutions, {}, ())

    report = grade(root, "hw2", seed=0, only="nn.*").as_dict()

    passed = {c["id"] for q in report["questions"] for c in q["checks"] if c["verdict"] == "passed"}
    assert {one for one in passed if not one.endswith((".parameters", ".init", ".order", ".dtype"))} == set()
