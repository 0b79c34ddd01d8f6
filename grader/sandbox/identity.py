"""Who a worker is: as root, another user; for everybody, one that gains nothing and is not traced.

Holds: as root, files and processes of others by ownership, and the number of threads, counted per user; this
one has no others; no_new_privs: set-uid programs; not dumpable: ptrace and `/proc/PID` by the
same user. Probed by trying: a user of our own first, then "nobody" (a container may know only few numbers).
Where Python or numpy lie in a folder of root's (as `/root/.pyenv`), the worker keeps one capability, to read
past owners; Landlock confines it to the files that are allowed. Costs 0.3 ms in each worker.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox import kernel

# Above every range that distributions and systemd hand out; one number per grading run.
_FIRST_OWN, _MOST_PIDS = 1_900_000_000, 1 << 22
OWN = _FIRST_OWN + os.getpid() % _MOST_PIDS
NOBODY = 65534
_CAP_DAC_READ_SEARCH = 2
_AMBIENT_RAISE = 2
_CAPABILITY_VERSION = 0x20080522


def gain_nothing() -> bool:
    """Have set-uid programs run with no more rights than this process; return whether it holds."""
    return kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def hide() -> bool:
    """Make this process untraceable and its `/proc` folder root's; return whether it is."""
    return kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def die_first() -> None:
    """Be the first to go when memory runs out; children inherit it."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("900")


def user() -> int:
    """Return the effective user's number (0 where there are none)."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def is_root() -> bool:
    """Tell whether this process is root (never on Windows)."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def become(own: int, needed: Sequence[str], *, for_exec: bool = False) -> str:
    """As root, become user `own`, or nobody; return what was done, "" if nothing.

    `needed` are files and folders that must stay readable, by a program that is started too if `for_exec`.
    """
    if not is_root():
        return ""
    kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
    for user in (own, NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            kept = 0 if all(map(_is_readable, needed)) else 1 << _CAP_DAC_READ_SEARCH
            _keep_capabilities(kept, for_exec=for_exec)
            return f"user {user}" + (", reads past owners" if kept else "")
    return ""


def _is_readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except PermissionError:
        return False
    except OSError:  # not there, so not needed
        return True
    return True


def _keep_capabilities(mask: int, *, for_exec: bool) -> None:
    """Set the effective and permitted capabilities, all below number 32, to `mask`."""
    inherited = mask if for_exec else 0
    head = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)(mask, mask, inherited, 0, 0, 0)
    if kernel.libc().capset(head, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    if inherited:
        kernel.prctl(kernel.PR_CAP_AMBIENT, _AMBIENT_RAISE, _CAP_DAC_READ_SEARCH)


def give(folder: Path, own: int = OWN) -> None:
    """As root, make the workers' user the owner of a folder, so that a tool can write there."""
    if is_root():
        for user in (own, NOBODY):
            with contextlib.suppress(OSError):
                os.chown(folder, user, user)
                return


def share(folder: Path, own: int = OWN) -> None:
    """As root, let the workers' group read `folder` and all that is in it; nobody else gains anything."""
    if not is_root():
        return
    for group in (own, NOBODY):
        with contextlib.suppress(OSError):
            _let_in(folder, group)
            for path in folder.rglob("*"):
                _let_in(path, group)
            return


def _let_in(path: Path, group: int) -> None:
    if path.is_symlink():
        return
    os.chown(path, -1, group)
    path.chmod(0o750 if path.is_dir() else 0o640)
