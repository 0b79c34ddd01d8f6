"""The fault table of hw2: its two ops, initialisers, modules, optimisers and graphs."""

from __future__ import annotations

from tests.faults import hw2_given, hw2_sizes, hw2_training, hw2_tried
from tests.faults.hw1_ops import BROADCAST_NODE_PER_AXIS
from tests.faults.hw1_planted import with_prologue
from tests.faults.hw2_source import altered, lost, named
from tests.faults.model import Fault, fine

LOG_OPS = [
    Fault(
        "logsumexp-squeezes-all",
        "LogSumExp squeezes genuine axes of size 1",
        lost("ops.LogSumExp.forward", says=("shape",), consequences=("ops.LogSumExp.*", "nn.SoftmaxLoss.*")),
        {
            "LogSumExp.compute": """
def compute(self, Z):
    top = array_api.max(Z, axis=self.axes, keepdims=True)
    total = array_api.sum(array_api.exp(Z - top), axis=self.axes, keepdims=True)
    return (array_api.log(total) + top).squeeze()
"""
        },
    ),
    Fault(
        "logsumexp-unstable",
        "LogSumExp not stable at 1e4",
        lost(
            "ops.LogSumExp.stable",
            says=("stable", "inf"),
            consequences=("ops.LogSumExp.*", "nn.SoftmaxLoss.*"),
        ),
        {
            "LogSumExp.compute": """
def compute(self, Z):
    return array_api.log(array_api.sum(array_api.exp(Z), axis=self.axes))
"""
        },
    ),
    Fault(
        "logsumexp-unstable-over-all",
        "LogSumExp not stable at 1e4",
        lost(
            "ops.LogSumExp.stable",
            says=("LogSumExp.compute is not stable: inf, expected", "LogSumExp(None)"),
            consequences=("ops.LogSumExp.gradient_stable",),
        ),
        altered(
            "LogSumExp.compute",
            (
                "):\n",
                "):\n    if self.axes is None:\n        return array_api.log(array_api.sum(array_api.exp(Z)))\n",
            ),
        ),
    ),
    Fault(
        "logsumexp-gradient-unstable",
        "LogSumExp not stable at 1e4",
        lost("ops.LogSumExp.gradient_stable", says=("stable",), consequences=("nn.SoftmaxLoss.gradient",)),
        {
            "LogSumExp.gradient": """
def gradient(self, out_grad, node):
    Z = node.inputs[0]
    axes = range(len(Z.shape)) if self.axes is None else self.axes
    axes = (axes,) if isinstance(axes, int) else axes
    axes = [axis % len(Z.shape) for axis in axes]
    kept = tuple(1 if i in axes else n for i, n in enumerate(Z.shape))
    e = exp(Z)
    share = out_grad / summation(e, tuple(axes))
    return e * broadcast_to(reshape(share, kept), Z.shape)
"""
        },
    ),
    Fault(
        "logsumexp-tuples-only",
        "LogSumExp with int axes in backward",
        fine(advice=("ops.LogSumExp.axes",)),
        altered(
            "LogSumExp.gradient",
            ("axes = (axes,) if isinstance(axes, int) else axes", "axes = tuple(axes)"),
        ),
    ),
    Fault(
        "logsumexp-computes-tuples-only",
        "LogSumExp with int axes in forward",
        fine(
            advice=("ops.LogSumExp.forward_axes",),
            advice_says=("LogSumExp.compute fails for axes=1, though it works for",),
        ),
        altered(
            "LogSumExp.compute",
            ("):\n", "):\n    self.axes = None if self.axes is None else tuple(self.axes)\n"),
        ),
    ),
    Fault(
        "logsumexp-detached",
        "a gradient wraps raw arrays back into Tensors",
        lost("ops.LogSumExp.second_order", says=("detached",)),
        altered("LogSumExp.gradient", ("Z = node.inputs[0]", "Z = node.inputs[0].detach()")),
    ),
    Fault(
        "logsoftmax-in-place",
        "LogSoftmax/LogSumExp modify their input in place",
        lost("ops.LogSoftmax.hygiene", says=("LogSoftmax", "input 0"), consequences=("ops.LogSoftmax.*",)),
        {
            "LogSoftmax.compute": """
def compute(self, Z):
    Z -= array_api.max(Z, axis=1, keepdims=True)
    return Z - array_api.log(array_api.sum(array_api.exp(Z), axis=1, keepdims=True))
"""
        },
    ),
    Fault(
        "broadcast-node-per-axis",
        "BroadcastTo gradient makes a node per axis",
        lost("optim.graph.BroadcastTo", says=("nodes", "budget")),
        {"BroadcastTo.gradient": BROADCAST_NODE_PER_AXIS},
    ),
]

