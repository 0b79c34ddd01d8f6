"""What tox checks besides the tests, so that `pytest` alone says whether a change can be handed in."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {
    "style": ("ruff", ["ruff", "check", "."]),
    "format": ("ruff", ["ruff", "format", "--check", "."]),
    "types": ("mypy", ["mypy"]),
    "imports": ("importlinter", ["importlinter.cli", "lint-imports"]),
    "handouts": ("grader", ["grader", "handout", "--check"]),
}


def _call(name: str) -> list[str]:
    module, words = TOOLS[name]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    if name == "imports":
        code = "from importlinter.cli import lint_imports_command as main; main()"
        return [sys.executable, "-c", code, "tox.ini"]
    return [sys.executable, "-m", *words]


@pytest.mark.parametrize("name", TOOLS)
def test_tool_finds_nothing(name: str) -> None:
    """Style, format, types, the arrows between the rooms and the handouts are as they should be."""
    done = subprocess.run(_call(name), cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
