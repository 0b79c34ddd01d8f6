"""How much a worker may use: memory, time, file sizes, descriptors, threads.

Holds: one worker's address space, CPU seconds, the size of a file, open files, core dumps; and the number of
threads, which the kernel counts per user: the limit is what the user has when the zygote starts, and
`Limits.threads` more. Root has no such limit, so as root it needs the uid drop.
The zygote, which reads and compiles other people's sources, has bounds of its own meanwhile: a kilobyte of
source can compile to gigabytes.
Probed by reading the limits back. Costs 1 ms once in the zygote (counting), 0.1 ms in each worker.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def limit(limits: dict[str, Any], tasks: int) -> None:
    """Set the limits, soft and hard; `tasks` are the processes and threads that the user has already."""
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": limits["file_size"],
        "RLIMIT_NOFILE": limits["open_files"],
        "RLIMIT_CPU": limits["run_seconds"] + 1,
        "RLIMIT_AS": limits["memory"],
        "RLIMIT_NPROC": tasks + limits["threads"],
        "RLIMIT_MSGQUEUE": 0,
    }
    set_all(wanted)


def set_all(limits: Mapping[str, float]) -> None:
    """Set limits by their names in `resource`, soft and hard."""
    for name, value in limits.items():
        with contextlib.suppress(ValueError, OSError, AttributeError):  # macOS refuses some of them
            resource.setrlimit(getattr(resource, name), (int(value), int(value)))


@contextmanager
def bounded(memory: int, seconds: int) -> Iterator[None]:
    """Grant the block `memory` bytes more than there are, and end this process when it takes longer.

    No bounds where the system has none: memory on Linux only, time not on Windows.
    """
    before = resource.getrlimit(resource.RLIMIT_AS) if resource is not None else (0, 0)
    has_alarm = hasattr(signal, "alarm")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + memory, before[1]))
    if has_alarm:
        signal.alarm(seconds)
    try:
        yield
    finally:
        if has_alarm:
            signal.alarm(0)
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(resource.RLIMIT_AS, before)


def _address_space() -> int:
    """Return how many bytes this process has mapped. Raises `OSError` where nothing tells."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def holds(name: str) -> bool:
    """Tell whether a limit of `resource`, by its name, is set."""
    which = getattr(resource, name, None)
    return which is not None and resource.getrlimit(which)[0] != resource.RLIM_INFINITY


def tasks_of(user: int) -> int:
    """Return how many processes and threads a user has, as far as /proc shows them."""
    count = 0
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError):
                    folder = os.stat(f"/proc/{name}/task")  # links: itself, its parent, one for each thread
                    count += folder.st_nlink - 2 if folder.st_uid == user else 0
    return count
