"""Leaks planted one at a time into right solutions of three styles: the check that fails, holder and function."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.homework.planted import swap
from tests.support import build, read_solutions

STYLES = Path(__file__).parents[1] / "bank" / "hw2_styles"
LAYOUTS = {"tensors": "2023", "arrays": "2023", "single": "2022"}
KEEP = "HISTORY = {}\n\ndef remember(p):\n    HISTORY.setdefault(id(p), []).append(p.grad)"


@dataclass(frozen=True)
class Leak:
    """A leak in a style: the function, its text before and after, the check, the holder, the maker."""

    id: str
    style: str
    function: str
    swaps: tuple[tuple[str, str], ...]
    check: str
    holder: str
    maker: str = ""
    helper: str = ""

    def build(self, folder: Path, prologue: str = "") -> Path:
        """Write the submission; `prologue` is put at the top of the optimisers' file."""
        solutions = read_solutions(STYLES / f"{self.style}.py")
        layout = LAYOUTS[self.style]
        if layout == "2022":
            solutions = {name: text for name, text in solutions.items() if "LogSoftmax" not in name}
        solutions = {**solutions, self.function: swap(solutions[self.function], *self.swaps)}
        before = "\n".join(text for text in (prologue, self.helper) if text)
        return build(folder, "hw2", layout, {**solutions, **({"before:Optimizer": before} if before else {})})


def _norm(style: str, name: str, old: str, new: str) -> Leak:
    holder = f"BatchNorm1d.{name} keeps"
    return Leak(
        name, style, "BatchNorm1d.forward", ((old, new),), "optim.Adam.graph_batchnorm", holder, "BatchNorm1d.forward"
    )  # fmt: skip


def _state(style: str, name: str, *swaps: tuple[str, str]) -> Leak:
    optimiser = name.partition(".")[0]
    return Leak(
        name, style, f"{optimiser}.step", swaps, f"optim.{optimiser}.graph", f"{name} keeps", f"{optimiser}.step"
    )  # fmt: skip


def _kept(style: str, old: str, weight: str) -> list[Leak]:
    """A gradient kept in an attribute, and one kept by a helper outside the regions."""
    kept = f"self.past = getattr(self, 'past', []) + [{weight}.grad]\n        {old}"
    helped = f"remember({weight})\n        {old}"
    return [
        Leak("gradient", style, "Adam.step", ((old, kept),), "optim.Adam.graph", "Adam.past keeps"),
        Leak("helper", style, "Adam.step", ((old, helped),), "optim.Adam.graph", "needle.optim.HISTORY keeps", helper=KEEP),
    ]  # fmt: skip


def _update(style: str, old: str, new: str) -> Leak:
    return Leak("parameter", style, "SGD.step", ((old, new),), "optim.SGD.graph", "Parameter", "SGD.step")


def _epoch(style: str, holder: str, *swaps: tuple[str, str]) -> Leak:
    return Leak("losses", style, "epoch", swaps, "mlp_resnet.epoch.graph", f"{holder} in epoch keeps")


TENSORS = [
    _norm(
        "tensors",
        "running_mean",
        "self.running_mean.data = (1 - self.momentum) * self.running_mean.data + self.momentum * m.data",
        "self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * m",
    ),
    _norm(
        "tensors",
        "running_var",
        "self.running_var.data = (1 - self.momentum) * self.running_var.data + self.momentum * v.data",
        "self.running_var = (1 - self.momentum) * self.running_var + self.momentum * v",
    ),
    _state(
        "tensors",
        "Adam.m",
        ("zeros_like(p)).data + (1 - self.beta1) * g", "zeros_like(p)) + (1 - self.beta1) * (p.grad + self.weight_decay * p.data)"),
    ),
    _state(
        "tensors",
        "Adam.v",
        ("zeros_like(p)).data + (1 - self.beta2) * g * g", "zeros_like(p)) + (1 - self.beta2) * (p.grad + self.weight_decay * p.data) ** 2"),
    ),
    _state("tensors", "SGD.u", ("p.grad.data +", "p.grad +")),
    _update("tensors", "p.data = p.data - self.lr * self.u[p]", "new = p - self.lr * self.u[p]\n        old = ndl.Tensor(p)\n        old.op, old.inputs = p.op, p.inputs\n        p.op, p.inputs, p.cached_data = new.op, [old, new.inputs[1]], new.cached_data"),
    *_kept("tensors", "g = p.grad.data", "p"),
    _epoch("tensors", "losses", ("losses.append(loss.numpy())", "losses.append(loss)"), ("np.mean(losses)", "np.mean([one.numpy() for one in losses])")),
]  # fmt: skip