LEAKS = [
    Fault(
        "batchnorm-leak",
        "BatchNorm running statistics keep the graph of every past step",
        lost(
            "nn.BatchNorm1d.graph",
            says=("BatchNorm1d.running_mean keeps", "nodes per step alive"),
            consequences=("optim.*.graph_batchnorm",),
        ),
        altered(
            "BatchNorm1d.forward",
            (
                "self.running_mean.data + self.momentum * mean.data",
                "self.running_mean + self.momentum * mean",
            ),
        ),
    ),
]

EVAL_MOMENTUM = """
def forward(self, x):
    n, m = x.shape[0], self.momentum
    mean = x.sum(axes=(0,)) / n
    centred = x - mean.broadcast_to(x.shape)
    var = (centred ** 2).sum(axes=(0,)) / n
    self.running_mean = (1 - m) * self.running_mean.data + m * mean.data
    self.running_var = (1 - m) * self.running_var.data + m * var.data
    if not self.training:
        centred = x - self.running_mean.broadcast_to(x.shape)
        var = self.running_var
    normal = centred / ((var + self.eps) ** 0.5).broadcast_to(x.shape)
    return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)
"""

UNSTABLE_LOSS = """
def forward(self, logits, y):
    one_hot = init.one_hot(logits.shape[1], y)
    chosen = (logits * one_hot).sum()
    return (ops.log(ops.exp(logits).sum(axes=(1,))).sum() - chosen) / logits.shape[0]
"""

