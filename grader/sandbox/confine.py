"""What a worker gives up before it meets student code; runs inside the worker.

Each layer is a function that is tried, not guessed from a version. `enter` returns what is in force,
measured before any student code was loaded. Landlock and seccomp join the same list.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any

WIRE = 3
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_DUMPABLE = 4


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies (Linux; a no-op elsewhere)."""
    parent = os.getppid()
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    """Take `die_with_parent` back."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies (Linux; a no-op elsewhere)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """Return this process's children, none where the system has no list of them."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def enter(wire: int, output: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Give up what a worker does not need; return the confinement in force.

    `wire` becomes descriptor 3, `output` both standard streams; everything else is closed.
    """
    if os.getsid(0) != os.getpid():  # a process of its own ("once") was started as a session leader
        os.setsid()
    die_with_parent()
    _standard_streams(wire, output)
    os.chdir(settings["cwd"])
    os.umask(0o077)
    _limit_resources(settings["limits"])
    return {
        "level": "process-only",
        "files": False,
        "network": False,
        "processes": False,
        "signals": False,
        "memory": _memory_is_limited(),
        "how": ", ".join(_tried()),
    }


def _tried() -> list[str]:
    layers = ["own session", "rlimits", "closed descriptors", "scrubbed environment"]
    if _prctl(_PR_SET_NO_NEW_PRIVS, 1):
        layers.append("no_new_privs")
    if _prctl(_PR_SET_DUMPABLE, 0):
        layers.append("not dumpable")
    return layers


def _standard_streams(wire: int, output: int) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    kept = [os.dup(null), os.dup(output), os.dup(output), os.dup(wire)]
    high = max(kept) + 1
    lifted = [_dup_above(descriptor, high) for descriptor in kept]
    for target, descriptor in enumerate(lifted):
        os.dup2(descriptor, target, inheritable=False)
    os.closerange(WIRE + 1, max(lifted) + 1)
    os.closerange(max(lifted) + 1, 1024)


def _dup_above(descriptor: int, lowest: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)


def _limit_resources(limits: dict[str, Any]) -> None:
    import resource

    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, int(limits["file_size"])),
        (resource.RLIMIT_NOFILE, int(limits["open_files"])),
        (resource.RLIMIT_CPU, int(limits["run_seconds"]) + 1),
        (resource.RLIMIT_AS, int(limits["memory"])),
    ]
    for which, value in wanted:
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):  # macOS refuses some of them
            continue


def _memory_is_limited() -> bool:
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) == 0)
