"""Right solutions of hw2, each in a style of its own: all of them must get full marks."""

from __future__ import annotations

from tests.bank.style import Style
from tests.support import transforms as change

STYLES = [
    Style("reference"),
    Style("reference_2022", "2022"),
    Style("tensors", carried="terse", transforms=(change.strip_markers, change.no_final_newline)),
    Style("arrays", carried="numpy_minded", transforms=(change.your_code, change.crlf)),
    Style("single", "2022", carried="functions", transforms=(change.tabs, change.leftover_raise)),
    Style("flat", carried="wordy", transforms=(change.non_ascii_comments,)),
    Style("tensors_2022", "2022", "tensors", carried="older", transforms=(change.crlf,)),
    Style("flat_2022", "2022", "flat", carried="operators", transforms=(change.print_at_import,)),
    Style("arrays_reducer", source="arrays", carried="reducer", transforms=(change.lose_end_markers,)),
    Style("odd", carried="terse"),
    Style("odd_2022", "2022", "odd_2022", carried="operators", transforms=(change.tabs,)),
    Style("properties", carried="terse"),
    Style("single_2023", source="single", carried="guarded", transforms=(change.byte_order_mark,)),
]
