"""The kernel's interface through ctypes: prctl, raw system calls, capabilities. Linux only.

Costs nothing until it is used: the C library is looked up once, in the zygote.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys
from typing import Any

IS_LINUX = sys.platform.startswith("linux")
X86_64, AARCH64 = "x86_64", "aarch64"
_MACHINES = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47


@functools.cache
def libc() -> Any:
    """Return the C library, with errno kept."""
    return ctypes.CDLL(None, use_errno=True)


@functools.cache
def machine() -> str:
    """Return "x86_64" or "aarch64" where system calls have the numbers of that machine, else ""."""
    is_64_bit = sys.maxsize > 2**32
    return _MACHINES.get(platform.machine().lower(), "") if IS_LINUX and is_64_bit else ""


def prctl(option: int, value: int = 0, third: int = 0) -> bool:
    """Call prctl; return whether the kernel did it."""
    if not IS_LINUX:
        return False
    words = [ctypes.c_ulong(word) for word in (value, third, 0, 0)]
    return bool(libc().prctl(option, *words) == 0)


def syscall(number: int, *arguments: Any) -> int:
    """Make a raw system call; ints go as 64-bit words. Raises OSError with the kernel's errno."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = int(libc().syscall(ctypes.c_long(number), *words))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
