"""kill -9 of the grader at any moment: no worker lives on, no report is half there, and CI has a zero."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.homework import extension
from tests.cli.commands import COMMAND, ROOT, environment
from tests.hostile.levels import EVERYTHING
from tests.sandbox.driver import descendants, survivors
from tests.support import build

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
MOMENTS = [round(random.Random(number).uniform(0.05, 2.5), 2) for number in range(20)]
OLD = '{"score": 100.0, "complete": true, "old": true}'
SLOW = {"MatMul.compute": "def compute(self, a, b):\n    import time; time.sleep(0.2)\n    return a @ b"}


def started(words: list[str], temporary: Path) -> subprocess.Popen[bytes]:
    """The running command, with temporary files in a folder of its own."""
    temporary.mkdir()
    return subprocess.Popen(
        [*COMMAND, *words],
        cwd=ROOT,
        env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def report(target: Path) -> dict[str, Any]:
    """The report, which is whole if it is there."""
    found: dict[str, Any] = json.loads(target.read_text())
    return found


@pytest.mark.parametrize("moment", MOMENTS if EVERYTHING else MOMENTS[:4])
def test_killed_grader(moment: float, tmp_path: Path) -> None:
    """Two seconds later nothing runs; the report is an old one, none, or a whole new one, never a part."""
    submission = build(tmp_path / "hw1", solutions=SLOW)
    target = tmp_path / "report.json"
    target.write_text(OLD)

    with started(
        ["hw1", str(submission), "--only", "*MatMul*", "--json", str(target)], tmp_path / "t"
    ) as grader:
        time.sleep(moment)
        family = descendants(grader.pid) | {grader.pid}
        grader.kill()

    assert set() == survivors(family)
    if target.exists():
        found = report(target)
        assert found["complete"] is True
        assert "old" not in found or len(family) == 1  # not even Python had started


@pytest.mark.parametrize("moment", MOMENTS if EVERYTHING else MOMENTS[:4])
def test_killed_grader_under_guard(moment: float, tmp_path: Path) -> None:
    """The old report is gone, a zero that says so is there, and no temporary file either."""
    submission = build(tmp_path / "hw1", solutions=SLOW)
    target = tmp_path / "report.json"
    target.write_text(OLD)

    words = ["guard", "--json", str(target), "hw1", str(submission), "--only", "*MatMul*"]
    with started(words, tmp_path / "t") as guard:
        while report(target).get("old"):
            time.sleep(0.005)
        time.sleep(moment)
        family = descendants(guard.pid)
        for pid in family:
            if _is_grader(pid, guard.pid):
                os.kill(pid, signal.SIGKILL)
        code = guard.wait(30)

    found = report(target)
    assert code == (0 if found["complete"] else 3)
    if not found["complete"]:
        assert (found["score"], found["notes"][0]["id"]) == (0.0, "not-finished")
        assert found["notes"][0]["message"] == "the grader did not finish (signal 9); this is not a grade"
    assert set() == survivors(family)
    assert [one.name for one in (tmp_path / "t").iterdir()] == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hw1", "report.json", "t"]


def _is_grader(pid: int, guard: int) -> bool:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) == guard
    except OSError:
        return False


def test_guard_that_is_ended(tmp_path: Path) -> None:
    """SIGTERM ends the guard, the grader and its workers, and leaves the zero."""
    submission = build(tmp_path / "hw1", solutions=SLOW)
    target = tmp_path / "report.json"
    with started(["guard", "--json", str(target), "hw1", str(submission)], tmp_path / "t") as guard:
        while not target.exists() or len(descendants(guard.pid)) < 2:
            time.sleep(0.01)
        family = descendants(guard.pid)
        guard.terminate()

    assert guard.returncode == 3
    assert report(target)["complete"] is False
    assert set() == survivors(family)


@pytest.mark.parametrize(
    ("words", "code", "score"),
    [(["hw1", "reference", "--only", "forward.MatMul.*"], 0, 0.83), (["hw1", "no/such/folder"], 2, 0.0)],
)
def test_guard_passes_on(words: list[str], code: int, score: float, tmp_path: Path) -> None:
    """The exit code and the report are the grader's; what cannot be read gets a zero and its code."""
    target = tmp_path / "report.json"

    found = subprocess.run([*COMMAND, "guard", "--json", str(target), *words], cwd=ROOT, check=False)

    assert (found.returncode, report(target)["score"]) == (code, pytest.approx(score, abs=0.01))


@pytest.mark.skipif(extension.what_is_missing() is not None, reason="no compiler, or no headers")
def test_guard_lets_the_compiler_work(tmp_path: Path) -> None:
    """As root too, where the compiler runs as another user: hw0's C++ is built below the guard's folder."""
    target = tmp_path / "report.json"
    words = ["hw0", "reference", "--only", "softmax_regression_epoch_cpp"]

    done = subprocess.run(
        [*COMMAND, "guard", "--json", str(target), *words], cwd=ROOT, check=False, umask=0o077
    )

    assert (done.returncode, report(target)["score"]) == (0, report(target)["max_score"])


@pytest.mark.parametrize(
    ("words", "seconds", "said"),
    [
        (
            ["hw1", "no/such/folder"],
            60,
            "the submission cannot be graded: no/such/folder: no such file or folder",
        ),
        (["hw1", "reference"], 0.01, "the grader did not finish (signal 9: more than 0 s)"),
    ],
)
def test_guard_says_why(words: list[str], seconds: float, said: str, tmp_path: Path) -> None:
    """The zero has the line that the grader ended with, or says that it took too long."""
    target = tmp_path / "report.json"
    code = f"from grader.classroom import guard; from pathlib import Path; guard.run({words!r}, Path({str(target)!r}), {seconds})"

    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)

    assert report(target)["notes"][0]["message"] == f"{said}; this is not a grade"


@pytest.mark.parametrize("words", [[], ["handout"], ["hw9", "x"]])
def test_guard_wants_a_homework(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other words are wrong usage, and no report is touched."""
    code = cli.main(["guard", "--json", str(tmp_path / "report.json"), *words])

    assert code == 2
    assert "which homework?" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
