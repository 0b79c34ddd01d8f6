"""Beside a wrong answer stands on which plainer inputs it is right: each was tried, and what is said is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.faults.hw2_source import altered
from tests.support import build

# function -> what is altered, the check that fails, the clauses; None: wrong on all of them
FAULTS = {
    "RandomCrop.__call__": (("left : left + width", "left : left + height"), "data.RandomCrop.values", "the image is square"),
    "SGD.step": (("self.weight_decay * p.data", "self.weight_decay * 3"), "optim.SGD.values", "weight_decay is 0"),
    "Adam.step": (("self.beta1 * self.m.get(p, 0.0)", "self.beta1 * 2 * self.m.get(p, 0.0)"), "optim.Adam.values", "it is the first step; beta1 is 0"),
    "BatchNorm1d.forward": (("self.weight.", "(self.weight * self.weight)."), "nn.BatchNorm1d.forward", "weight is all 1"),
    "ReLU.gradient": (("node.inputs[0].realize_cached_data() > 0", "(node.inputs[0].realize_cached_data() > 0) * 0.5 + 0.5"), "backward.ReLU.gradient", "no input is negative"),
    "MLPResNet": ((", norm, drop_prob)", ", nn.BatchNorm1d, drop_prob)"), "mlp_resnet.MLPResNet.train", "norm is BatchNorm1d"),
    "Exp.gradient": (("out_grad *", "out_grad * 3 *"), "backward.Exp.gradient", None),
}  # fmt: skip


@pytest.mark.parametrize("function", FAULTS)
def test_clause_is_said(function: str, tmp_path: Path) -> None:
    """The feature that the fault depends on is told, and nothing where it depends on none."""
    replaced, check_id, clause = FAULTS[function]
    submission = build(tmp_path, "hw2", "2023", altered(function, replaced))

    report = grade(submission, "hw2", only=check_id, blame=False)

    (check,) = report.checks()
    assert check.verdict == "failed"
    said = (check.counterexample or {}).get("right if", "")
    assert set(clause.split("; ")) <= set(said.split("; ")) if clause else not said
