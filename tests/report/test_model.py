"""The report as data: the fields and types that others rely on, in strict JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from tests.report.reports import FULL, STUBS, hostile
from tests.support import build

NUMBER, TEXT, OPTIONAL = (int, float), (str,), type(None)
VERDICTS = {"passed", "failed", "error", "timeout", "crashed", "blocked", "not-run"}
# The contract of the design, schema 1: fields may be added, never renamed.
REPORT: dict[str, tuple[type, ...]] = {
    "schema": (int,),
    "homework": TEXT,
    "submission": TEXT,
    "starter": TEXT,
    "seed": (int, str),
    "score": NUMBER,
    "max_score": NUMBER,
    "environment": (dict,),
    "confinement": (dict,),
    "seconds": NUMBER,
    "causes": (list,),
    "questions": (list,),
}
CAUSE: dict[str, tuple[type, ...]] = {"functions": (list,), "file": TEXT, "line": (int,), "explains": (list,)}
QUESTION: dict[str, tuple[type, ...]] = {
    "id": TEXT,
    "title": TEXT,
    "points": NUMBER,
    "max_points": NUMBER,
    "checks": (list,),
}
CHECK: dict[str, tuple[type, ...]] = {
    "id": TEXT,
    "kind": TEXT,
    "verdict": TEXT,
    "points": NUMBER,
    "max_points": NUMBER,
    "advice": (bool,),
    "message": TEXT,
    "help": TEXT,
    "symptom": TEXT,
    "known_mistake": (str, OPTIONAL),
    "counterexample": (dict, OPTIONAL),
    "expected": (object,),
    "actual": (object,),
    "location": (dict, OPTIONAL),
    "measurements": (dict,),
    "blame": (list,),
    "seconds": NUMBER,
    "output": TEXT,
}
LOCATION: dict[str, tuple[type, ...]] = {"file": TEXT, "line": (int,), "function": TEXT}


def violations(value: dict[str, Any], contract: dict[str, tuple[type, ...]], where: str) -> list[str]:
    """The fields that are missing or of another type."""
    return [
        f"{where}.{name}: {value.get(name, 'missing')!r}"
        for name, types in contract.items()
        if name not in value or not isinstance(value[name], types)
    ]


def all_violations(data: dict[str, Any]) -> list[str]:
    """Everything in which a report breaks the contract."""
    found = violations(data, REPORT, "report")
    for cause in data["causes"]:
        found += violations(cause, CAUSE, "cause")
    for question in data["questions"]:
        found += violations(question, QUESTION, question["id"])
        for check in question["checks"]:
            found += violations(check, CHECK, check["id"])
            found += [] if check["verdict"] in VERDICTS else [f"{check['id']}: {check['verdict']}"]
            found += violations(check["location"], LOCATION, check["id"]) if check["location"] else []
    return found


def strict(data: dict[str, Any]) -> dict[str, Any]:
    """The report as it comes back from strict JSON."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=True)
    parsed: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    return parsed


@pytest.mark.parametrize("one", [FULL, STUBS, hostile()], ids=["full", "stubs", "hostile"])
def test_contract_on_made_reports(one: Any) -> None:
    """Field names and types are the contract's, and the report survives JSON unchanged."""
    data = one.as_dict()

    assert data == strict(data)
    assert [
        problem for problem in all_violations(data) if "location" not in problem and "function" not in problem
    ] == []


FAULTS = {
    "Negate.compute": "def compute(self, a):\n    return a * float('nan')",
    "Exp.compute": "def compute(self, a):\n    print('\\x1b[31m' + 'x' * 5000)\n    return a / 0.0",
    "Log.gradient": "def gradient(self, out_grad, node):\n    raise ValueError('\\ud800\\x1b[2J' * 1000)",
    "Reshape.compute": "def compute(self, a):\n    return None",
    "PowerScalar.compute": "def compute(self, a):\n    import os\n    os._exit(1)",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of a submission with faults of many kinds."""
    submission = build(tmp_path_factory.mktemp("faulty"), "hw1", solutions=FAULTS)
    return grade(submission, "hw1").as_dict()


def test_contract_on_a_real_report(graded: dict[str, Any]) -> None:
    """A real report of NaN, crashes, exceptions and output keeps the contract."""
    assert all_violations(graded) == []
    assert graded == strict(graded)


def test_points_add_up(graded: dict[str, Any]) -> None:
    """Checks add up to their question, questions to the score; advice has no points."""
    for question in graded["questions"]:
        for name in ("points", "max_points"):
            assert sum(check[name] for check in question["checks"]) == pytest.approx(question[name], abs=0.01)
        assert [check for check in question["checks"] if check["advice"] and check["max_points"]] == []
    assert sum(question["points"] for question in graded["questions"]) == pytest.approx(
        graded["score"], abs=0.01
    )
    assert graded["max_score"] == 100


def test_sizes_are_capped(graded: dict[str, Any]) -> None:
    """What a submission prints or raises cannot blow the report up."""
    longest = max(
        len(text)
        for question in graded["questions"]
        for one in question["checks"]
        for text in (one["message"], one["output"], one["help"])
    )

    assert longest < 3000
    assert len(json.dumps(graded)) < 1_000_000


def test_ids_are_unique(graded: dict[str, Any], tmp_path: Path) -> None:
    """A check id is `question.subject.kind` and stands once."""
    ids = [check["id"] for question in graded["questions"] for check in question["checks"]]

    assert len(ids) == len(set(ids))
    assert [one for one in ids if one.count(".") != 2] == []
