"""System calls: the tables are the kernel's, the filter does what they say, and a worker feels it."""

from __future__ import annotations

import errno
import re
import struct
import sys
from pathlib import Path

import pytest

from grader.sandbox import calls, kernel, seccomp
from tests.sandbox.attempts import results, worked

MACHINES = ("x86_64", "aarch64")
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
DENIED, CHECKED = calls.FOR_WORKERS, calls.CHECKED_FOR_WORKERS
ALLOW, KILL, ERRNO, PID = 0x7FFF0000, 0x80000000, 0x00050000, 4321

# Calls that honest code makes: read, write, close, mmap, munmap, brk, futex, getrandom, exit_group, getpid.
HONEST = {
    "x86_64": (0, 1, 3, 9, 11, 12, 202, 318, 231, 39),
    "aarch64": (63, 64, 57, 222, 215, 214, 98, 278, 94, 172),
}


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter answers: a reading of the instructions, step by step."""
    rules = seccomp.assemble(DENIED, CHECKED, machine)
    assert rules is not None
    code = bytearray(rules.code)
    for offset in rules.own_pid_at:
        struct.pack_into("=I", code, offset, PID)
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *words)
    steps = list(struct.iter_unpack("=HBBI", bytes(code)))
    at, value = 0, 0
    while True:
        what, yes, no, operand = steps[at]
        at += 1
        if what == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif what == 0x54:
            value &= operand
        elif what == 0x15:
            at += yes if value == operand else no
        elif what == 0x35:
            at += yes if value >= operand else no
        elif what == 0x05:
            at += operand
        else:
            assert what == 0x06
            return int(operand)


def number(name: str, machine: str) -> int:
    """The number of a call in the tables."""
    return next(n for call in (*DENIED, *CHECKED) if call.name == name and (n := getattr(call, machine)))


@pytest.mark.parametrize("machine", MACHINES)
def test_every_denied_call(machine: str) -> None:
    """Each call of the table gets EPERM; each that honest code makes passes."""
    numbers = [n for call in DENIED if (n := getattr(call, machine)) is not None]

    assert {ERRNO | errno.EPERM} == {decide(machine, n) for n in numbers}
    assert {ALLOW} == {decide(machine, n) for n in HONEST[machine]}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("clone", [(0x3D0F00,)], [(17,), (0x8000 | 17,), (0x10000000,), (0x4000 | 0x100,)]),
        ("kill", [(PID, 9), (0, 9)], [(1, 0), (PID + 1, 9), (2**32 - 1, 9), (2**32 - PID, 9)]),
        ("tgkill", [(PID, 7, 6)], [(PID - 1, PID - 1, 0), (0, 1, 0)]),
        ("prlimit64", [(0, 7), (PID, 7)], [(PID - 1, 7)]),
        ("fcntl", [(3, 1), (3, 4), (3, 1030)], [(3, 8), (3, 10), (3, 15), (3, 1024), (3, 1026)]),
        ("prctl", [(15,), (39,), (3,)], [(1,), (4,), (8,), (22,), (38,)]),
        ("socketpair", [(1, 1), (1, 0x80801)], [(1, 2), (2, 1), (1, 5), (16, 3)]),
        ("openat", [(0, 0, 0), (0, 0, 0x80000), (0, 0, 0x241)], [(0, 0, 0x200), (0, 0, 0x80200)]),
    ],
)
def test_arguments_are_judged(
    machine: str, name: str, allowed: list[tuple[int, ...]], refused: list[tuple[int, ...]]
) -> None:
    """A call that is judged by an argument passes with the harmless ones only."""
    n = number(name, machine)

    assert {ALLOW} == {decide(machine, n, *arguments) for arguments in allowed}
    assert {ERRNO | errno.EPERM} == {decide(machine, n, *arguments) for arguments in refused}


@pytest.mark.parametrize("machine", MACHINES)
def test_what_the_tables_do_not_know(machine: str) -> None:
    """Newer calls, x32 numbers and clone3 do not exist; the numbers of another architecture kill."""
    absent = [calls.NEWEST + 1, 0x40000000 + 39, 2**32 - 1, 435, 437]

    assert {ERRNO | errno.ENOSYS} == {decide(machine, n) for n in absent}
    assert decide(machine, 39, architecture=0x40000003) == KILL
    assert seccomp.assemble(DENIED, CHECKED, "riscv64") is None


@pytest.mark.parametrize("machine", MACHINES)
def test_tables_are_the_kernels(machine: str) -> None:
    """The numbers are those of the kernel's headers, where these are installed."""
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\s", HEADERS[machine].read_text()))
    wrong = {
        call.name: (n, known[call.name])
        for call in (*DENIED, *CHECKED)
        if (n := getattr(call, machine)) is not None and known.get(call.name, str(n)) != str(n)
    }

    assert wrong == {}
    assert len(DENIED) == len({call.name for call in DENIED})


