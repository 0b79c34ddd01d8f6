"""Which processes belong together: a worker has its own session, dies with its parent, and leaves no orphans.

Holds: a worker and its zygote end when the grader does, kill -9 included; a process that left its worker's
session becomes the zygote's child, and is found and killed when the worker ends. Linux; elsewhere the process
group is all there is. Costs 0.01 ms.
"""

from __future__ import annotations

import os
import signal

from grader.sandbox import kernel


def own_session() -> None:
    """Lead a session and a process group of one's own."""
    if os.getsid(0) != os.getpid():  # a process of its own ("once") was started as a session leader
        os.setsid()


def die_with_parent(parent: int = 0) -> None:
    """Ask the kernel to kill this process when its parent dies (Linux; a no-op elsewhere).

    `parent` is who it was born to, as far as known: it may have died before this call, and another be there.
    """
    parent = parent or os.getppid()
    if kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    """Take `die_with_parent` back."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies (Linux; a no-op elsewhere)."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """Return this process's children, none where the system has no list of them."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []
