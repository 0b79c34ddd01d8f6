"""A check's failure as a script of plain needle calls: it ends with 1 on the fault and with 0 after the fix."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from grader.debug import record, script
from grader.debug.record import Recording
from grader.homework import table
from tests.faults import hw1, hw1_abuse, hw2
from tests.faults.model import Fault
from tests.support import build

ROOT = Path(__file__).resolve().parents[2]
# what ends processes or eats memory on purpose is not run outside the sandbox
HOSTILE = {fault.id for fault in hw1_abuse.FAULTS} - {"gradient-sys-exit", "import-sys-exit"}
FAULTS = [("hw1", one) for one in hw1.FAULTS if one.id not in HOSTILE] + [("hw2", one) for one in hw2.FAULTS]
WRONG = [pair for pair in FAULTS if pair[1].expect.failed or pair[1].expect.advice]


def run(text: str, root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script by plain Python inside a homework's root, the grader out of its reach."""
    file = folder / "repro.py"
    file.write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-B", str(file)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def root_of(submission: Path) -> Path:
    """Return the folder that a student works in: the one with python/needle, or needle, in it."""
    needle = next(
        path.parent for path in sorted(submission.rglob("autograd.py")) if path.parent.name == "needle"
    )
    return needle.parent.parent if needle.parent.name == "python" else needle.parent


def checks(homework: str, fault: Fault) -> Iterator[str]:
    """Yield the checks that a fault is expected to fail, then those that may fail with them."""
    ids = [check.id for check in table.find(homework).checks()]
    for pattern in (*fault.expect.failed, *fault.expect.advice, *fault.expect.consequences):
        yield from (name for name in ids if fnmatchcase(name, pattern))


def recorded(homework: str, fault: Fault, submission: Path) -> Recording:
    """Return the recording of the first check that fails."""
    found = (record.record(submission, homework, name) for name in checks(homework, fault))
    return next(one for one in found if not one.passed)


@pytest.mark.parametrize(("homework", "fault"), WRONG, ids=lambda one: getattr(one, "id", one))
def test_script_tells_wrong_from_right(homework: str, fault: Fault, tmp_path: Path) -> None:
    """On the faulty submission the script shows both values and ends with 1, on a right one with 0."""
    submission = fault.build(tmp_path / "faulty", homework)
    right = build(tmp_path / "right", homework, fault.layout)

    text = script.write(recorded(homework, fault, submission))
    faulty, mended = run(text, root_of(submission), tmp_path), run(text, right, tmp_path)

    assert (faulty.returncode, mended.returncode) == (1, 0), faulty.stdout + faulty.stderr + mended.stdout
    assert "right" in faulty.stdout or "Error" in faulty.stderr or "was ended" in faulty.stdout
    assert "import grader" not in text
    assert "from grader" not in text
    assert "/tmp/grader-" not in text


def by_id(name: str) -> tuple[str, Fault]:
    """Return a fault and its homework."""
    return next(pair for pair in FAULTS if pair[1].id == name)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (
            "broadcast-from-left",
            ["needle.ops.BroadcastTo(", "gradient_as_tuple(out_grad, out)", "yours:", "right:"],
        ),
        ("batchnorm-leak", ["needle.nn.BatchNorm1d(", ".backward()", "nodes alive"]),
        ("adam-no-correction", ["needle.optim.Adam(", "optimiser0.step()"]),
    ],
)
def test_script_is_short_and_plain(fault: str, says: list[str], tmp_path: Path) -> None:
    """The calls that a student knows are in it, and it can be read in one sitting."""
    homework, chosen = by_id(fault)
    submission = chosen.build(tmp_path / "faulty", homework)

    text = script.write(recorded(homework, chosen, submission))

    assert [word for word in says if word not in text] == []
    assert len(text.splitlines()) < 130


def test_command_writes_the_script_and_says_how_to_run_it(tmp_path: Path) -> None:
    """`--repro` with `--out` leaves a file that runs; a check that passes leaves none."""
    homework, chosen = by_id("power-zero")
    submission = chosen.build(tmp_path / "faulty", homework)
    out = tmp_path / "shown.py"
    words = [sys.executable, "-m", "grader", homework, str(submission), "--out", str(out), "--repro"]

    passing = subprocess.run([*words, "Log.forward"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (passing.returncode, out.exists()) == (0, False)

    failing = subprocess.run(
        [*words, "backward.PowerScalar.gradient"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert failing.returncode == 1
    assert "python shown.py" in failing.stdout
    assert run(out.read_text(), root_of(submission), tmp_path).returncode == 1


PRINTS = """
def compute(self, a):
    print("the student's own print")
    breakpoint()
    return a * 2
"""


def test_debug_runs_here_with_prints_and_breakpoints(tmp_path: Path) -> None:
    """`--debug` shows prints, stops at breakpoint() with the input at hand, and says it is unconfined."""
    submission = build(tmp_path / "mine", "hw1", "2023", {"Exp.compute": PRINTS})
    command = [sys.executable, "-m", "grader", "hw1", str(submission), "--debug", "forward.Exp.forward"]

    done = subprocess.run(
        command, cwd=ROOT, input="p a\nc\n", capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 1
    assert "outside the sandbox" in done.stdout
    assert "the student's own print" in done.stdout
    assert "(Pdb)" in done.stdout
    assert "right:" in done.stdout
    assert "Traceback" not in done.stderr
