"""What really holds: tries, in each worker and before student code, what must not work.

An area is held only if every attempt in it is refused for want of permission; another error proves nothing.
Attempts that succeed are taken back. Costs 0.3 ms where all is refused (a real fork where it is not).
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Callable

from grader.sandbox import identity, kernel, resources

_REFUSED = (errno.EPERM, errno.EACCES)
_PTRACE = {kernel.X86_64: 101, kernel.AARCH64: 117}
_PEEK, _NO_PROCESS = 1, 0x7FFFFFFF
_F_SETOWN = 8

Attempt = Callable[[], object]


def held(forbidden: str, folder: str, wire: int) -> dict[str, bool]:
    """Return for each area whether it is held.

    `forbidden` is a file of the grader's, `folder` the one worked in, `wire` a descriptor to try on.
    """
    return {
        "files": _all_refused(
            lambda: os.close(os.open(forbidden, os.O_RDONLY)),
            lambda: os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY)),
            lambda: _make_file(folder),
            lambda: os.truncate(forbidden, os.stat(forbidden).st_size),
            lambda: os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode)),
        ),
        "network": _all_refused(
            lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close(),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
        ),
        "processes": not identity.is_root()
        and resources.holds("RLIMIT_NPROC")
        and _all_refused(_fork, _execute, _peek),
        "signals": _all_refused(lambda: os.kill(os.getppid(), 0), lambda: _own(wire)),
        "memory": resources.holds("RLIMIT_AS"),
    }


def _all_refused(*attempts: Attempt) -> bool:
    return all(_is_refused(attempt) for attempt in attempts)


def _is_refused(attempt: Attempt) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno in _REFUSED
    except Exception:  # Windows and macOS lack some of the calls
        return False
    return False


def _make_file(folder: str) -> None:
    path = os.path.join(folder, f".self-test-{os.getpid()}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with contextlib.suppress(OSError):
        os.unlink(path)


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _execute() -> None:
    """Run a program that is not there: that error means that another would have run."""
    os.execv("/nonexistent/program", ["program"])


def _peek() -> None:
    """Trace a process that is not there."""
    if number := _PTRACE.get(kernel.machine()):
        kernel.syscall(number, _PEEK, _NO_PROCESS, 0, 0)


def _own(wire: int) -> None:
    """Have the kernel send SIGIO to the parent; taken back at once."""
    import fcntl

    fcntl.fcntl(wire, _F_SETOWN, os.getppid())
    fcntl.fcntl(wire, _F_SETOWN, 0)
