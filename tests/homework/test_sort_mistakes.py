"""A sort that gives another order than post-order is told which one it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.homework import autograd_checks
from grader.oracle import graphs
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.mistakes_orders import ORDERS
from grader.sandbox.channel import Reply
from tests.homework.fakes import verdict

CHECKS = autograd_checks.topo_sort("topo_sort")


@pytest.mark.parametrize("mistake", ORDERS, ids=lambda mistake: mistake.id)
def test_wrong_order_is_named(mistake: Mistake) -> None:
    """The mistake that was made is named, and no other."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        question = Question((), (arguments["program"], len(arrays), arguments["outputs"]))
        return Reply({"order": mistake.wrong(question)[0].tolist(), "steps": 0}, [])

    failure = verdict(CHECKS, "find_topo_sort.order", answer)

    assert failure is not None
    assert failure.known_mistake == mistake.id


def test_right_order_passes() -> None:
    """Depth-first post-order, each node once, is what is asked."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        order = graphs.postorder(arguments["program"], len(arrays), arguments["outputs"])
        return Reply({"order": order, "steps": 0}, [])

    assert verdict(CHECKS, "find_topo_sort.order", answer) is None
