"""Grades submissions for the hostile tests, each in a process of its own, which an attack may kill.

Reads jobs as lines of JSON, answers each with what came of it: exit code, seconds, and what was left. It
adopts what escapes from the grader, so that no process can get lost.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grader.classroom.grade import grade
from grader.cli import common
from grader.errors import GraderError
from grader.sandbox import family, identity
from grader.sandbox.limits import Limits
from tests.sandbox.driver import descendants, survivors

LONGEST = 120.0


def main() -> None:
    """Serve jobs until the input ends."""
    family.adopt_orphans()
    importlib.import_module("hypothesis")  # a failed check needs it: loaded once, not in each grader
    importlib.import_module("grader.judge.search")
    for line in sys.stdin:
        print(json.dumps(_outcome(json.loads(line))), flush=True)


def _outcome(job: dict[str, Any]) -> dict[str, Any]:
    tempfile.tempdir = job["temporary"]
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _grader(job)
    status = _wait(pid, started + LONGEST)
    seconds = time.monotonic() - started
    left = survivors(descendants(os.getpid()))
    names = [_name(one) for one in left]
    for one in left:
        with contextlib.suppress(OSError):
            os.kill(one, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass
    return {"code": os.waitstatus_to_exitcode(status), "seconds": seconds, "left": names}


def _wait(pid: int, end: float) -> int:
    while True:
        found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if found and not os.WIFSTOPPED(status):
            return status
        if found or time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _name(pid: int) -> str:
    try:
        return f"{pid} " + Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").replace("\0", " ")[:80]
    except OSError:
        return str(pid)


def _grader(job: dict[str, Any]) -> None:
    """Grade as the command line does. Never returns."""
    code = 70
    try:
        errors = os.open(job["errors"], os.O_CREAT | os.O_WRONLY, 0o600)
        os.dup2(errors, 2), os.dup2(errors, 1)
        identity.hide()
        report = grade(
            Path(job["submission"]),
            "hw1",
            only=job["only"],
            limits=Limits(check_seconds=job["seconds"], without=tuple(job["without"])),
            sandbox=job["sandbox"],
            blame=False,
            **job.get("options", {}),
        )
        common.write(job["report"], json.dumps(report.as_dict()) + "\n")
        code = 0
    except GraderError as error:
        print(error, file=sys.stderr)
        code = error.exit_code
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
