"""Where the project's own material lies."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "reference"


def starter(homework: str) -> Path:
    """Return the folder of the handout of a homework."""
    return ROOT / homework
