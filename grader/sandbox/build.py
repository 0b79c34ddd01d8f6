"""Runs a tool on a submission's sources, a compiler or what it made, as a limited process of its own.

The tool is started in the background, in its own session, confined by `enclose`, with resource limits, a
scrubbed environment and a private folder; its output goes to a file there. Knows nothing of homework.
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

from grader.sandbox import identity
from grader.sandbox.limits import MIB

KEPT_OUTPUT = 256 * 1024

# `preexec_fn` is not safe beside threads: a fresh interpreter confines itself and becomes the tool.
SOURCE = """
import sys
sys.path.append(sys.argv.pop(1))
from grader.sandbox import enclose
enclose.main()
"""
PYTHON = (sys.executable, "-I", "-S", "-B")
ROOT = str(Path(__file__).resolve().parents[2])


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
    """One tool being run. `close` (or leaving the `with` block) kills whatever of it still runs.

    It may read the system's compiler and libraries and what is `readable`, and write its own folder and
    those that are `writable`, where the machine offers Landlock; see `enclose`.
    """

    command: Sequence[str]
    folder: Path
    limits: ToolLimits = field(default_factory=ToolLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: Sequence[Path | str] = ()
    writable: Sequence[Path] = ()
    without: Sequence[str] = ()
    may_fork: bool = True
    outcome: Outcome | None = None

    def start(self) -> Tool:
        """Start the tool in the background; its folder is made and is its working and temporary folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._started = time.monotonic()
        for folder in (self.folder, *self.writable):
            identity.give(folder)
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [*PYTHON, "-c", SOURCE, ROOT, json.dumps(self._settings()), *self.command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**scrubbed(self.command[0], self.folder), **self.environment},
            )
        return self

    def _settings(self) -> dict[str, object]:
        writable = [str(folder) for folder in (self.folder, *self.writable)]
        return {
            "limits": self.limits.as_rlimits(),
            "readable": [*map(str, self.readable), *writable],
            "writable": writable,
            "user": identity.OWN,
            "without": list(self.without),
            "may_fork": self.may_fork,
        }

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
