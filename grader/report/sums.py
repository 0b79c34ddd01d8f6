"""Points as they are shown, with one decimal: what is shown adds up, whatever was rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.report.findings import told
from grader.report.model import Report
from grader.report.wording import points

NEAR = 0.02  # points: sums of numbers that were rounded themselves


@dataclass(frozen=True)
class Sums:
    """The score and its maximum, the same for each question, and what each finding costs ("" for nothing)."""

    score: str
    max_score: str
    questions: tuple[tuple[str, str], ...]
    lost: tuple[str, ...]


def sums(report: Report) -> Sums:
    """Return all points of a report as they are shown.

    Where questions have their full points in tenths, their losses are rounded to what the whole loses, and
    so are the findings' losses if they are all of it. Otherwise each number is rounded for itself.
    """
    most = [question.max_points for question in report.questions]
    losses = [question.max_points - question.points for question in report.questions]
    costs = [finding.lost for finding in told(report)]
    whole = report.max_score - report.score
    adds_up = abs(sum(most) - report.max_score) < NEAR and abs(sum(losses) - whole) < NEAR
    if not adds_up or any(abs(10 * one - round(10 * one)) > 1e-6 for one in most):
        shown = tuple((points(one.points), points(one.max_points)) for one in report.questions)
        return Sums(points(report.score), points(report.max_score), shown, tuple(map(_cost, costs)))
    lost = shares(losses, whole)
    shown = tuple((points(m - one / 10), points(m)) for m, one in zip(most, lost, strict=True))
    told_all = abs(sum(costs) - whole) < NEAR * max(1, len(costs))
    cost = tuple(_cost(one / 10) for one in shares(costs, whole)) if told_all else tuple(map(_cost, costs))
    return Sums(points(report.max_score - sum(lost) / 10), points(report.max_score), shown, cost)


def shares(parts: Sequence[float], whole: float) -> list[int]:
    """Return the parts in tenths that add up to the whole in tenths, each within a tenth of its part.

    What is left after rounding down goes to those that would show nothing, then to the largest rests.
    """
    tenths = [10 * max(0.0, part) for part in parts]
    found = [math.floor(one + 1e-3) for one in tenths]
    total = max(round(10 * whole), 1 if whole > 0 else 0)
    order = sorted(range(len(found)), key=lambda i: (found[i] > 0 or not tenths[i], found[i] - tenths[i]))
    for i in order[: max(0, total - sum(found))]:
        found[i] += 1
    return found


def _cost(lost: float) -> str:
    return points(lost) if lost else ""
