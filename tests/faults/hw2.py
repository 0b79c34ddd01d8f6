"""The fault table of hw2: its two ops, initialisers, modules, optimisers and graphs."""

from __future__ import annotations

from tests.faults.hw1_ops import BROADCAST_NODE_PER_AXIS
from tests.faults.hw1_planted import with_prologue
from tests.faults.model import Expect, Fault, fine
from tests.support import reference_function


def altered(name: str, *replaced: tuple[str, str]) -> dict[str, str]:
    """The reference's function with pieces of its text replaced; each piece must be there."""
    source = reference_function(name)
    for old, new in replaced:
        assert old in source, f"{name} has no {old!r}"
        source = source.replace(old, new)
    return {name: source}


def _lost(*failed: str, says: tuple[str, ...] = (), consequences: tuple[str, ...] = ()) -> Expect:
    return Expect(failed, says, consequences=(*consequences, "mlp_resnet.*"))


LOG_OPS = [
    Fault(
        "logsumexp-squeezes-all",
        "LogSumExp squeezes genuine axes of size 1",
        _lost("ops.LogSumExp.forward", says=("shape",), consequences=("ops.LogSumExp.*", "nn.SoftmaxLoss.*")),
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
        _lost("ops.LogSumExp.stable", says=("stable", "inf"), consequences=("ops.LogSumExp.*",)),
        {
            "LogSumExp.compute": """
def compute(self, Z):
    return array_api.log(array_api.sum(array_api.exp(Z), axis=self.axes))
"""
        },
    ),
    Fault(
        "logsumexp-gradient-unstable",
        "LogSumExp not stable at 1e4",
        _lost("ops.LogSumExp.gradient_stable", says=("stable",)),
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
        "logsumexp-detached",
        "a gradient wraps raw arrays back into Tensors",
        _lost("ops.LogSumExp.second_order", says=("detached",)),
        altered("LogSumExp.gradient", ("Z = node.inputs[0]", "Z = node.inputs[0].detach()")),
    ),
    Fault(
        "logsoftmax-in-place",
        "LogSoftmax/LogSumExp modify their input in place",
        _lost("ops.LogSoftmax.hygiene", says=("LogSoftmax", "input 0"), consequences=("ops.LogSoftmax.*",)),
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
        _lost("optim.graph.BroadcastTo", says=("nodes", "budget")),
        {"BroadcastTo.gradient": BROADCAST_NODE_PER_AXIS},
    ),
]

LEAKS = [
    Fault(
        "batchnorm-leak",
        "BatchNorm running statistics keep the graph of every past step",
        _lost("nn.BatchNorm1d.graph", says=("running_mean",), consequences=("optim.*.graph_batchnorm",)),
        altered(
            "BatchNorm1d.forward",
            (
                "self.running_mean.data + self.momentum * mean.data",
                "self.running_mean + self.momentum * mean",
            ),
        ),
    ),
    Fault(
        "adam-moments-leak",
        "optimiser moments not detached",
        _lost("optim.Adam.graph", says=("Adam.m",), consequences=("optim.Adam.graph_*",)),
        altered("Adam.step", ("p.grad.data + self.weight_decay * p.data", "p.grad + self.weight_decay * p")),
    ),
    Fault(
        "sgd-leak",
        "SGD leak",
        _lost("optim.SGD.graph", says=("SGD.u",), consequences=("optim.SGD.graph_*",)),
        altered("SGD.step", ("p.grad.data + self.weight_decay * p.data", "p.grad + self.weight_decay * p")),
    ),
]

