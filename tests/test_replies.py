"""What an answer may look like: the table has every probe, and what does not fit is refused."""

from __future__ import annotations

from typing import Any

import pytest

from grader import replies
from grader.worker.main import PROBES

PLACE = {"file": "a.py", "line": 3, "function": "f"}
EXCEPTION: dict[str, Any] = {
    "type": "KeyError",
    "text": "x",
    "unusable": False,
    "unfilled": False,
    "frames": [PLACE],
    "syntax": None,
}


def test_every_probe_is_in_the_table() -> None:
    """A probe that is not would be believed as it is."""
    assert set(PROBES) == set(replies.ANSWERS)


def test_what_is_not_listed_is_dropped() -> None:
    """An entry that nobody asked for goes no further; the others stay as they are."""
    values = {"holders": ["a"], "alive": [1, 2], "lines": [{"op": "Add", **PLACE, "more": 1}], "other": {}}

    found = replies.fitted("nn.growth", {}, 2, values, 0)

    assert found == {"alive": [1, 2], "holders": ["a"], "lines": [{"op": "Add", **PLACE}]}


@pytest.mark.parametrize(
    ("probe", "values", "arrays"),
    [
        ("op.forward", {}, 1),
        ("op.forward", {"changed": None}, 1),
        ("op.forward", {"changed": [True]}, 1),
        ("op.forward", {"changed": [0.5]}, 1),
        ("op.forward", {"changed": []}, 2),
        ("optim.count", {"counter": 10**30}, 0),
        ("hw0.race", {"numpy": "1", "cpp": 1.0}, 0),
        ("survey.static", {"errors": [], "unresolved": [{}], "only_raises": [], "copies": []}, 0),
        ("survey.imports", {"failed": [], "places": [5]}, 0),
        ("nn.growth", {"alive": [1], "holders": [], "lines": []}, 0),
        ("nn.inspect", {"parameters": [], "kinds": []}, 1),
        ("data.loader", {"sizes": [[2, 2]], "reads": [4]}, 3),
        ("autograd.gradients", {"missing": [0], "made": 1, "nodes": []}, 2),
    ],
)
def test_what_does_not_fit_is_refused(probe: str, values: dict[str, Any], arrays: int) -> None:
    """Entries missing, of another kind, beyond all measure, lists and arrays of another number."""
    arguments = {"attributes": ["weight"], "passes": [None], "wanted": [0, 1]}

    with pytest.raises(ValueError, match=r"."):
        replies.fitted(probe, arguments, 2, values, arrays)


def test_texts_are_cut() -> None:
    """However long a text is, the grader works on its beginning only."""
    found = replies.raised({**EXCEPTION, "text": "x" * 60000})

    assert found["text"] == "x" * 2048


@pytest.mark.parametrize(
    "wrong", [{"frames": [5]}, {"frames": [{"file": []}]}, {"type": []}, {"syntax": {}}, {"unfilled": 1}]
)
def test_exceptions_that_are_none(wrong: dict[str, Any]) -> None:
    """An exception is type, text and places, or the worker is broken."""
    with pytest.raises(ValueError, match=r"."):
        replies.raised({**EXCEPTION, **wrong})
