"""A right solution in a style of its own, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import build, read_solutions
from tests.support.transforms import Transform

HERE = Path(__file__).parent
HW1_APPS = ("softmax_loss", "nn_epoch")
ABSENT_IN_2022 = ("EWisePow.", "LogSoftmax.")


@dataclass(frozen=True, eq=False)
class Style:
    """A right solution: where its functions are, its layout, and what was done to its text.

    `source` names the file of functions in the homework's folder of styles (by default `name`), `carried`
    one of hw1's that hw2 builds on. Without either the functions are the reference's.
    """

    name: str
    layout: str = "2023"
    source: str = ""
    transforms: tuple[Transform, ...] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    carried: str = ""

    def build(self, target: Path, homework: str) -> Path:
        """Write the submission to `target`."""
        files = {**self._extension(homework), **self.files}
        return build(target, homework, self.layout, self.solutions(homework), files, self.transforms)

    def solutions(self, homework: str) -> dict[str, str]:
        """The functions that are not the reference's."""
        solutions = {**self._carried(), **_read(homework, self.source or self.name)}
        if self.layout == "2022":
            return {name: text for name, text in solutions.items() if not name.startswith(ABSENT_IN_2022)}
        return solutions

    def _extension(self, homework: str) -> dict[str, bytes]:
        """hw0's C++ file, if the style has one of its own."""
        source = HERE / f"{homework}_styles" / f"{self.source or self.name}.cpp"
        return {"src/simple_ml_ext.cpp": source.read_bytes()} if source.exists() else {}

    def _carried(self) -> dict[str, str]:
        carried = _read("hw1", self.carried) if self.carried else {}
        return {name: text for name, text in carried.items() if not name.endswith(HW1_APPS)}


def _read(homework: str, name: str) -> dict[str, str]:
    source = HERE / f"{homework}_styles" / f"{name}.py"
    return read_solutions(source) if source.exists() else {}
