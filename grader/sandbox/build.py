"""Runs a tool on a submission's sources, a compiler or what it made, as a limited process of its own.

The tool is started in the background, in its own session, with resource limits, a scrubbed environment
and a private folder; its output goes to a file there. Knows nothing of homework.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.sandbox.limits import MIB

KEPT_OUTPUT = 256 * 1024

# Sets the limits on itself and becomes the tool: `preexec_fn` is not safe beside threads.
LIMITER = """
import ctypes, json, os, sys
limits, command = json.loads(sys.argv[1]), sys.argv[2:]
try:
    import resource
except ImportError:
    limits = {}
for name, value in limits.items():
    try:
        resource.setrlimit(getattr(resource, name), (value, value))
    except (ValueError, OSError, AttributeError):
        pass
if sys.platform.startswith("linux"):
    prctl = ctypes.CDLL(None).prctl
    prctl(1, ctypes.c_ulong(9), 0, 0, 0)
    prctl(38, ctypes.c_ulong(1), 0, 0, 0)
os.umask(0o077)
os.execv(command[0], command)
"""


@dataclass(frozen=True)
class ToolLimits:
    """Limits of one tool: seconds of the grader's clock, bytes; `memory` 0 is no limit (for sanitizers)."""

    seconds: float = 120.0
    memory: int = 3072 * MIB
    file_size: int = 256 * MIB
    open_files: int = 256

    def as_rlimits(self) -> dict[str, int]:
        """Return the limits by their names in `resource`."""
        limits = {
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": int(self.seconds) + 1,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_NOFILE": self.open_files,
        }
        return limits | ({"RLIMIT_AS": self.memory} if self.memory else {})


@dataclass(frozen=True)
class Outcome:
    """How a tool ended: its exit code (negative: the signal; None: out of time), what it printed, seconds."""

    code: int | None
    output: str
    seconds: float


@dataclass
class Tool:
    """One tool being run. `close` (or leaving the `with` block) kills whatever of it still runs."""

    command: Sequence[str]
    folder: Path
    limits: ToolLimits = field(default_factory=ToolLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    outcome: Outcome | None = None

    def start(self) -> Tool:
        """Start the tool in the background; its folder is made and is its working and temporary folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._started = time.monotonic()
        limits = json.dumps(self.limits.as_rlimits())
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-c", LIMITER, limits, *self.command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**scrubbed(self.command[0], self.folder), **self.environment},
            )
        return self

    def wait(self) -> Outcome:
        """Return how the tool ended; kills it when its seconds are over."""
        if self.outcome is None:
            left = self._started + self.limits.seconds - time.monotonic()
            try:
                code: int | None = self._process.wait(max(left, 0.0))
            except subprocess.TimeoutExpired:
                code = None
            self.close()
            self.outcome = Outcome(code, self._printed(), time.monotonic() - self._started)
        return self.outcome

    def close(self) -> None:
        """Kill the tool and its children."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Tool:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _log(self) -> Path:
        return self.folder / "output.txt"

    def _printed(self) -> str:
        with open(self._log, "rb") as log:
            return log.read(KEPT_OUTPUT).decode("utf-8", "replace")


def scrubbed(command: str, folder: Path) -> dict[str, str]:
    """Return an environment that holds nothing of ours but the way to the tool and its private folder."""
    path = dict.fromkeys([str(Path(command).parent), "/usr/bin", "/bin"])
    return {
        "PATH": ":".join(path),
        "LANG": "C.UTF-8",
        "LC_ALL": "C",
        "HOME": str(folder),
        "TMPDIR": str(folder),
    }
