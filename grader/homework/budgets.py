"""What a right solution needs, as data: nodes per gradient, nodes and bytes of a training run.

`budgets.json` is written by `python -m grader calibrate`, which measures `reference/`. A budget is twice
what the reference needs, and one: measured over right solutions of many styles that lets all of them pass
(they need at most 2.3 times as much), and stops a node per axis where there are five.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("budgets.json")


@dataclass(frozen=True)
class Figure:
    """One measured figure: the reference's, and the least and the greatest of the right solutions."""

    reference: int
    least: int
    greatest: int

    @property
    def budget(self) -> int:
        """Return how much is allowed."""
        return 2 * self.reference + 1

    def scale(self, value: int) -> str:
        """Return where a value lies: "1.3 x the reference; right solutions lie between 1.0 and 1.6"."""
        mine, least, greatest = (one / max(self.reference, 1) for one in (value, self.least, self.greatest))
        return f"{mine:.1f} x the reference; right solutions lie between {least:.1f} and {greatest:.1f}"

    def as_dict(self) -> dict[str, int]:
        """Return the figure as it stands in the file, with the budget for those who read it there."""
        return {**asdict(self), "budget": self.budget}


NOTHING = Figure(0, 0, 0)


@cache
def load() -> dict[str, Figure]:
    """Return every figure by its name: `gradient.BroadcastTo`, `Adam.live_nodes`."""
    return read(FILE) if FILE.exists() else {}


def read(path: Path) -> dict[str, Figure]:
    """Return the figures of a file; ValueError if it does not hold the budgets that the rule gives."""
    figures = {}
    for name, values in json.loads(path.read_text(encoding="utf-8")).items():
        budget = values.pop("budget")
        figures[name] = Figure(**values)
        if figures[name].budget != budget:
            raise ValueError(f"{name}: the budget is {budget}, the rule gives {figures[name].budget}")
    return figures


def gradient(op: str) -> int:
    """Return how many nodes the `gradient` of an op may make: none before it is calibrated."""
    return figure(f"gradient.{op}").budget


def figure(name: str) -> Figure:
    """Return a figure, one that allows nothing before it is calibrated."""
    return load().get(name, NOTHING)
