"""How much a submission does for its results: nodes of a training step, and time, beside the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.homework import budgets
from grader.report.model import Report

MADE = ("forward_nodes", "backward_nodes", "step_nodes")


@dataclass(frozen=True)
class Work:
    """`nodes` made and `reference` nodes of the same (None without), `alive` at the end of a training run.

    `seconds` is the time of all checks that passed, by check.
    """

    nodes: float | None = None
    reference: float | None = None
    alive: float | None = None
    seconds: float = 0.0


def work_of(report: Report) -> Work:
    """Return what a report says of work: a training step's nodes if it was measured, else its gradients'."""
    seconds = sum(check.seconds for check in report.checks() if check.passed)
    measured = [check.measurements for check in report.checks() if check.measurements]
    training = next((one for one in measured if _is_step(one)), None)
    if training is not None:
        made = [sum(float(training[name][part]) for name in MADE) for part in ("value", "reference")]
        return Work(made[0], made[1], _value(training.get("live_nodes")), round(seconds, 3))
    counted = list(_gradients(report))
    if not counted:
        return Work(seconds=round(seconds, 3))
    nodes, reference = (sum(part) for part in zip(*counted, strict=True))
    return Work(nodes, reference or None, None, round(seconds, 3))


def _gradients(report: Report) -> Iterator[tuple[float, float]]:
    """Yield the nodes of each op's gradient, and the reference's."""
    known = budgets.load()
    for check in report.checks():
        nodes: Any = check.measurements.get("nodes")
        figures = [known[name] for part in check.id.split(".") if (name := f"gradient.{part}") in known]
        if figures and _is_count(nodes):
            yield float(nodes), float(figures[0].reference)


def _is_step(measured: dict[str, Any]) -> bool:
    return all(
        isinstance(measured.get(name), dict)
        and _is_count(measured[name].get("value"))
        and _is_count(measured[name].get("reference"))
        for name in MADE
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12


def _value(measured: Any) -> float | None:
    value = measured.get("value") if isinstance(measured, dict) else None
    return float(value) if value is not None and _is_count(value) else None
