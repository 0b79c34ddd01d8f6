"""What the picture's probes tell of real submissions, and that the grader takes nothing else from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.homework import picture
from grader.report.model import CheckResult
from tests.homework.planted import ADAM, NORM, swap
from tests.support import build
from tests.support.builder import Solutions

MEAN = swap(
    NORM, ("self.running_mean.data + self.momentum * mean.data", "self.running_mean + self.momentum * mean")
)


def described(folder: Path, solutions: Solutions, only: str) -> dict[str, Any]:
    """The picture of a graded submission."""
    report = grade(build(folder, "hw2", "2023", solutions), "hw2", only=only, picture=True, blame=False)
    assert report.picture is not None
    return report.picture


def test_reference_keeps_nothing(tmp_path: Path) -> None:
    """Its readings are flat, nobody holds anything, and both phases and the step are there."""
    found = described(tmp_path, {}, "nn.ReLU.*")

    assert found["growth"] == 0
    assert found["alive"] == found["reference"]
    assert found["holders"] == found["held"] == []
    assert {"forward", "backward", "step"} == {node["phase"] for node in found["nodes"]}
    assert ["Linear 1", "BatchNorm1d", "ReLU", "Linear 2"] == found["layers"]


def test_running_mean_is_the_holder(tmp_path: Path) -> None:
    """The leaking model is drawn: the holder by name, the nodes of past steps with it."""
    found = described(tmp_path, {"BatchNorm1d.forward": MEAN}, "nn.BatchNorm1d.graph")

    assert "BatchNorm1d.running_mean" == found["holders"][0]["name"]
    assert found["growth"] > 0
    assert {1, 2, 3, 4, 5, 6} == {node["step"] for node in found["nodes"]}
    assert "BatchNorm1d.running_mean" in {name for name, _ in found["held"]}


def test_moment_is_the_holder(tmp_path: Path) -> None:
    """The same for an optimiser's moments, without a norm."""
    wrong = swap(ADAM, ("grad = p.grad.data +", "grad = p.grad +"))

    found = described(tmp_path, {"Adam.step": wrong}, "optim.Adam.*")

    assert "Adam.m" in {one["name"] for one in found["holders"]}
    assert "Linear, ReLU, Linear" == found["model"]


def test_gradients_know_their_forward_node(tmp_path: Path) -> None:
    """Each node made in a gradient names the forward node it belongs to, which is older."""
    found = described(tmp_path, {}, "nn.ReLU.*")

    ops = {node["n"]: node["op"] for node in found["nodes"]}
    of = [(node["function"], ops[node["of"]]) for node in found["nodes"] if node["of"] is not None]
    assert [] == [pair for pair in of if pair[0].endswith(".gradient") and pair[0] != f"{pair[1]}.gradient"]
    assert len(of) > 20


def test_no_picture_unless_asked(tmp_path: Path) -> None:
    """The report has no such field by default."""
    report = grade(build(tmp_path, "hw2", "2023"), "hw2", only="nn.ReLU.*")

    assert "picture" not in report.as_dict()


def test_stubs_have_no_picture() -> None:
    """Stubs are graded as ever; a note says why there is no picture."""
    report = grade(Path("hw2"), "hw2", only="nn.ReLU.*", picture=True)

    assert report.picture is None
    assert any("no picture" in note["message"] for note in report.notes)


def failed(name: str) -> CheckResult:
    """A failed check."""
    return CheckResult(name, name.rpartition(".")[2], "failed", 0.0, 1.0)


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([], picture.Subject("Adam", "BatchNorm1d")),
        (["optim.SGD.graph"], picture.Subject("SGD", "")),
        (["optim.graph.BroadcastTo", "optim.Adam.graph_layernorm"], picture.Subject("Adam", "LayerNorm1d")),
        (["optim.graph.BroadcastTo"], picture.Subject(op="BroadcastTo")),
        (["nn.Linear.forward", "nn.BatchNorm1d.graph"], picture.Subject("Adam", "BatchNorm1d")),
    ],
)
def test_subject_is_what_failed(failures: list[str], expected: picture.Subject) -> None:
    """A leak comes before a budget, and the Adam model is drawn when nothing of the graph failed."""
    assert expected == picture.subject(map(failed, failures))


NODE = {
    "n": 5, "step": 1, "line": 1, "phase": "forward", "op": "", "layer": "", "file": "", "function": "",
    "shape": None, "inputs": [], "of": None, "alive": True,
}  # fmt: skip
ANSWER = {"step": 1, "layers": [], "given": [], "alive": [1], "holders": [], "held": [], "nodes": [NODE]}


def test_edges_lead_to_older_nodes_only() -> None:
    """A forged cycle, an edge to nowhere and a stray gradient are dropped; texts are cut."""
    forged = NODE | {"inputs": [5, 7, -3], "of": 9, "op": "x" * 1000}

    (node,) = picture.clean(ANSWER | {"nodes": [forged]})["nodes"]

    assert ([], None, picture.LONGEST) == (node["inputs"], node["of"], len(node["op"]))


@pytest.mark.parametrize(
    "wrong",
    [{"n": "5"}, {"n": True}, {"line": 1e300}, {"op": None}, {"shape": ["a"]}, {"step": 1 << 80}],
)
def test_what_is_no_graph_is_refused(wrong: dict[str, Any]) -> None:
    """Values of another kind are no graph."""
    with pytest.raises((ValueError, TypeError)):
        picture.clean(ANSWER | {"nodes": [NODE | wrong]})
