"""What one worker may use."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Limits of one worker; times in seconds of the grader's own clock, sizes in bytes."""

    check_seconds: float = 10.0
    run_seconds: float = 300.0
    memory: int = 2048 * MIB
    file_size: int = 64 * MIB
    open_files: int = 256
    output: int = 16 * 1024
    threads: int = 1024
    without: tuple[str, ...] = ()  # mechanisms left out, for tests: "landlock", "seccomp", "identity"

    def as_dict(self) -> dict[str, Any]:
        """Return the limits as plain data, to be sent to a zygote."""
        return asdict(self)
