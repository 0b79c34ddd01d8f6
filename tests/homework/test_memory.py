"""Growth is told to the node, the same from run to run, and with its holder wherever that is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from tests.homework.planted import SGD, swap
from tests.support import build

GRADIENT = "grad = p.grad.data +"


def _graph(folder: Path, solutions: dict[str, str], only: str = "optim.SGD.*") -> dict[str, Any]:
    submission = build(folder, "hw2", "2023", solutions)
    report = grade(submission, "hw2", only=only).as_dict()
    checks = [check for question in report["questions"] for check in question["checks"]]
    return next(check for check in checks if check["id"].endswith(".graph"))


def _keeping(line: str, before: str = "") -> dict[str, str]:
    text = swap(SGD, (GRADIENT, f"{line}\n        {GRADIENT}"))
    return {"SGD.step": text} | ({"before:Optimizer": before} if before else {})


BOUND = "def _bound(g, old):\n    return lambda: (g, old)"
RESET = """
def reset_grad(self):
    print("reset")
    for p in self.params:
        p.grad = None
"""

HOLDERS = {
    "a global list": (_keeping("KEPT.append(p.grad)", "KEPT = []"), "needle.optim.KEPT keeps"),
    "a nested attribute": (
        _keeping("self.memory = {'past': [p.grad, getattr(self, 'memory', None)]}"),
        "SGD.memory keeps",
    ),
    "a closure": (
        _keeping("self.look = _bound(p.grad, getattr(self, 'look', None))", BOUND),
        "SGD.look keeps",
    ),
    "a default argument": (
        {"SGD.step": swap(_keeping("past.append(p.grad)")["SGD.step"], ("(self)", "(self, past=[])"))},
        "keeps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("holder", HOLDERS)
def test_holder_is_named(holder: str, tmp_path: Path) -> None:
    """Wherever past gradients are kept, the check fails and says where."""
    solutions, says = HOLDERS[holder]

    check = _graph(tmp_path / "handed-in", solutions)

    assert check["verdict"] == "failed"
    assert says in check["message"]


def test_figures_repeat(tmp_path: Path) -> None:
    """Two runs, one with a print, the collector off and a counter that is frozen, give the same figures."""
    plain = _keeping("self.past = getattr(self, 'past', []) + [p.grad]")
    noisy = {
        **_keeping("self.past = getattr(self, 'past', []) + [p.grad]", "import gc\ngc.disable()"),
        "SGD.reset_grad": RESET,
        "Value.__del__": "def __del__(self):\n    pass\n",
    }

    first, second, third = (
        _graph(tmp_path / str(i), solutions)["measurements"]
        for i, solutions in enumerate((plain, plain, noisy))
    )

    assert first["alive_per_step"] == second["alive_per_step"] == third["alive_per_step"]
    assert first["growth_per_step"] == third["growth_per_step"] > 0


def test_right_optimisers_are_flat(tmp_path: Path) -> None:
    """From the second step on the number of living nodes does not move."""
    check = _graph(tmp_path / "handed-in", {})

    assert check["verdict"] == "passed"
    assert len(set(check["measurements"]["alive_per_step"][1:])) == 1