ARRAYS = [
    _norm(
        "arrays",
        "running_mean",
        "self._average(self.running_mean, x.numpy().mean(axis=0))",
        "(1 - self.momentum) * self.running_mean + self.momentum * mean",
    ),
    _norm(
        "arrays",
        "running_var",
        "self._average(self.running_var, x.numpy().var(axis=0))",
        "(1 - self.momentum) * self.running_var + self.momentum * var",
    ),
    _state(
        "arrays",
        "Adam.m",
        ("self.m.get(i, np.zeros_like(w)) + (1 - self.beta1) * g", "self.m.get(i, 0.0) + (1 - self.beta1) * (p.grad + self.weight_decay * p.detach())"),
        ("m = self.m[i] /", "m = self.m[i].numpy() /"),
    ),
    _state(
        "arrays",
        "Adam.v",
        ("self.v.get(i, np.zeros_like(w)) + (1 - self.beta2) * np.square(g)", "self.v.get(i, 0.0) + (1 - self.beta2) * (p.grad + self.weight_decay * p.detach()) ** 2"),
        ("v = self.v[i] /", "v = self.v[i].numpy() /"),
    ),
    _state(
        "arrays",
        "SGD.u",
        ("g = p.grad.numpy() + self.weight_decay * p.numpy()", "g = p.grad + self.weight_decay * p.detach()"),
        ("self.lr * self.u[i]", "self.lr * self.u[i].numpy()"),
    ),
    _update("arrays", "p.cached_data = (p.numpy() - self.lr * self.u[i]).astype(p.dtype)", "old = p.detach()\n        old.op, old.inputs = p.op, p.inputs\n        new = old - self.lr * ndl.Tensor(self.u[i], dtype=p.dtype)\n        p.op, p.inputs, p.cached_data = new.op, [old], new.numpy()"),
    *_kept("arrays", "w = p.numpy()", "p"),
    _epoch("arrays", "loss_sum", ("loss_sum += loss.numpy() * len(y.numpy())", "loss_sum = loss * len(y.numpy()) + loss_sum"), ("loss_sum / total", "loss_sum.numpy() / total")),
]  # fmt: skip

SINGLE = [
    _norm("single", "running_mean", "m * self.momentum).detach()", "m * self.momentum)"),
    _norm("single", "running_var", "v * self.momentum).detach()", "v * self.momentum)"),
    _state("single", "Adam.m", ("grad * (1 - self.beta1)).detach()", "(w.grad + self.weight_decay * w.detach()) * (1 - self.beta1))")),
    _state("single", "Adam.v", ("grad * grad * (1 - self.beta2)).detach()", "(w.grad + self.weight_decay * w.detach()) ** 2 * (1 - self.beta2))")),
    _state("single", "SGD.u", ("w.grad.detach() +", "w.grad +"), ("new.detach()", "new")),
    _update("single", "w.data = ndl.Tensor(w.detach() - new * self.lr, dtype=\"float32\", requires_grad=False)", "old = ndl.Tensor(w)\n        old.op, old.inputs = w.op, w.inputs\n        moved = old - new * self.lr\n        w.op, w.inputs, w.cached_data = moved.op, [old], moved.numpy()"),
    *_kept("single", "key = id(w)", "w"),
    _epoch("single", "loss_all", ("loss_all.append(loss.numpy())", "loss_all.append(loss)"), ("sum(loss_all)", "sum(float(one.numpy()) for one in loss_all)")),
]  # fmt: skip

LEAKS = [*TENSORS, *ARRAYS, *SINGLE]
