"""What a worker gives up before it meets student code.

`prepare` runs once in the zygote and makes what all workers share; `enter` runs in each worker, applies one
mechanism after the other, tries what must no longer work, and returns the confinement that is in force.
Each mechanism is a module: `family`, `resources`, `landlock`, `identity`, `seccomp`.
"""

from __future__ import annotations

import os
import sysconfig
from dataclasses import dataclass
from typing import Any

from grader.sandbox import calls, family, identity, kernel, landlock, readable, resources, seccomp, selftest
from grader.sandbox.level import level

WIRE = 3


@dataclass(frozen=True)
class Plan:
    """What every worker of a zygote does to itself."""

    cwd: str
    limits: dict[str, Any]
    user: int
    tasks: int
    needed: tuple[str, ...]
    forbidden: str
    ruleset: landlock.Ruleset | None
    filter: seccomp.Filter | None

    def uses(self, mechanism: str) -> bool:
        """Tell whether a mechanism is to be used; tests leave some out, see `Limits.without`."""
        return mechanism not in self.limits["without"]


def prepare(settings: dict[str, Any], numpy_home: str) -> Plan:
    """Make what workers share: the Landlock rules, the filter, the count of the user's threads."""
    limits = settings["limits"]
    used = [name for name in ("landlock", "seccomp") if name not in limits["without"]]
    stdlib = os.path.join(sysconfig.get_path("stdlib"), "os.py")
    return Plan(
        cwd=settings["cwd"],
        limits=limits,
        user=settings["user"],
        tasks=0 if identity.is_root() else resources.tasks_of(identity.user()),
        needed=(stdlib, os.path.join(numpy_home, "numpy", "__init__.py"), *settings["readable"]),
        forbidden=os.path.abspath(__file__),
        ruleset=rules(settings["readable"], numpy_home) if "landlock" in used else None,
        filter=_filter() if "seccomp" in used else None,
    )


def rules(submission: list[str], numpy_home: str) -> landlock.Ruleset | None:
    """Return the Landlock rules of a worker, None where there is no Landlock."""
    ruleset = landlock.ruleset()
    if ruleset is not None:
        ruleset.allow(readable.standard_folders(), landlock.READ_DIR)
        ruleset.allow(readable.standard_library(), landlock.READ)
        ruleset.allow(readable.numpy_files(numpy_home), landlock.READ)
        ruleset.allow(readable.shared_libraries(), landlock.READ)
        ruleset.allow((*readable.LOADER, *readable.DEVICES_READ), landlock.READ)
        ruleset.allow(readable.DEVICES_WRITTEN, landlock.READ | landlock.WRITE_FILE | landlock.TRUNCATE)
        ruleset.allow(submission, landlock.READ)
    return ruleset


def _filter() -> seccomp.Filter | None:
    return seccomp.assemble(calls.FOR_WORKERS, calls.CHECKED_FOR_WORKERS, kernel.machine())


def enter(wire: int, output: int, plan: Plan, parent: int) -> dict[str, Any]:
    """Give up what a worker does not need; return the confinement in force.

    `parent` is the process that this one was born to. `wire` becomes descriptor 3, `output` both standard
    streams; everything else is closed.
    """
    family.own_session()
    family.die_with_parent(parent)
    os.chdir(plan.cwd)
    os.umask(0o077)
    resources.limit(plan.limits, plan.tasks)
    how = [
        "own session",
        "rlimits",
        "closed descriptors",
        "scrubbed environment",
        *_mechanisms(wire, output, plan, parent),
    ]
    held = selftest.held(plan.forbidden, plan.cwd, WIRE)
    return {"level": level(held), **held, "how": ", ".join(how)}


def _mechanisms(wire: int, output: int, plan: Plan, parent: int) -> list[str]:
    """Apply what the kernel offers, in the order that each allows the next; return what took."""
    took = {"no_new_privs": identity.gain_nothing()}
    took["landlock"] = plan.ruleset is not None and plan.ruleset.apply()
    _standard_streams(wire, output)
    user = identity.become(plan.user, plan.needed) if plan.uses("identity") else ""
    took[user] = bool(user)
    family.die_with_parent(parent)  # again: becoming another user has cleared it
    took["not dumpable"] = identity.hide()
    took["seccomp"] = plan.filter is not None and plan.filter.apply(os.getpid())
    return [name for name, is_held in took.items() if is_held]


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
