"""Right solutions of hw1, each in a style of its own: all of them must get full marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import build, read_solutions
from tests.support import transforms as change
from tests.support.transforms import Transform

HERE = Path(__file__).parent


@dataclass(frozen=True, eq=False)
class Style:
    """A right solution: the file of its functions, its layout, and what was done to its text."""

    name: str
    layout: str = "2023"
    source: str = ""
    transforms: tuple[Transform, ...] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)

    def build(self, target: Path, homework: str = "hw1") -> Path:
        """Write the submission to `target`."""
        source = HERE / f"{homework}_styles" / f"{self.source or self.name}.py"
        solutions = read_solutions(source) if source.exists() else {}
        return build(target, homework, self.layout, solutions, self.files, self.transforms)


IMPORT = 'sys.path.append("python/")\nimport needle as ndl\n'

STYLES = [
    Style("reference"),
    Style("reference_2022", "2022"),
    Style("terse", transforms=(change.strip_markers, change.no_final_newline)),
    Style("wordy", transforms=(change.your_code, change.leftover_raise, change.non_ascii_comments)),
    Style("operators", "2022", transforms=(change.strip_markers, change.crlf)),
    Style("helpers", transforms=(change.print_at_import, change.lose_end_markers)),
    Style("numpy_minded", transforms=(change.crlf, change.short_markers)),
    Style("functions", "2022", transforms=(change.tabs,)),
    Style("older", "2022", transforms=(change.leftover_raise, change.crlf, change.no_final_newline)),
    Style("guarded", transforms=(change.byte_order_mark,)),
    Style("reducer", transforms=(change.non_ascii_comments, change.strip_markers)),
    Style(
        "terse_python_needle",
        source="terse",
        transforms=(change.rename_import(IMPORT, "import python.needle as ndl\n"),),
    ),
    Style(
        "functions_from_needle",
        source="functions",
        layout="2022",
        transforms=(
            change.rename_import(IMPORT, 'sys.path.append("../python")\nfrom python import needle as ndl\n'),
            change.tabs,
        ),
    ),
    Style(
        "wordy_hw1_python_needle",
        source="wordy",
        transforms=(
            change.rename_import(
                IMPORT, "import hw1.python.needle as ndl\nfrom hw1.python.needle import Tensor\n"
            ),
        ),
    ),
]
