"""Holds a process to what a tool may do, then becomes the tool: a compiler, or the program that it made.

Runs in a fresh interpreter, since nothing but exec is safe to do in a fork of a process with threads.
A tool starts programs and makes files, so seccomp denies it sockets, ptrace, mounts and the like, but neither
fork nor signals; a program that a tool made is denied these too. Landlock lets both read the compiler
and libraries of the system and what they are given, no Python packages (as the reference), and write
their own folder only; as root they are another user.
Costs 30 ms per tool, which the start of an interpreter takes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from grader.sandbox import calls, family, identity, kernel, landlock, resources, seccomp

PREFIXES = ("/usr", "/usr/local", "/")
_WHOLE = ("bin", "sbin", "include", "libexec")
_BY_CHILD = ("lib", "lib32", "lib64")
OTHERS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_OF_PYTHON = ("python", "pypy", "site-packages", "dist-packages")
_MAKE = (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8)  # remove folders and files, make folders and files


def main() -> None:
    """Read the settings and the command from the arguments, confine this process, become the command."""
    settings, command = json.loads(sys.argv[1]), sys.argv[2:]
    family.die_with_parent()
    resources.set_all(settings["limits"])
    identity.gain_nothing()
    without = settings["without"]
    if "landlock" not in without:
        _hold_files(settings, command[0])
    if "identity" not in without:
        identity.become(settings["user"], settings["readable"], for_exec=True)
    family.die_with_parent()
    os.umask(0o027)
    if "seccomp" not in without:
        _hold_calls(may_fork=settings["may_fork"])
    os.execv(command[0], command)


def _hold_calls(*, may_fork: bool) -> None:
    denied = calls.FOR_TOOLS if may_fork else calls.FOR_PROGRAMS
    checked = calls.CHECKED_FOR_TOOLS if may_fork else calls.CHECKED_FOR_PROGRAMS
    rules = seccomp.assemble(denied, checked, kernel.machine())
    if rules is not None:
        rules.apply(os.getpid())


def _hold_files(settings: dict[str, Any], command: str) -> None:
    ruleset = landlock.ruleset()
    if ruleset is None:
        return
    everything = landlock.RUN | landlock.WRITE_FILE | landlock.TRUNCATE | _MAKE
    ruleset.allow((*system(os.path.realpath(command)), *OTHERS), landlock.RUN)
    ruleset.allow((os.path.realpath(command), *settings["readable"]), landlock.RUN)
    ruleset.allow(DEVICES, landlock.READ | landlock.WRITE_FILE | landlock.TRUNCATE)
    ruleset.allow(("/proc/self",), landlock.READ)  # sanitizers read their own maps
    ruleset.allow(settings["writable"], everything)
    ruleset.apply()
    ruleset.close()


def system(command: str) -> Iterator[str]:
    """Give the folders of programs, headers and libraries where a command at this path may have them."""
    for prefix in dict.fromkeys((*PREFIXES, os.path.dirname(os.path.dirname(command)))):
        yield from (os.path.join(prefix, name) for name in _WHOLE)
        for name in _BY_CHILD:
            folder = os.path.join(prefix, name)
            children = os.listdir(folder) if os.path.isdir(folder) else []
            yield from (os.path.join(folder, one) for one in children if not one.startswith(_OF_PYTHON))


if __name__ == "__main__":
    main()
