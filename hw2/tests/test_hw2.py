"""The grader's checks as tests: `pytest`, `pytest -k NAME -x`, `pytest --lf`, `pytest -n 2`."""

from grader.pytest_plugin import Checks

test_hw2 = Checks("hw2")