MODULES = [
    Fault(
        "dropout-inverted",
        "Dropout p inverted",
        lost("nn.Dropout.ratio", says=("25", "75"), consequences=("nn.Dropout.*",)),
        altered("Dropout.forward", ("keep = 1 - self.p", "keep = self.p")),
    ),
    Fault(
        "dropout-no-scale",
        "Dropout scale missing",
        lost("nn.Dropout.scale", says=("scale",), consequences=("nn.Dropout.gradient",)),
        altered("Dropout.forward", ("x * mask / keep", "x * mask")),
    ),
    Fault(
        "dropout-in-eval",
        "Dropout still dropping in eval",
        lost("nn.Dropout.eval", says=("eval",)),
        altered("Dropout.forward", ("if not self.training:\n", "if False:\n")),
    ),
    Fault(
        "batchnorm-unbiased",
        "running_var unbiased",
        lost("nn.BatchNorm1d.running", says=("biased",), consequences=("nn.BatchNorm1d.forward_eval",)),
        altered(
            "BatchNorm1d.forward",
            ("self.momentum * var.data", "self.momentum * var.data * (batch / (batch - 1))"),
        ),
    ),
    Fault(
        "batchnorm-eval-batch",
        "BatchNorm in eval: batch statistics",
        lost("nn.BatchNorm1d.forward_eval", says=("batch",), consequences=("nn.BatchNorm1d.*",)),
        {
            "BatchNorm1d.forward": with_prologue(
                "BatchNorm1d.forward", "training, self.training = self.training, True"
            )
        },
    ),
    Fault(
        "batchnorm-eval-no-eps",
        "BatchNorm in eval: eps missing",
        lost("nn.BatchNorm1d.forward_eval", says=("eps",), consequences=("nn.BatchNorm1d.gradient_eval",)),
        altered(
            "BatchNorm1d.forward",
            ("var = self.running_var.data\n", "var = self.running_var.data - self.eps\n"),
        ),
    ),
    Fault(
        "linear-bias-plain",
        "Linear.bias is a plain Tensor",
        lost("nn.Linear.parameters", says=("bias",), consequences=("nn.modes.*", "nn.Linear.*")),
        altered(
            "Linear.__init__",
            (
                "self.bias = Parameter(column.reshape((1, out_features)))",
                "self.bias = column.reshape((1, out_features))",
            ),
        ),
    ),
    Fault(
        "linear-bias-false",
        "`bias=False` still has one",
        lost("nn.Linear.parameters", says=("bias",), consequences=("nn.Linear.*",)),
        altered("Linear.__init__", ("if bias:", "if True:")),
    ),
    Fault(
        "statistics-are-parameters",
        "running statistics are Parameters",
        lost(
            "nn.BatchNorm1d.parameters",
            says=("running_mean",),
            consequences=("nn.BatchNorm1d.*", "optim.*.graph_batchnorm"),
        ),
        altered(
            "BatchNorm1d.__init__",
            (
                "self.running_mean = init.zeros(dim, **kwargs)",
                "self.running_mean = Parameter(init.zeros(dim, **kwargs))",
            ),
        ),
    ),
    Fault(
        "init-drops-kwargs",
        "initialisers drop `**kwargs`",
        fine(advice=("init.xavier_uniform.kwargs",), advice_says=("requires_grad",)),
        altered(
            "xavier_uniform", ("high=bound, **kwargs", "high=bound, dtype=kwargs.get('dtype', 'float32')")
        ),
    ),
    Fault(
        "dropout-none-in-eval",
        "Dropout: None in eval",
        lost("nn.Dropout.eval", says=("the output in eval is None",), consequences=("nn.Dropout.*",)),
        altered("Dropout.forward", ("        return x\n", "        return None\n")),
    ),
    Fault(
        "dropout-inverted-rescaled",
        "Dropout p inverted (right at 0.5)",
        lost("nn.Dropout.ratio", says=("dropped 75 %, asked 25 %",), consequences=("nn.Dropout.*",)),
        altered("Dropout.forward", ("p=keep,", "p=self.p,"), ("x * mask / keep", "x * mask / self.p")),
    ),
    Fault(
        "batchnorm-eval-no-affine",
        "BatchNorm in eval: affine missing",
        named("nn.BatchNorm1d.forward_eval", "batchnorm-eval-affine", consequences=("nn.BatchNorm1d.*",)),
        altered(
            "BatchNorm1d.forward",
            (
                "    return self.weight",
                "    if not self.training:\n        return normal\n    return self.weight",
            ),
        ),
    ),
    Fault(
        "batchnorm-eval-momentum",
        "BatchNorm in eval: momentum applied",
        named("nn.BatchNorm1d.forward_eval", "batchnorm-eval-updated", consequences=("nn.BatchNorm1d.*",)),
        {"BatchNorm1d.forward": EVAL_MOMENTUM},
    ),
    Fault(
        "statistics-var-parameter",
        "running statistics are Parameters",
        lost(
            "nn.BatchNorm1d.parameters",
            says=("running_var (3,)", "expected weight (3,), bias (3,)"),
            consequences=("nn.BatchNorm1d.*", "optim.*.graph_batchnorm"),
        ),
        altered(
            "BatchNorm1d.__init__",
            (
                "self.running_var = init.ones(dim, **kwargs)",
                "self.running_var = Parameter(init.ones(dim, **kwargs))",
            ),
        ),
    ),
    Fault(
        "statistics-become-parameters",
        "running statistics are Parameters",
        lost(
            "nn.BatchNorm1d.running",
            says=("running_mean (3,)", "(after a forward pass in training)"),
            consequences=("nn.BatchNorm1d.*", "optim.*.graph_batchnorm"),
        ),
        altered(
            "BatchNorm1d.forward",
            ("self.running_mean = ", "self.running_mean = Parameter("),
            ("self.momentum * mean.data", "self.momentum * mean.data)"),
        ),
    ),
    Fault(
        "batchnorm-other-default",
        "a default of the signature changed",
        lost(
            "nn.BatchNorm1d.running",
            says=("BatchNorm1d: the default of momentum is not 0.1;",),
            consequences=("nn.BatchNorm1d.*",),
        ),
        altered("BatchNorm1d.__init__", ("momentum=0.1", "momentum=0.9")),
    ),
    Fault(
        "loss-not-stable",
        "SoftmaxLoss is not stable",
        lost("nn.SoftmaxLoss.forward", says=("inf",), consequences=("nn.SoftmaxLoss.*",)),
        {"SoftmaxLoss.forward": UNSTABLE_LOSS},
    ),
    Fault(
        "dropout-other-default",
        "a default of the signature changed",
        lost(
            "nn.Dropout.hygiene",
            says=("Dropout() dropped 90 %: the default of p is not 0.5",),
        ),
        altered("Dropout.__init__", ("p=0.5", "p=0.9")),
    ),
    Fault(
        "init-drops-dtype",
        "initialisers drop `**kwargs`",
        fine(advice=("init.kaiming_uniform.kwargs",), advice_says=("dtype",)),
        altered("kaiming_uniform", ("high=bound, **kwargs", "high=bound")),
    ),
]

FAULTS = [
    *LOG_OPS,
    *LEAKS,
    *MODULES,
    *hw2_sizes.FAULTS,
    *hw2_given.FAULTS,
    *hw2_tried.FAULTS,
    *hw2_training.FAULTS,
]
