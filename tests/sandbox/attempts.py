"""Tries things in a worker and says which worked: attempts are lines of Python, answers are error names."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path

from grader.sandbox.limits import Limits
from tests.sandbox.driver import MODES, printed, run, sandbox

PRELUDE = """
import ctypes, errno, fcntl, json, os, resource, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
parent, here = os.getppid(), os.path.dirname(os.path.abspath(__file__))
def call(number, *words):
    if libc.syscall(ctypes.c_long(number), *[ctypes.c_long(word) for word in words]) == -1:
        raise OSError(ctypes.get_errno(), "")
def prctl(*words):
    if libc.prctl(*[ctypes.c_long(word) for word in words]) == -1:
        raise OSError(ctypes.get_errno(), "")
found = {}
for name, attempt in json.loads(ATTEMPTS).items():
    try:
        exec(attempt)
        found[name] = "worked"
    except OSError as error:
        found[name] = errno.errorcode.get(error.errno, str(error))
    except Exception as error:
        found[name] = type(error).__name__
print(json.dumps(found))
"""


def results(attempts: Mapping[str, str], folder: Path, limits: Limits | None = None) -> dict[str, str]:
    """What came of each attempt: "worked", or the name of the error."""
    dedented = {name: textwrap.dedent(attempt) for name, attempt in attempts.items()}
    code = f"ATTEMPTS = {json.dumps(dedented)!r}\n{PRELUDE}"
    with sandbox(folder, MODES[0], limits, attempts=code) as zygote:
        worker = zygote.worker()
        reply = run(worker, "attempts", 20)
        text = printed(worker)
    assert reply.values["failed"] == [], text
    found: dict[str, str] = json.loads(text.strip().splitlines()[-1])  # warnings stand before it
    return found


def worked(found: Mapping[str, str]) -> dict[str, str]:
    """Those that were not refused for want of permission."""
    return {name: answer for name, answer in found.items() if answer not in ("EPERM", "EACCES", "ENOSYS")}
