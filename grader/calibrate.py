"""Measures `reference/` and writes the budgets; says which of them are stale."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.classroom.grade import grade
from grader.homework import budgets, hw1, log_checks, run_checks
from grader.homework.budgets import Figure
from grader.report.model import CheckResult

RUNS = {"hw1": ("*.graph",), "hw2": ("*.graph", "optim.Adam.memory")}
OPS = {op.name for op in (*hw1.OPS, hw1.RELU, *log_checks.OPS)}
Measured = dict[str, int]


def measure(submission: Path, homeworks: Iterable[str] = RUNS) -> Measured:
    """Return the figures of a submission: of every op's gradient, at its worst, and of the training run."""
    measured: Measured = {}
    for homework in homeworks:
        for only in RUNS[homework]:
            report = grade(submission, homework, only=only, blame=False)
            for check in (check for question in report.questions for check in question.checks):
                for name, value in _figures(check).items():
                    measured[name] = max(value, measured.get(name, 0))
    return measured


def _figures(check: CheckResult) -> Measured:
    """Return what a check has measured: of an op named in its id, or of the training run."""
    found = check.measurements
    op = next((part for part in check.id.split(".") if part in OPS), "")
    if op:
        return {f"gradient.{op}": found["nodes"]} if "nodes" in found else {}
    told = {name: found.get(name) for name in run_checks.FIGURES}
    return {f"Adam.{name}": one["value"] for name, one in told.items() if isinstance(one, dict)}


def update(
    known: Mapping[str, Figure], reference: Measured, right: Iterable[Measured] = ()
) -> dict[str, Figure]:
    """Return the figures with the reference's measured anew.

    With other right solutions, least and greatest are what these and the reference need; without any they
    stay as they are known, but that the reference lies between them.
    """
    others = list(right)
    figures = {}
    for name, value in sorted(reference.items()):
        old = known.get(name) if not others else None
        seen = [value, *(one[name] for one in others if name in one)]
        seen += [old.least, old.greatest] if old else []
        figures[name] = Figure(value, min(seen), max(seen))
    return figures


def write(figures: Mapping[str, Figure]) -> bool:
    """Write the figures; return whether the file has changed."""
    lines = (f"  {json.dumps(name)}: {json.dumps(one.as_dict())}" for name, one in figures.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    path = budgets.FILE
    is_new = not path.exists() or path.read_text(encoding="utf-8") != text
    if is_new:
        path.write_text(text, encoding="utf-8")
    budgets.load.cache_clear()
    return is_new


def stale(known: Mapping[str, Figure], reference: Measured) -> list[str]:
    """Return one line for every figure that is not what the reference needs now."""
    lines = []
    for name in sorted({*known, *reference}):
        if name not in reference:
            lines.append(f"{name}: nothing has this name any more")
        elif name not in known:
            lines.append(f"{name}: reference/ needs {reference[name]}, no budget is recorded")
        elif known[name].reference != reference[name]:
            now = replace(known[name], reference=reference[name])
            lines.append(
                f"{name}: reference/ needs {now.reference}, not {known[name].reference}: "
                f"the budget is {now.budget}, not {known[name].budget}"
            )
    return lines
