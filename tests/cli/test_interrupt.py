"""Ctrl-C ends a run at once, prints what is known, leaves no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.commands import COMMAND, ROOT, environment
from tests.sandbox.driver import descendants, survivors
from tests.support import build

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
SLOW = {"MatMul.compute": "def compute(self, a, b):\n    while True:\n        pass"}


def interrupted(words: list[str], how: str, ready: float) -> tuple[int, str, str, float, set[int]]:
    """Start the command, press Ctrl-C after `ready` seconds, return how it ended and what it left."""
    with subprocess.Popen(
        [*COMMAND, *words],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(ready)
        started = descendants(process.pid) | {process.pid}
        pressed = time.monotonic()
        (os.killpg if how == "group" else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
        took = time.monotonic() - pressed
    return process.returncode, out, err, took, started


@pytest.mark.parametrize("how", ["group", "process"])
def test_interrupt_in_a_slow_check(how: str, tmp_path: Path) -> None:
    """In the middle of a check that does not end: what is known so far, exit 3, nothing left, under 2 s."""
    submission = build(tmp_path / "hw1", "hw1", solutions=SLOW)
    target = tmp_path / "report.json"

    code, out, err, took, started = interrupted(["hw1", str(submission), "--json", str(target)], how, 3.0)

    assert (code, "Traceback" in err + out) == (3, False)
    assert took < 2
    assert len(started) >= 3
    assert set() == survivors(started)
    assert "not a grade" in out
    report = json.loads(target.read_text())
    assert report["complete"] is False
    assert [
        check
        for question in report["questions"]
        for check in question["checks"]
        if check["verdict"] == "passed"
    ] != []


@pytest.mark.parametrize("ready", [0.15, 0.5, 1.0])
def test_interrupt_while_starting(ready: float, tmp_path: Path) -> None:
    """At any earlier moment: no traceback of ours from the run, and nothing left."""
    submission = build(tmp_path / "hw1", "hw1", solutions=SLOW)

    code, out, err, took, started = interrupted(["hw1", str(submission)], "group", ready)

    python_was_starting = code == 1 and "KeyboardInterrupt" in err and "grader/" not in err
    assert code in (3, -signal.SIGINT) or "Fatal Python error" in err or python_was_starting
    assert took < 2
    assert set() == survivors(started)
    if code == 3:
        assert "Traceback" not in err + out


DROPPED = """
import os, signal, sys, time, weakref
from grader import interrupt

class Kept:
    pass

def press(reference):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)

if sys.argv[1] == "listen":
    interrupt.listen()
kept = Kept()
reference = weakref.ref(kept, press)
try:
    del kept
    time.sleep(0.5)
    print("dropped")
except KeyboardInterrupt:
    print("raised")
"""


@pytest.mark.parametrize(("how", "then"), [("listen", "raised"), ("plain", "dropped")])
def test_interrupt_in_a_callback(how: str, then: str) -> None:
    """Python alone drops a Ctrl-C that comes in a weak reference's callback."""
    run = subprocess.run(
        [*COMMAND[:1], "-c", DROPPED, how], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == then
    assert ("Traceback" in run.stderr) == (how == "plain")


SWALLOWED = """
import os, signal
from grader import interrupt

interrupt.listen()
try:
    os.kill(os.getpid(), signal.SIGINT)
except BaseException:  # as compiled modules do while they load
    pass
try:
    interrupt.check()
    print("lost")
except KeyboardInterrupt:
    print("raised")
interrupt.heard()
interrupt.check()
"""


def test_interrupt_that_was_swallowed() -> None:
    """What catches everything on the way does not keep a run from ending at its next question."""
    run = subprocess.run(
        [*COMMAND[:1], "-c", SWALLOWED], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == "raised"


LOADING = """
import os, signal, sys
from grader.__main__ import run

class Pressed:
    def find_spec(self, name, *rest):
        if name == "numpy.random":  # its compiled modules catch all that comes while they load
            sys.meta_path.remove(self)
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                pass

sys.meta_path.insert(0, Pressed())
sys.argv = ["grader", "hw1", sys.argv[1]]
sys.exit(run())
"""


def test_interrupt_while_numpy_loads(tmp_path: Path) -> None:
    """A Ctrl-C that an import swallowed ends the run before the slow check is waited for."""
    submission = build(tmp_path / "hw1", "hw1", solutions=SLOW)
    started = time.monotonic()

    run = subprocess.run(
        [*COMMAND[:1], "-c", LOADING, str(submission)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (run.returncode, "not a grade" in run.stdout) == (3, True)
    assert time.monotonic() - started < 8  # the check's limit is 10 s
