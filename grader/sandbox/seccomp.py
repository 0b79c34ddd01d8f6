"""seccomp: which system calls a worker may make; the tables are in `calls`.

Holds: new processes and programs, signals and ptrace to others, sockets, shared memory, mounts, namespaces,
owners and modes of files, and whatever is newer than the tables. Does not hold: reading and writing files by
path, since a filter sees no paths; Landlock does. A call by the numbers of another architecture (i386 on
x86-64) ends the process; x32 numbers are refused. Needs no privilege but no_new_privs.
Probed by installing it. Costs 1 ms in each worker, most of it for any filter at all, and nothing
per call that is never denied: the kernel remembers which pass.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from grader.sandbox import kernel
from grader.sandbox.calls import NEWEST, OWN_PID, Call, Checked

_ARCHITECTURES = {kernel.X86_64: 0xC000003E, kernel.AARCH64: 0xC00000B7}
_INSTRUCTION = struct.Struct("=HBBI")  # code, jump if true, jump if false, operand
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; the low words of arguments
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_MODE_FILTER = 2

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


@dataclass(frozen=True)
class Filter:
    """An assembled filter, and where in it the worker's own process number is to be written."""

    code: bytes
    own_pid_at: tuple[int, ...]

    def apply(self, pid: int) -> bool:
        """Hold this process, number `pid`, to the filter for ever; return whether the kernel does."""
        code = bytearray(self.code)
        for offset in self.own_pid_at:
            struct.pack_into("=I", code, offset, pid)
        buffer = (ctypes.c_char * len(code)).from_buffer(code)
        program = _Program(len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        return kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program))


def assemble(denied: Sequence[Call], checked: Sequence[Checked], machine: str) -> Filter | None:
    """Return the filter for a machine, "x86_64" or "aarch64"; None for another, which has no table."""
    if machine not in _ARCHITECTURES:
        return None
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_refuse_newer(),
    ]
    for check in checked:
        code += _judge(check, machine)
    code += _refuse(sorted(n for call in denied if (n := getattr(call, machine)) is not None))
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    return _packed(code)


def _refuse_newer() -> list[Instruction]:
    """Whatever is not in the tables of today, the x32 numbers (from 0x40000000) among them."""
    return [(_AT_LEAST, 0, 1, NEWEST + 1), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]


def _judge(check: Checked, machine: str) -> list[Instruction]:
    """Look at an argument if this is the call; else go on with the number loaded again."""
    number = getattr(check, machine)
    if number is None:
        return []
    refuse, go_on = (_RETURN, 0, 0, _ERRNO | check.error), (_LOAD, 0, 0, _NUMBER)
    listed = go_on if check.allowed else refuse
    unlisted = refuse if check.allowed else go_on
    # listed and unlisted stand one after the other; the refusal among them ends the filter
    tests = [(_EQUAL, len(check.values) - i, 0, value & 0xFFFFFFFF) for i, value in enumerate(check.values)]
    body: list[Instruction] = [
        (_LOAD, 0, 0, _ARGUMENTS + 8 * check.argument),
        (_AND, 0, 0, check.mask),
        *tests,
    ]
    if check.allowed:
        body += [unlisted, listed]
    else:
        body += [(0x05, 0, 0, 1), listed, unlisted]
    return [(_EQUAL, 0, len(body), number), *body]


def _refuse(numbers: list[int]) -> list[Instruction]:
    """Jump past the final "allow" for each of the numbers."""
    return [(_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]


def _packed(code: list[Instruction]) -> Filter:
    own = tuple(
        i * _INSTRUCTION.size + 4
        for i, step in enumerate(code)
        if step[3] == OWN_PID & 0xFFFFFFFF and step[0] == _EQUAL
    )
    return Filter(b"".join(_INSTRUCTION.pack(*step) for step in code), own)
