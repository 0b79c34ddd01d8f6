"""Bundles at work: unpacked in a clean folder, run by their own scripts, whatever is handed in."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bundle.harness import Gradescope, bundle, environment, unpack
from tests.cli.commands import ROOT
from tests.hostile.processes import PROCESS
from tests.hostile.results import RESULTS
from tests.hostile.system import SYSTEM
from tests.hostile.test_hidden import TABLE, asked
from tests.report import rendered
from tests.support import build

WRONG = {"MatMul.compute": "def compute(self, a, b):\n    return array_api.matmul(a, b) + 1\n"}
ATTACKS = {one.id: one for one in (*RESULTS, *PROCESS, *SYSTEM)}
CHOSEN = ("exit-import", "kill-parents", "forge", "report", "markup", "exit-call", "read-reference")
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists() or shutil.which("timeout") is None, reason="the images are Linux"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Gradescope:
    """Gradescope's folders with the bundle of hw1, for as much confinement as this machine has."""
    folder = tmp_path_factory.mktemp("gradescope")
    words = ["--require-sandbox", "process-only", "--seconds", "60"]
    return Gradescope(bundle("gradescope", "hw1", folder / "out.zip", *words), folder / "autograder")


def points(found: dict[str, Any], prefix: str) -> float:
    """The points of the tests with this name."""
    return sum(one.get("score", 0.0) for one in found["tests"] if one["name"].startswith(prefix))


def test_right(place: Gradescope) -> None:
    """The reference has full marks, and every check is a test that passed."""
    found = place.grade(ROOT / "reference")

    assert found["score"] == 100.0
    assert {one["status"] for one in found["tests"] if "max_score" in one} == {"passed"}
    assert sum(one.get("max_score", 0.0) for one in found["tests"]) == pytest.approx(100, abs=0.01)


def test_faulty(place: Gradescope, tmp_path: Path) -> None:
    """A wrong product loses its points, and its test says what is wrong."""
    found = place.grade(build(tmp_path / "hw1", solutions=WRONG))

    assert 50 < found["score"] < 100
    (test,) = [one for one in found["tests"] if one["name"].startswith("forward.MatMul.forward")]
    assert (test["status"], test["score"]) == ("failed", 0.0)
    assert "MatMul" in test["output"] and "expected" in test["output"]
    assert "1  MatMul.compute" in found["output"]


@pytest.mark.parametrize("name", CHOSEN)
def test_hostile(name: str, place: Gradescope, tmp_path: Path) -> None:
    """An attack, at results.json itself where it can, gains no point and leaves valid results."""
    results = place.base / "results/results.json"
    found = place.grade(ATTACKS[name].write(tmp_path / "hw1", results))

    assert points(found, "forward.MatMul.forward") == 0.0
    assert found["score"] < 100.0
    assert "\x1b" not in json.dumps(found)


@pytest.mark.parametrize("broken", ["syntax", "empty", "text", "archive", "other"])
def test_broken(broken: str, place: Gradescope, tmp_path: Path) -> None:
    """What cannot be graded has a zero, with the reason in words."""
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    if broken == "syntax":
        handed_in = build(tmp_path / "hw1", extra_files={"python/needle/ops/ops_mathematic.py": "def (:\n"})
    elif broken == "text":
        (handed_in / "notes.txt").write_text("sorry")
    elif broken == "archive":
        (handed_in / "hw1.zip").write_bytes(b"PK\x03\x04 cut off")
    elif broken == "other":
        shutil.copytree(ROOT / "hw0", handed_in, dirs_exist_ok=True)

    found = place.grade(handed_in)

    assert found["score"] == 0.0
    said = {
        "syntax": "does not import: SyntaxError",
        "empty": "cannot be graded",
        "text": "holds python/needle",
        "archive": "hw1.zip",
        "other": "looks like hw0",
    }
    assert said[broken] in found["output"]


def test_archive_alone(place: Gradescope, tmp_path: Path) -> None:
    """An archive that lies alone in the folder is what was handed in."""
    build(tmp_path / "in/hw1", solutions=WRONG)
    made = shutil.make_archive(str(tmp_path / "hw1"), "gztar", tmp_path / "in")

    assert 50 < place.grade(Path(made))["score"] < 100


@pytest.mark.parametrize("how", ["no-python", "failing", "killed"])
def test_grader_that_dies(how: str, place: Gradescope, tmp_path: Path) -> None:
    """Without a Python, with one that fails, and with one that is killed, a zero is there that says so."""
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\n" + ("exit 1\n" if how == "failing" else "kill -9 $$\n"))
    script.chmod(0o755)
    python = "/nonexistent/python" if how == "no-python" else str(script)

    found = place.grade(ROOT / "reference", GRADER_PYTHON=python)

    assert (found["score"], found["tests"]) == (0.0, [])
    assert "has not finished" in found["output"]


