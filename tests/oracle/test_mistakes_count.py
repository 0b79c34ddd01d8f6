"""The known mistakes as a whole: how many there are, that they differ, and that each is tried by a test."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import grader.oracle
from grader.oracle.mistakes import Mistake
from grader.oracle.mistakes_loader import Sign
from tests.homework.test_data_checks import LOADERS

FEWEST = 520
Known = Mistake | Sign

# Where wrong answers or wrong programs are put in a submission's place, one test per mistake.
TESTS = (
    "oracle.test_mistakes_ops",
    "oracle.test_mistakes_apps",
    "homework.test_nn_mistakes",
    "homework.test_optim_checks",
    "homework.test_data_checks",
    "homework.test_mlp_checks",
    "homework.test_hw0_mistakes",
    "homework.test_sort_mistakes",
)
# hw0 and hw1 have a softmax_loss each, and the same things go wrong in both: one id, one sentence.
IN_TWO_HOMEWORKS = ("mistakes_apps", "mistakes_hw0")


def _within(value: Any) -> Iterator[Known]:
    if isinstance(value, (Mistake, Sign)):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _within(one)


@cache
def known() -> list[tuple[str, Known]]:
    """Every mistake once, with the module that it is written in."""
    found: dict[int, tuple[str, Known]] = {}
    names = [one.name for one in pkgutil.iter_modules(grader.oracle.__path__)]
    for name in names:
        if name.startswith("mistakes"):
            module = importlib.import_module(f"grader.oracle.{name}")
            for mistake in _within(list(vars(module).values())):
                found.setdefault(id(mistake), (name, mistake))
    return list(found.values())


def _parametrised(module: ModuleType) -> Iterator[Known]:
    """The mistakes that a test module's tests are run for."""
    for function in vars(module).values():
        for mark in getattr(function, "pytestmark", []):
            if mark.name == "parametrize":
                yield from _within([list(mark.args[1])])


def test_there_are_many() -> None:
    """The lists only grow."""
    assert len({mistake.id for _, mistake in known()}) >= FEWEST


def test_an_id_means_one_thing() -> None:
    """An id stands for one sentence; it comes twice only where two homeworks have the same function."""
    places: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, mistake in known():
        places[mistake.id].append((name, mistake.says))

    twice = {id_: found for id_, found in places.items() if len(found) > 1}

    assert [id_ for id_, found in twice.items() if len({says for _, says in found}) > 1] == []
    assert [
        id_ for id_, found in twice.items() if tuple(sorted(n for n, _ in found)) != IN_TWO_HOMEWORKS
    ] == []


def test_a_sentence_is_shared_only_between_functions() -> None:
    """Two mistakes of one list never read the same: the sentence alone tells them apart."""
    lists = [
        (f"{name}.{attribute}", value)
        for name in sorted({name for name, _ in known()})
        for attribute, value in vars(importlib.import_module(f"grader.oracle.{name}")).items()
        if isinstance(value, list)
    ]
    same = {}
    for place, several in lists:
        says = [mistake.says for mistake in _within(several)]
        same[place] = sorted({one for one in says if says.count(one) > 1})

    assert {place: repeated for place, repeated in same.items() if repeated} == {}


def test_each_is_tried() -> None:
    """For each mistake some test puts the wrong answers in a submission's place and expects its name."""
    tried = {id(one) for name in TESTS for one in _parametrised(importlib.import_module(f"tests.{name}"))}

    left = [mistake for _, mistake in known() if id(mistake) not in tried]
    assert [one.id for one in left if not isinstance(one, Sign) or one.id not in LOADERS] == []
