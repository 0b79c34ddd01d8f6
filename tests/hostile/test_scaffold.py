"""Edits of the scaffold that touch what is measured are listed for staff; others are not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader import places
from grader.classroom.grade import grade
from grader.worker.scaffold import touches
from tests.bank.hw1 import STYLES
from tests.bank.style import Style
from tests.support import build, reference_function

AUTOGRAD = "python/needle/autograd.py"
ONLY = "forward.MatMul.forward"

# What is written for what, and what the note says.
EDITS: dict[str, tuple[dict[str, str], str]] = {
    "counter set": (
        {"before:MatMul": "from needle import autograd\nautograd.TENSOR_COUNTER = 0"},
        "counts (set)",
    ),
    "counter set later": (
        {"Negate.compute": "def compute(self, a):\n    needle.autograd.TENSOR_COUNTER -= 1\n    return -a"},
        "Negate.compute counts (Sub)",
    ),
    "not counted": (
        {"Value.__del__": "def __del__(self):\n    pass"},
        "no longer Value.__del__ counts (Sub)",
    ),
    "equality": ({"Tensor.__eq__": "def __eq__(self, other):\n    return True"}, "defines Tensor.__eq__"),
    "equality of ops": ({"Op.__hash__": "def __hash__(self):\n    return 0"}, "defines Op.__hash__"),
    "another end": ({"Tensor.__del__": "def __del__(self):\n    self.inputs = []"}, "defines Tensor.__del__"),
    "an end that works": (
        {
            "Value.__del__": "def __del__(self):\n    global TENSOR_COUNTER\n    TENSOR_COUNTER -= 1\n    clean()"
        },
        "Value.__del__ calls clean",
    ),
    "detach": (
        {"Tensor.detach": "def detach(self):\n    return remembered(self)"},
        "Tensor.detach calls remembered",
    ),
    "numpy": ({"Tensor.numpy": "def numpy(self):\n    return look_up(self)"}, "Tensor.numpy calls look_up"),
    "patched": ({"before:MatMul": "Tensor.numpy = lambda self: 0"}, "replaces Tensor.numpy"),
    "setattr": (
        {"before:MatMul": "setattr(Tensor, 'num' + 'py', Tensor.numpy)"},
        "replaces attributes of Tensor",
    ),
    "collector": ({"before:MatMul": "import gc\ngc.disable()"}, "imports gc"),
}
HARMLESS: dict[str, dict[str, str]] = {
    "more methods": {"Tensor.mean": "def mean(self):\n    return self.sum() / self.shape[0]"},
    "type hints": {
        "Tensor.detach": reference_function("Tensor.detach").replace("(self)", '(self) -> "Tensor"')
    },
    "docstring": {
        "Tensor.numpy": 'def numpy(self):\n    "My own words."\n    return self.realize_cached_data()'
    },
    "another wording": {
        "Tensor.numpy": "def numpy(self):\n    data = self.realize_cached_data()\n    return data",
        "Value.__del__": "def __del__(self):\n    global TENSOR_COUNTER\n    TENSOR_COUNTER -= 1",
    },
    "own classes": {"before:MatMul": "class Pair:\n    def __eq__(self, other):\n        return True"},
}


def notes(submission: Path, homework: str = "hw1") -> list[str]:
    """The messages of the notes on edits."""
    report = grade(submission, homework, only=ONLY, blame=False)
    return [note["message"] for note in report.notes if note["id"] == "scaffold-edited"]


@pytest.mark.parametrize("name", EDITS)
def test_edit_is_listed(name: str, tmp_path: Path) -> None:
    """One note that says where, what and that staff should look."""
    solutions, said = EDITS[name]

    found = [note for note in notes(build(tmp_path / "hw1", solutions=solutions)) if said in note]

    assert len(found) == 1
    assert found[0].endswith("for staff to look at")
    assert "no longer" in said or found[0].startswith("python/needle/")


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_edit_is_not_listed(name: str, tmp_path: Path) -> None:
    """What touches nothing that is measured is the student's own affair."""
    assert notes(build(tmp_path / "hw1", solutions=HARMLESS[name])) == []


@pytest.mark.parametrize(
    "style", [one for one in STYLES if one.name in ("reference_2022", "helpers", "older")]
)
def test_right_styles_have_no_note(style: Style, tmp_path: Path) -> None:
    """Real programs, in either layout, have none."""
    assert notes(style.build(tmp_path / "hw1", "hw1")) == []


def test_styles_touch_what_the_handout_touches(tmp_path: Path) -> None:
    """The same of all styles of hw1, by their sources alone."""
    given = {touch for touch, _ in touches(ast.parse((places.starter("hw1") / AUTOGRAD).read_text()))}
    assert len(given) == 2  # both countings
    for style in STYLES:
        root = style.build(tmp_path / style.name, "hw1")
        for file in root.rglob("*.py"):
            assert {touch for touch, _ in touches(ast.parse(file.read_bytes()))} <= given, (style.name, file)


HIDDEN = """
import sys, time
sys.modules["grader.worker.main"].PROBES["survey.scaffold"] = lambda *a: ({"edits": []}, [])
time.sleep(5.2)
"""


def test_an_edit_cannot_be_hidden(tmp_path: Path) -> None:
    """Not by replacing the probe, nor by an import that takes longer than it has: no student code runs there."""
    uncounted = {"Value.__del__": "def __del__(self):\n    pass", "before:MatMul": HIDDEN}

    assert len(notes(build(tmp_path / "hw1", solutions=uncounted))) == 1