def test_killed_in_the_middle(place: Gradescope, tmp_path: Path) -> None:
    """kill -9 of the process that writes the results leaves the zero."""
    slow = {"MatMul.compute": "def compute(self, a, b):\n    import time; time.sleep(1)\n    return a @ b"}
    shutil.rmtree(place.base / "submission", ignore_errors=True)
    build(place.base / "submission", solutions=slow)
    with subprocess.Popen(
        [place.base / "run_autograder"],
        env=place.env,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        time.sleep(2)
        (timeout,) = _children(running.pid)
        (python,) = _children(timeout)
        for child in [python, *_children(python)]:
            os.kill(child, signal.SIGKILL)

    assert running.returncode == 0
    assert place.results()["tests"] == []


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_too_slow(tmp_path: Path) -> None:
    """A run over its time has a zero that names the time."""
    archive = bundle("gradescope", "hw1", tmp_path / "out.zip", "--seconds", "1")
    place = Gradescope(archive, tmp_path / "autograder")
    slow = {"MatMul.compute": "def compute(self, a, b):\n    import time; time.sleep(3)\n    return a @ b"}

    found = place.grade(build(tmp_path / "hw1", solutions=slow))

    assert found["score"] == 0.0
    assert "more than 1 s" in found["output"]


def test_secret_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes the public inputs by a table of them loses its points in a test that is seen later."""
    table = set(asked(build(tmp_path / "right"), monkeypatch, 0))
    submission = build(tmp_path / "hw1", solutions={"MatMul.compute": TABLE.format(table=table)})
    (tmp_path / "seed").write_text("0123456789abcdef-of-a-course")
    words = [
        "--require-sandbox",
        "process-only",
        "--seed-file",
        str(tmp_path / "seed"),
        "--visibility",
        "hidden",
    ]
    place = Gradescope(bundle("gradescope", "hw1", tmp_path / "out.zip", *words), tmp_path / "autograder")

    found = place.grade(submission)

    later = {one["name"]: one for one in found["tests"] if one["visibility"] == "hidden"}
    assert len(later) > 40
    assert later["forward.Exp.forward on secret inputs"]["status"] == "passed"
    public = next(one for one in found["tests"] if one["name"].startswith("forward.MatMul.forward:"))
    secret = later["forward.MatMul.forward on secret inputs"]
    assert (public["status"], secret["status"]) == ("passed", "failed")
    assert secret["score"] == -public["score"] < 0
    assert "0123456789abcdef" not in (place.base / "results/results.json").read_text()


@pytest.mark.parametrize("submission", ["right", "faulty", "broken"])
def test_docker(submission: str, tmp_path: Path) -> None:
    """The image's entry leaves a report, a page and JUnit, and passes the exit code on."""
    here = bundle("docker", "hw1", tmp_path / "image", "--require-sandbox", "process-only")
    handed_in = {
        "right": lambda: ROOT / "reference",
        "faulty": lambda: build(tmp_path / "hw1", solutions=WRONG),
        "broken": lambda: tmp_path / "nothing",
    }[submission]()
    env = environment(GRADER_SUBMISSION=str(handed_in), GRADER_RESULTS=str(tmp_path / "out"))

    done = subprocess.run([here / "grade"], cwd="/", env=env, check=False, capture_output=True, timeout=120)

    report = json.loads((tmp_path / "out/report.json").read_text())
    assert (done.returncode, report["complete"]) == {
        "right": (0, True),
        "faulty": (1, True),
        "broken": (2, False),
    }[submission]
    assert {"report.html", "junit.xml", "report.json"} == {one.name for one in (tmp_path / "out").iterdir()}
    assert report["score"] == {"right": 100.0, "broken": 0.0}.get(submission, report["score"])


@pytest.mark.parametrize("submission", ["faulty", "broken"])
def test_prairielearn(submission: str, tmp_path: Path) -> None:
    """The entry for PrairieLearn: a share of the points; what cannot be read uses up no attempt."""
    here = unpack(
        bundle("prairielearn", "hw1", tmp_path / "o.zip", "--require-sandbox", "process-only"), tmp_path / "i"
    )
    student = tmp_path / "grade/student"
    if submission == "faulty":
        build(student, solutions=WRONG)
    else:
        student.mkdir(parents=True)

    env = environment(GRADE_ROOT=str(tmp_path / "grade"))
    subprocess.run([here / "grade"], cwd="/", env=env, check=True, capture_output=True, timeout=120)

    found = rendered.prairielearn((tmp_path / "grade/results/results.json").read_text())
    assert found["gradable"] is (submission == "faulty")
    assert (0.5 < found["score"] < 1) is (submission == "faulty")


def test_student(tmp_path: Path) -> None:
    """A student's bundle grades the stub and a faulty submission, and says that it looks for no causes."""
    here = unpack(bundle("student", "hw2", tmp_path / "s.zip"), tmp_path) / "needle-grader-hw2"
    faulty = build(tmp_path / "mine", "hw2", solutions=WRONG)

    found = {}
    for submission in (here / "hw2", faulty):
        words = [sys.executable, "-m", "grader", "hw2", str(submission), "--json", str(tmp_path / "r.json")]
        done = subprocess.run(
            words, cwd=here, env=environment(), check=False, capture_output=True, timeout=120
        )
        found[submission.name] = json.loads((tmp_path / "r.json").read_text())
        assert done.returncode == 1, done.stderr

    assert found["hw2"]["score"] == 0.0
    notes = {note["id"]: note["message"] for note in found["mine"]["notes"]}
    assert "reference/ is not here" in notes["no-reference"]
    assert 0 < found["mine"]["score"] < 100
    assert found["mine"]["causes"][0]["functions"] == ["MatMul.compute"]  # its own check names it