REFUSED = {
    **{
        f"socket {family}": f"socket.socket({family}, socket.SOCK_DGRAM)" for family in (1, 2, 10, 16, 38, 40)
    },
    "tcp": "socket.create_connection(('127.0.0.1', 9), 1)",
    "datagram pair": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "fork": "os.fork()",
    "exec": "os.execv('/bin/true', ['true'])",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "signal to the parent": "os.kill(parent, 0)",
    "signal to all": "os.kill(-1, 0)",
    "signal to the parent's group": "os.killpg(os.getpgid(parent), 0)",
    "signal by owner": "fcntl.fcntl(3, fcntl.F_SETOWN, parent)",
    "any signal by owner": "fcntl.fcntl(3, 10, signal.SIGKILL)",
    "descriptor of a process": "os.pidfd_open(parent)",
    "limits of the parent": "resource.prlimit(parent, resource.RLIMIT_CPU)",
    "priority of the parent": "os.setpriority(os.PRIO_PROCESS, parent, 5)",
    "processors of the parent": "os.sched_setaffinity(parent, {0})",
    "own limits raised": "resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))",
    "root again": "os.setresuid(0, 0, 0)",
    "outlive the grader": "prctl(1, 0, 0, 0, 0)",
    "be traced": "prctl(4, 1, 0, 0, 0)",
    "memory file": "os.memfd_create('x')",
}
BY_NUMBER = {
    "x32": "call(0x40000000 + 39)",
    "tkill": "call(200, parent, 0)",
    "ptrace": "call(101, 16, parent, 0, 0)",
    "vm_readv": "call(310, parent, 0, 0, 0, 0, 0)",
    "vfork by clone": "call(56, 0x4000 | 0x100 | 17, 0, 0, 0, 0)",
    "clone3": "call(435, 0, 0)",
    "shmget": "call(29, 0, 4096, 0o1600)",
    "unshare": "call(272, 0x10000000)",
    "io_uring": "call(425, 1, 0)",
    "keyctl": "call(250, 0, 0)",
    "openat2": "call(437, -100, 0, 0, 0)",
}
WORKS = {
    "stream pair": "socket.socketpair()",
    "signal to itself": "os.kill(os.getpid(), 0)",
    "raise": "signal.signal(signal.SIGUSR1, lambda *_: None); signal.raise_signal(signal.SIGUSR1)",
    "own limits": "resource.getrlimit(resource.RLIMIT_AS)",
    "terminal": "sys.stdout.isatty()",
    "thread": "import threading; t = threading.Thread(target=int); t.start(); t.join()",
}


@pytest.mark.skipif(not kernel.machine(), reason="no filter for this machine")
def test_a_worker_feels_it(tmp_path: Path) -> None:
    """Sockets, processes, signals and the like are refused in a real worker."""
    attempts = REFUSED | (BY_NUMBER if kernel.machine() == kernel.X86_64 else {})

    found = results(attempts, tmp_path)

    own = found.pop("own limits raised")
    assert own in ("EPERM", "ValueError")
    assert worked(found) == {}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_what_honest_code_needs_works(tmp_path: Path) -> None:
    """Threads, signals to itself and pairs of sockets are left."""
    assert set(results(WORKS, tmp_path).values()) == {"worked"}
