"""Right solutions of hw1, each in a style of its own: all of them must get full marks."""

from __future__ import annotations

from tests.bank.style import Style
from tests.support import transforms as change

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
