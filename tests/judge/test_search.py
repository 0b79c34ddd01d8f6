"""The search for the smallest failing input."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from grader.judge.failure import Failure
from grader.judge.search import Budget, Search
from grader.judge.source import Source


def _draw(source: Source) -> tuple[int, ...]:
    return tuple(source.integer(0, 100) for _ in range(source.integer(0, 4)))


def _size(one: tuple[int, ...]) -> tuple[int, ...]:
    return len(one), sum(one)


def _large(one: tuple[int, ...]) -> Failure | None:
    return Failure("too large", group="large") if any(n >= 17 for n in one) else None


def test_finds_the_minimum() -> None:
    """Of all tuples with a number from 17 on, `(17,)` is the smallest."""
    found = Search(_large, _draw, _size).first([(1, 2), (99, 50, 3)])

    assert found is not None
    assert found[0] == (17,)


def test_nothing_fails() -> None:
    """Then there is nothing to show."""
    assert Search(_large, _draw, _size).first([(1,), ()]) is None


@pytest.mark.parametrize("budget", [Budget(per_check=0.0), Budget(total=0.0), Budget(total=1.0, spent=1.0)])
def test_without_budget_the_first_stays(budget: Budget) -> None:
    """No time, no search."""
    found = Search(_large, _draw, _size, budget).first([(99, 50, 3)])

    assert found is not None
    assert found[0] == (99, 50, 3)


def test_budget_is_respected_and_spent() -> None:
    """A slow submission is asked no longer than the allowance; what was spent is gone."""

    def slow(one: tuple[int, ...]) -> Failure | None:
        time.sleep(0.02)
        return _large(one)

    budget = Budget(per_check=0.2, total=0.3)
    started = time.monotonic()

    Search(slow, _draw, _size, budget).first([(99,)])

    assert time.monotonic() - started < 2.0
    assert budget.spent > 0.1
    assert budget.allowance() <= 0.2


def test_group_is_kept() -> None:
    """An input that fails in another way is no smaller example of this failure."""

    def examine(one: tuple[int, ...]) -> Failure | None:
        return Failure("empty", group="empty") if not one else _large(one)

    found = Search(examine, _draw, _size).first([(99, 50)])

    assert found is not None
    assert (found[0], found[1].group) == ((17,), "large")


def test_unfilled_is_not_searched() -> None:
    """A function that is not written yet fails on everything alike."""
    calls = []

    def examine(one: tuple[int, ...]) -> Failure:
        calls.append(one)
        return Failure("not filled in", group="unfilled")

    assert Search(examine, _draw, _size).first([(5,)]) is not None
    assert calls == [(5,)]


def test_arrays_shrink() -> None:
    """Shapes and readable numbers get smaller together; the numbers stay different ones."""

    def draw(source: Source) -> np.ndarray:
        return source.values((source.integer(1, 4), source.integer(1, 4)), -2.0, 2.0)

    def wide(array: np.ndarray) -> Failure | None:
        return Failure("wide", group="wide") if array.shape[1] > 1 else None

    found = Search(wide, draw, lambda array: (array.size,)).first([np.full((4, 4), 0.123)])

    assert found is not None
    assert found[0].tolist() == [[2.0, 1.0]]


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    """hypothesis reads no module's constants: they would be drawn as inputs and kept in `.hypothesis`."""
    program = (
        "import grader.homework.hw2\n"
        "from grader.judge.failure import Failure\n"
        "from grader.judge.search import Search\n"
        "from hypothesis.internal.conjecture import providers\n"
        "examine = lambda n: Failure('too large') if n > 3 else None\n"
        "found = Search(examine, lambda source: source.integer(0, 9999), lambda n: (n,)).first([5000])\n"
        "print(found[0], len(providers._seen_modules))"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.split() == ["4", "0"]
    assert os.listdir(tmp_path) == []
