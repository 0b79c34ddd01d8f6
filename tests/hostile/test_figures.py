"""Lies about what is measured beside student code, by edits that need no knowledge of the grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.report.model import Report
from tests.support import build

FROZEN = '''
class Frozen(nn.Parameter):
    """Whatever it is given, it is all {value}."""
    cached_data = property(lambda self: {value} * self._given, lambda self, given: setattr(self, "_given", given))

def {name}
    model = {wrong}
    for one in model.parameters():
        given = one.cached_data
        one.__class__ = Frozen
        one.cached_data = given
    return model
'''
BLOCK = "ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):"
WRONG_BLOCK = (
    "nn.Sequential(nn.Residual(nn.Sequential(nn.Linear(dim, hidden_dim), norm(hidden_dim), "
    "nn.Dropout(drop_prob), nn.Linear(hidden_dim, dim), norm(dim))), nn.ReLU())"
)


def graded(folder: Path, solutions: dict[str, str], only: str) -> Report:
    """The report of hw2 with some functions replaced."""
    return grade(build(folder / "hw2", "hw2", solutions=solutions), "hw2", only=only, blame=False)


def passed(report: Report) -> set[str]:
    """The checks that passed."""
    return {check.id for check in report.checks() if check.passed}


@pytest.mark.parametrize("value", ["0", "float('nan')"])
def test_parameters_that_make_anything_right(value: str, tmp_path: Path) -> None:
    """With parameters of zero or nan a wrong network has the outputs of the right one."""
    code = FROZEN.format(value=value, name=BLOCK, wrong=WRONG_BLOCK)

    report = graded(tmp_path, {"ResidualBlock": code}, "mlp_resnet.ResidualBlock.*")

    assert not passed(report) & {"mlp_resnet.ResidualBlock.train", "mlp_resnet.ResidualBlock.eval"}


LEAK = """
def step(self):
    self.kept = getattr(self, "kept", [])
    for p in self.params:
        if p.grad is not None:
            self.kept.append(p.grad)
            p.data = (p.detach() - self.lr * p.grad.detach()).detach()
"""
# Nodes that are made without `Value._init`, by which the tracer sees them.
HIDING = {
    "constructor of a subclass": """
def _init(self, op, inputs, *, num_outputs=1, cached_data=None, requires_grad=None):
    self.op, self.inputs, self.num_outputs, self.cached_data = op, inputs, num_outputs, cached_data
    self.requires_grad = any(v.requires_grad for v in inputs) if requires_grad is None else requires_grad
Tensor._init = _init
""",
    "no constructor": """
def make(cls, op, inputs):
    value = cls.__new__(cls)
    value.op, value.inputs, value.num_outputs, value.cached_data = op, inputs, 1, None
    value.requires_grad = any(v.requires_grad for v in inputs)
    value.realize_cached_data()
    return value if value.requires_grad else value.detach()
def constant(cls, data, *, requires_grad=False):
    value = cls.__new__(cls)
    value.op, value.inputs, value.num_outputs = None, [], 1
    value.cached_data, value.requires_grad = data, requires_grad
    return value
Tensor.make_from_op, Tensor.make_const = classmethod(make), classmethod(constant)
""",
}


@pytest.mark.parametrize("how", HIDING)
def test_nodes_that_are_made_out_of_sight(how: str, tmp_path: Path) -> None:
    """They are found by the collector, or missed; a leak of them does not pass, and the edit is noted."""
    only = "optim.SGD.graph,optim.SGD.values"

    report = graded(tmp_path, {"SGD.step": LEAK, "before:MatMul": HIDING[how]}, only)

    assert "optim.SGD.graph" not in passed(report)
    assert any(note["id"] == "scaffold-edited" for note in report.notes)