MODULES = [
    Fault(
        "dropout-inverted",
        "Dropout p inverted",
        _lost("nn.Dropout.ratio", says=("25", "75"), consequences=("nn.Dropout.*",)),
        altered("Dropout.forward", ("keep = 1 - self.p", "keep = self.p")),
    ),
    Fault(
        "dropout-no-scale",
        "Dropout scale missing",
        _lost("nn.Dropout.scale", says=("scale",), consequences=("nn.Dropout.gradient",)),
        altered("Dropout.forward", ("x * mask / keep", "x * mask")),
    ),
    Fault(
        "dropout-in-eval",
        "Dropout still dropping in eval",
        _lost("nn.Dropout.eval", says=("eval",)),
        altered("Dropout.forward", ("if not self.training:\n", "if False:\n")),
    ),
    Fault(
        "batchnorm-unbiased",
        "running_var unbiased",
        _lost("nn.BatchNorm1d.running", says=("biased",), consequences=("nn.BatchNorm1d.forward_eval",)),
        altered(
            "BatchNorm1d.forward",
            ("self.momentum * var.data", "self.momentum * var.data * (batch / (batch - 1))"),
        ),
    ),
    Fault(
        "batchnorm-eval-batch",
        "BatchNorm in eval: batch statistics",
        _lost("nn.BatchNorm1d.forward_eval", says=("batch",), consequences=("nn.BatchNorm1d.*",)),
        {
            "BatchNorm1d.forward": with_prologue(
                "BatchNorm1d.forward", "training, self.training = self.training, True"
            )
        },
    ),
    Fault(
        "batchnorm-eval-no-eps",
        "BatchNorm in eval: eps missing",
        _lost("nn.BatchNorm1d.forward_eval", says=("eps",), consequences=("nn.BatchNorm1d.gradient_eval",)),
        altered(
            "BatchNorm1d.forward",
            ("var = self.running_var.data\n", "var = self.running_var.data - self.eps\n"),
        ),
    ),
    Fault(
        "linear-bias-plain",
        "Linear.bias is a plain Tensor",
        _lost("nn.Linear.parameters", says=("bias",), consequences=("nn.modes.*", "nn.Linear.*")),
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
        _lost("nn.Linear.parameters", says=("bias",), consequences=("nn.Linear.*",)),
        altered("Linear.__init__", ("if bias:", "if True:")),
    ),
    Fault(
        "statistics-are-parameters",
        "running statistics are Parameters",
        _lost(
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
]

OPTIMISERS = [
    Fault(
        "sgd-momentum-whole",
        "momentum without (1-m)",
        _lost("optim.SGD.values", says=("momentum",), consequences=("optim.SGD.*",)),
        altered("SGD.step", ("(1 - self.momentum) * grad", "grad")),
    ),
    Fault(
        "adam-no-correction",
        "bias correction missing",
        _lost("optim.Adam.values", says=("correction",), consequences=("optim.Adam.*",)),
        altered("Adam.step", (" / (1 - self.beta1**self.t)", ""), (" / (1 - self.beta2**self.t)", "")),
    ),
    Fault(
        "adam-correction-stored",
        "bias correction stored back into m",
        _lost("optim.Adam.values", says=("stored",), consequences=("optim.Adam.*",)),
        altered(
            "Adam.step",
            ("m_hat = self.m[p]", "m_hat = self.m[p] = self.m[p]"),
            ("v_hat = self.v[p]", "v_hat = self.v[p] = self.v[p]"),
        ),
    ),
    Fault(
        "adam-decoupled",
        "weight decay decoupled",
        _lost("optim.Adam.values", says=("decay",), consequences=("optim.Adam.*",)),
        altered(
            "Adam.step",
            ("p.grad.data + self.weight_decay * p.data", "p.grad.data"),
            ("p.data - update", "p.data - update - self.lr * self.weight_decay * p.data"),
        ),
    ),
    Fault(
        "sgd-none",
        "skip parameters whose grad is None",
        _lost("optim.SGD.none", says=("None",), consequences=("optim.SGD.*",)),
        altered("SGD.step", ("if p.grad is None:\n", "if False:\n")),
    ),
]

FAULTS = [*LOG_OPS, *LEAKS, *MODULES, *OPTIMISERS]
