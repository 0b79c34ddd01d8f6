"""Which tests a plain run takes.

Most of our tests grade whole submissions, which takes seconds each. So that a run stays under a quarter of
an hour on two cores, a plain run takes every n-th test of the bulky files, always the same ones; with
GRADER_TESTS=all, as under tox, every test runs.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest

# What is asserted is English, whatever the locale is; the tests of Chinese ask for it.
os.environ["GRADER_LANG"] = "en"
# Ctrl-C is pressed in tests: a shell starts what runs behind `&` deaf to it, and so would be what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# file or folder -> one of how many tests a plain run takes
PARTS = {
    "tests/bank/": 3,
    "tests/blame/": 2,
    "tests/bundle/test_places.py": 6,
    "tests/classroom/test_child.py": 2,
    "tests/classroom/test_class_command.py": 2,
    "tests/debug/test_repro.py": 36,
    "tests/faults/test_hw0.py": 6,
    "tests/faults/test_hw1.py": 2,
    "tests/faults/test_hw2.py": 3,
    "tests/homework/test_adam_memory.py": 2,
    "tests/homework/test_data_checks.py": 2,
    "tests/homework/test_dumb_answers.py": 4,
    "tests/homework/test_leaks.py": 3,
    "tests/homework/test_mlp_checks.py": 2,
    "tests/homework/test_nn_programs.py": 2,
    "tests/homework/test_op_checks.py": 2,
    "tests/homework/test_optim_checks.py": 2,
    "tests/homework/test_planted.py": 3,
    "tests/homework/test_right_hw2.py": 2,
    "tests/hostile/": 4,
    "tests/official/": 5,
    "tests/plugin/": 3,
    "tests/report/language/test_reports.py::test_no_english_is_left": 80,
    "tests/report/test_picture.py": 2,
    "tests/watch/": 3,
    "tests/similarity/": 2,
    "tests/worker/": 2,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a plain run does not take, unless tests were chosen by name."""
    if (
        os.environ.get("GRADER_TESTS") == "all"
        or config.option.keyword
        or config.args != config.getini("testpaths")
    ):
        return
    seen: Counter[str] = Counter()
    kept, left = [], []
    for item in items:
        part = next((name for name in PARTS if item.nodeid.startswith(name)), "")
        (left if part and seen[part] % PARTS[part] else kept).append(item)
        seen[part] += 1
    items[:] = kept
    config.hook.pytest_deselected(items=left)
