"""Handouts in a temporary folder, and students' homework 1 in several styles."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.handout.generate import generate

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "reference"


@pytest.fixture(scope="session", params=["hw0", "hw1", "hw2"])
def homework(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def lay_out(tmp_path: Path) -> Callable[..., Path]:
    """Writes a generated handout below the temporary folder and gives its root."""

    def write_handout(name: str, folder: str | None = None) -> Path:
        root = tmp_path / (folder or name)
        for relative, content in generate(name).items():
            path = root / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return root

    return write_handout


def run(code: str, root: Path) -> str:
    """Output of a program that runs in a homework's root, with `python/` importable."""
    program = f"import sys; sys.path[:0] = ['python', 'apps', 'src']\n{code}"
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
