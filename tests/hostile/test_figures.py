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
