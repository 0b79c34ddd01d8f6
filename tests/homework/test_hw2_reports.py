"""Faults that one report of hw2 has to make clear by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.report import terminal
from tests.support import build

IN_PLACE = """\
def sum_node_list(node_list):
    total = node_list[0]
    for node in node_list[1:]:
        total.data = total.data + node.data
    return total
"""
SHIFTED_MASK = """\
def gradient(self, out_grad, node):
    return out_grad * Tensor(node.realize_cached_data() >= 0, dtype=out_grad.dtype)
"""
ONE_FOR_A_COLUMN = """\
def forward(self, x):
    if not self.training:
        return x
    mask = init.randb(1, x.shape[1], p=1 - self.p, dtype=x.dtype) / (1 - self.p)
    return x * mask.broadcast_to(x.shape)
"""
HALF = """\
def kaiming_normal(fan_in, fan_out, nonlinearity="relu", **kwargs):
    return randn(fan_in, fan_out, std=math.sqrt(2) / fan_in ** 1/2, **kwargs)
"""
REPORTS = [
    pytest.param("sum_node_list", IN_PLACE, "Residual", ("1  sum_node_list  -", "changes out_grad in place"), id="sum-in-place"),
    pytest.param("ReLU.gradient", SHIFTED_MASK, "backward.ReLU", ("the mask is true everywhere", "yours"), id="mask"),
    pytest.param("Dropout.forward", ONE_FOR_A_COLUMN, "nn.Dropout", ("drops whole columns", "yours      [["), id="columns"),
    pytest.param("kaiming_normal", HALF, "init.kaiming_normal", ("std is sqrt(2) / fan_in / 2", "kaiming_normal(4, 1)"), id="half"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "only", "said"), REPORTS)
def test_report_says(name: str, source: str, only: str, said: tuple[str, ...], tmp_path: Path) -> None:
    """Each names the cause and shows it on a small input."""
    one = grade(build(tmp_path, "hw2", solutions={name: source}), "hw2", only=only)

    page = " ".join(terminal.render(one).split())
    assert [words for words in said if " ".join(words.split()) not in page] == []


def test_the_formula_s_own_value_is_expected(tmp_path: Path) -> None:
    """What a wrong range should be is the formula's number, not a draw's: sqrt(2)/sqrt(40) = 0.2236."""
    third = HALF.replace("** 1/2", "** 0.3")
    one = grade(
        build(tmp_path, "hw2", solutions={"kaiming_normal": third}), "hw2", only="init.kaiming_normal"
    )

    (failed,) = [check for check in one.checks() if check.verdict == "failed"]
    assert failed.help.endswith("for fan_in 40 and fan_out 60, expected sqrt(2) / sqrt(40) = 0.2236")
