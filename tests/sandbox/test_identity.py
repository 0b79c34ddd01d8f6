"""Who a worker is, and that it cannot multiply: users, capabilities, threads, processes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from grader.sandbox import identity, kernel
from grader.sandbox.limits import Limits
from tests.sandbox.attempts import results, worked
from tests.sandbox.driver import MODES, sandbox, told

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
AS_ROOT = pytest.mark.skipif(not identity.is_root(), reason="only root becomes another user")

STATUS = """
import ctypes, json, os
libc = ctypes.CDLL(None)
data = (ctypes.c_uint32 * 6)()
libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
print(json.dumps({
    "ids": os.getresuid() + os.getresgid(), "groups": os.getgroups(), "capabilities": list(data),
    "no_new_privs": libc.prctl(39, 0, 0, 0, 0), "dumpable": libc.prctl(3, 0, 0, 0, 0),
}))
"""
THREADS = """
import json, threading
threading.stack_size(64 * 1024)
gate, threads = threading.Event(), []
try:
    for _ in range(64):
        threads.append(threading.Thread(target=gate.wait))
        threads[-1].start()
except RuntimeError:
    threads.pop()
gate.set()
for thread in threads:
    thread.join()
print(json.dumps(len(threads)))
"""


@AS_ROOT
@pytest.mark.parametrize("mode", MODES)
def test_root_becomes_nobody_in_particular(mode: str, tmp_path: Path) -> None:
    """A worker of root's has the user and group of this run, no other group, and may at most read."""
    with sandbox(tmp_path, mode, status=STATUS) as zygote:
        found = told(zygote.worker(), "status")

    assert set(found["ids"]) <= {identity.OWN, identity.NOBODY}
    assert len(set(found["ids"])) == 1
    assert found["groups"] == []
    effective, permitted, inherited, *rest = found["capabilities"]
    assert effective == permitted
    assert effective in (0, 1 << 2)  # CAP_DAC_READ_SEARCH, where Python lies in a folder of root's
    assert [inherited, *rest] == [0, 0, 0, 0]


def test_nothing_is_gained_or_traced(tmp_path: Path) -> None:
    """Set-uid programs give nothing, the worker is not traced, and neither can be taken back."""
    with sandbox(tmp_path, MODES[0], status=STATUS) as zygote:
        found = told(zygote.worker(), "status")

    assert (found["no_new_privs"], found["dumpable"]) == (1, 0)


@AS_ROOT
def test_sharing_lets_the_group_read(tmp_path: Path) -> None:
    """Files shared with workers are read by their group, written by nobody new, and closed to the rest."""
    folder = tmp_path / "shared"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner/file").write_text("")
    (folder / "link").symlink_to("/etc/passwd")
    before = os.stat("/etc/passwd")

    identity.share(folder)

    modes = {name: os.stat(folder / name) for name in ("", "inner", "inner/file")}
    assert {one.st_gid for one in modes.values()} <= {identity.OWN, identity.NOBODY}
    assert [stat.S_IMODE(one.st_mode) for one in modes.values()] == [0o750, 0o750, 0o640]
    assert {one.st_uid for one in modes.values()} == {0}
    assert os.stat("/etc/passwd") == before


def test_threads_are_counted(tmp_path: Path) -> None:
    """A worker gets some threads more than its user has already, and no more."""
    limits = Limits(threads=24)
    with sandbox(tmp_path, MODES[0], limits, threads=THREADS) as zygote:
        started = told(zygote.worker(), "threads")

    assert 1 <= started <= 24


@pytest.mark.skipif(not kernel.machine(), reason="no filter for this machine")
def test_no_processes_are_started(tmp_path: Path) -> None:
    """Every way to a new process is denied, so that a bomb has nothing to go off with."""
    attempts = {
        "fork": "os.fork()",
        "forkpty": "os.forkpty()",
        "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
        "subprocess": "import subprocess; subprocess.run(['/bin/true'])",
        "multiprocessing": "import multiprocessing; multiprocessing.get_context('fork').Process().start()",
    }

    assert worked(results(attempts, tmp_path)) == {}


@AS_ROOT
def test_user_is_enough_against_signals(tmp_path: Path) -> None:
    """As root, the user alone keeps a worker from signalling the zygote, without seccomp and Landlock."""
    limits = Limits(without=("landlock", "seccomp"))

    found = results({"signal": "os.kill(parent, 0)"}, tmp_path, limits)

    assert found["signal"] == "EPERM"


def test_numbers_are_above_all_that_are_given_out() -> None:
    """The user of a run is none of the system's, of a container's, nor "nobody"."""
    assert 1_879_048_192 <= identity.OWN < 2**31
