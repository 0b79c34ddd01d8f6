"""A submission that has been taken in: where its copy lies and what is known of its form."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Submission:
    """A submission laid out in a folder of the grader's own, ready to be loaded.

    `layout` is "2022" (single files) or "2023" (packages) for needle, "" for hw0. `sources` are the
    Python files that may be imported, relative to `root`. `notes` say what was missing or left out.
    """

    name: str
    root: Path
    layout: str
    sources: list[str]
    notes: list[dict[str, Any]] = field(default_factory=list)
