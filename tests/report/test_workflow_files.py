"""The composite action and the reusable workflow: their scripts run as GitHub's runner runs them."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import ROOT
from tests.report.rendered import classroom
from tests.report.test_github import parsed
from tests.support import build

yaml = pytest.importorskip("yaml", reason="PyYAML reads the files")
ACTION = ROOT / ".github/actions/grade/action.yml"
WORKFLOW = ROOT / ".github/workflows/grade.yml"
WRONG = {"MatMul.compute": "def compute(self, a, b):\n    return array_api.matmul(a, b) + 1\n"}


def read(file: Path) -> dict[str, Any]:
    """A YAML file; its key `on` is read as true (YAML 1.1)."""
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def run(
    submission: Path, arguments: str, folder: Path
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run the action's last script on a submission in the workspace; return it and the step's outputs."""
    step = next(one for one in read(ACTION)["runs"]["steps"] if one.get("id") == "grade")
    python = folder / "temp/needle-grader/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    variables = {
        "PATH": os.environ["PATH"],
        "HOMEWORK": "hw1",
        "SUBMISSION": submission.name,
        "ARGUMENTS": arguments,
        "SANDBOX": "process-only",
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_WORKSPACE": str(submission.parent),
        "GITHUB_ACTION_PATH": str(ACTION.parent),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(
        script, env=variables, cwd=submission.parent, capture_output=True, text=True, check=False
    )
    lines = (folder / "output").read_text().splitlines()
    return done, dict(line.split("=", 1) for line in lines)


def test_action_grades(tmp_path: Path) -> None:
    """Marks, summary, result and reports for a faulty submission whose folder has a space and a colon."""
    done, outputs = run(
        build(tmp_path / "work/my: hw1", solutions=WRONG), "--only forward --no-blame", tmp_path
    )

    assert done.returncode == 1, done.stderr
    kind, words, _ = parsed(done.stdout)[0]
    assert (kind, words["file"]) == ("error", "my: hw1/python/needle/ops/ops_mathematic.py")
    assert "MatMul" in (tmp_path / "summary").read_text()
    assert classroom(base64.b64decode(outputs["result"]).decode())["status"] == "fail"
    names = {one.name for one in Path(outputs["reports"]).iterdir()}
    assert names == {"report.json", "report.html", "junit.xml"}


def test_action_without_a_grade(tmp_path: Path) -> None:
    """A submission that cannot be read: exit 2, a mark, a result of its own, a zero in the report."""
    (tmp_path / "work/empty").mkdir(parents=True)
    done, outputs = run(tmp_path / "work/empty", "", tmp_path)

    assert done.returncode == 2
    assert [words["title"] for _, words, _ in parsed(done.stdout)] == ["not graded"]
    assert classroom(base64.b64decode(outputs["result"]).decode())["status"] == "error"
    report = json.loads((Path(outputs["reports"]) / "report.json").read_text())
    assert (report["score"], report["complete"]) == (0.0, False)


def test_no_input_stands_in_a_script() -> None:
    """Inputs reach scripts by the environment only, so that they cannot be code."""
    for step in read(ACTION)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    for step in read(WORKFLOW)["jobs"]["grade"]["steps"]:
        assert "run" not in step


def test_the_two_fit_together() -> None:
    """The workflow gives inputs that the action has, uses outputs that it has, and only reads the repository."""
    action, workflow = read(ACTION), read(WORKFLOW)
    steps = workflow["jobs"]["grade"]["steps"]
    grade = next(one for one in steps if one.get("id") == "grade")

    assert set(grade["with"]) <= set(action["inputs"])
    assert set(re.findall(r"steps\.grade\.outputs\.(\w+)", WORKFLOW.read_text())) == set(action["outputs"])
    called = workflow[True]["workflow_call"]["inputs"]
    assert set(re.findall(r"inputs\.([\w-]+)", WORKFLOW.read_text())) == set(called)
    assert workflow["permissions"] == {"contents": "read"}
    assert [one["with"]["persist-credentials"] for one in steps if "checkout" in one["uses"]] == [
        False,
        False,
    ]
