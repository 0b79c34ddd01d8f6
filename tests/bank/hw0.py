"""Right solutions of hw0, each in a style of its own: all of them must get full marks."""

from __future__ import annotations

from tests.bank.style import HERE, Style
from tests.support import transforms as change
from tests.support.compiling import extension

SOURCE = "src/simple_ml_ext.cpp"
GUARD = (
    "try:\n    from simple_ml_ext import softmax_regression_epoch_cpp\nexcept ImportError:  # not built yet\n"
)


def _cpp(name: str) -> dict[str, str | bytes]:
    text = (HERE / "hw0_styles" / f"{name}.cpp").read_text(encoding="utf-8")
    return {SOURCE: text if "PYBIND11_MODULE" in text else extension(text)}


STYLES = [
    Style("reference"),
    Style(
        "loops",
        files=_cpp("loops"),
        transforms=(change.your_code, change.leftover_raise, change.non_ascii_comments),
    ),
    Style("terse", files=_cpp("terse"), transforms=(change.strip_markers, change.crlf)),
    Style(
        "whole_batches",
        files={**_cpp("whole_batches"), "src/simple_ml_ext.so": b"\x7fELF garbage"},
        transforms=(
            change.lose_end_markers,
            change.print_at_import,
            change.rename_import(
                GUARD, "try:\n    from simple_ml_ext import *\nexcept:\n", "src/simple_ml.py"
            ),
        ),
    ),
    Style(
        "wide",
        files=_cpp("wide"),
        transforms=(
            change.tabs,
            change.no_final_newline,
            # unguarded: it works for its author, whose extension is built
            change.rename_import(GUARD, "from simple_ml_ext import *\nif False:\n", "src/simple_ml.py"),
        ),
    ),
]
