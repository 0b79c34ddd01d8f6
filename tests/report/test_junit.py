"""JUnit: valid after the schema of Jenkins (MIT licence, in `schemas/`), and one red line for one fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.report import junit
from tests.report.rendered import ALL

etree = pytest.importorskip("lxml.etree", reason="lxml validates the XML")
SCHEMA = Path(__file__).parent / "schemas/jenkins-junit-10.xsd"


def cases(name: str) -> dict[str, Any]:
    """The cases of a rendered report."""
    tree = etree.fromstring(junit.render(ALL[name]).encode())
    return {f"{one.get('classname')}.{one.get('name')}": one for one in tree.iter("testcase")}


@pytest.mark.parametrize("name", ALL)
def test_valid(name: str) -> None:
    """Jenkins takes it, whatever stands in the report; the counts are those of the cases."""
    tree = etree.fromstring(junit.render(ALL[name]).encode())

    etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(tree)
    for suite in tree.iter("testsuite"):
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors")) == len(suite.findall("testcase/error"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))


def test_schema_refuses() -> None:
    """The schema is not one that takes everything."""
    schema = etree.XMLSchema(etree.parse(str(SCHEMA)))

    assert not schema.validate(etree.fromstring("<testsuites><testsuite name='x'/></testsuites>"))


@pytest.mark.parametrize(
    ("case", "tag"),
    [
        ("hw1.forward.Exp.forward", None),
        ("hw1.forward.Log.forward", "failure"),
        ("hw1.forward.Tanh.forward", "error"),
        ("hw1.backward.MatMul.gradient", "failure"),
        ("hw1.backward.MatMul.second_order", "skipped"),
        ("hw1.backward.MatMul.hygiene", None),
        ("hw1.backward.Reshape.gradient", "skipped"),
    ],
)
def test_elements(case: str, tag: str | None) -> None:
    """A check that waits for another one is no second red line; advice is none either."""
    found = [one.tag for one in cases("faulty")[case] if one.tag != "system-out"]

    assert found == ([tag] if tag else [])


def test_text() -> None:
    """A failure has the sentence as its message, and the evidence below."""
    failure = cases("faulty")["hw1.backward.MatMul.gradient"].find("failure")

    assert failure.get("message") == "MatMul.gradient is not summed"
    assert failure.text.splitlines() == [
        "MatMul.gradient is not summed",
        "hint: sum over the batch",
        "a: [1, 2]",
        "yours: [4]",
        "expected: [3]",
        "off by: 12 times the tolerance",
        "at: python/needle/my ops: one, two.py:2",
        "printed: printed by the submission",
    ]


@pytest.mark.parametrize("name", ["stopped", "empty"])
def test_unfinished_is_an_error(name: str) -> None:
    """What was not graded is never green."""
    assert cases(name)["hw1.finished"].find("error") is not None


def test_hostile_text_is_text() -> None:
    """Markup of a submission makes no element."""
    tree = etree.fromstring(junit.render(ALL["markup"]).encode())

    assert {one.tag for one in tree.iter()} <= {
        "testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "skipped", "system-out"
    }  # fmt: skip
    assert "<img src=x onerror=alert(1)>" in tree.find(".//failure").get("message")
