"""The sandbox as it really holds, memory, room for temporary files, and the terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from grader.doctor.finding import Finding, ok, remark, trouble
from grader.errors import NotGraded
from grader.sandbox import identity, level
from grader.sandbox.channel import WorkerFault
from grader.sandbox.host import LOST, Zygote
from grader.sandbox.limits import MIB, Limits

LITTLE, TOO_LITTLE = 2048 * MIB, 768 * MIB
LITTLE_ROOM = 200 * MIB
# which mechanism holds an area that is not held
NEEDS = {
    "files": "Landlock (Linux 5.13 or later, `landlock` in /sys/kernel/security/lsm)",
    "network": "seccomp",
    "processes": "seccomp; as root, another user",
    "signals": "seccomp and Landlock",
    "memory": "rlimits",
}


def sandbox(limits: Limits | None = None) -> Finding:
    """Start a worker, have it try what must not work, and say which level that makes."""
    try:
        with tempfile.TemporaryDirectory(prefix="grader-doctor-") as folder:
            root = Path(folder).resolve()
            identity.share(root)
            empty = {"root": str(root), "paths": [], "compile": [], "eager": []}
            with Zygote(empty, root, limits or Limits()) as zygote:
                held = zygote.confinement()
    except (*LOST, WorkerFault, NotGraded) as error:
        fix = "nothing can be graded here: are fork and pipes allowed, is the temporary folder writable?"
        return trouble("sandbox", f"no worker process starts ({error})", fix)
    found = str(held.get("level", level.PROCESS_ONLY))
    if found == level.FULL:
        return ok("sandbox", f"full: {', '.join(level.AREAS)} are held")
    open_areas = level.missing(held)
    if not sys.platform.startswith("linux"):
        fix = "enough for your own code; grade others' code on Linux, in a container or a virtual machine"
    else:
        needed = dict.fromkeys(NEEDS[area] for area in open_areas.split(", ") if area in NEEDS)
        fix = f"enough for your own code; to grade others' code this machine needs {'; '.join(needed)}"
    return remark("sandbox", f"{found}: nothing holds {open_areas}", fix)


def memory(available: int | None = None) -> Finding:
    """Look at how much memory is left for the grader and one worker."""
    available = _available() if available is None else available
    if available <= 0:
        return remark("memory", "this system does not say how much is free", "nothing to do; 2 GB are enough")
    shown = f"{available / 1024 / MIB:.1f} GB free"
    if available < TOO_LITTLE:
        return trouble(
            "memory", shown, "close other programs, or raise the container's limit: 2 GB are enough"
        )
    if available < LITTLE:
        return remark("memory", shown, "a submission that needs much may be ended here and not elsewhere")
    return ok("memory", shown)


def _available() -> int:
    """Return the bytes that can still be used: the system's, or what a container's limit leaves."""
    found = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        most = int((group / "memory.max").read_text(encoding="ascii"))
        found = min(found or most, most - int((group / "memory.current").read_text(encoding="ascii")))
    if not found:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return found


def temporary(folder: str | None = None) -> Finding:
    """Look at where submissions are copied to and C++ is built."""
    try:
        folder = folder or tempfile.gettempdir()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        room = shutil.disk_usage(folder).free
    except OSError as error:
        return trouble("temporary", f"{folder}: {error.strerror}", "name a writable folder in TMPDIR")
    if room < LITTLE_ROOM:
        fix = "make room there, or name another folder in TMPDIR"
        return trouble("temporary", f"{folder}: {room // MIB} MB free", fix)
    if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0):
        fix = "hw0's C++ cannot be loaded from there: name a folder of another file system in TMPDIR"
        return remark("temporary", f"{folder}: mounted noexec", fix)
    return ok("temporary", f"{folder}: {room / 1024 / MIB:.1f} GB free")


def terminal(encoding: str | None = None) -> Finding:
    """Look at whether the terminal shows what the grader writes."""
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "·−×".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return remark("terminal", f"encoding {encoding}", "set LANG=C.UTF-8 (or PYTHONUTF8=1)")
    return ok("terminal", f"encoding {encoding}")
