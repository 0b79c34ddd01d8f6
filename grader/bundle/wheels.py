"""Packages that a bundle installs without a network: fetched once, by pip, for the Pythons of the images."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.bundle.contents import REQUIREMENTS
from grader.errors import UsageError

# of the images: Gradescope's is Ubuntu 22.04, ours in the Dockerfile is python:3.12
PYTHONS = {"gradescope": ("3.10",), "docker": ("3.12",), "prairielearn": ("3.12",)}
# pip reads `python_version < "3.11"` by the Python that it runs on, not by the one it fetches for
BEFORE_3_11 = ("exceptiongroup>=1.0", "typing-extensions>=4.6")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def download(into: Path, pythons: Sequence[str]) -> None:
    """Put the wheels of everything that the grader needs into a folder.

    Raises `UsageError` with pip's last line when it cannot.
    """
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    for version in pythons:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--only-binary=:all:", "--python-version", version, *platforms]
        wanted = [*REQUIREMENTS, *(BEFORE_3_11 if version in ("3.9", "3.10") else ())]
        done = subprocess.run(
            [*command, "--dest", str(into), *wanted], capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise UsageError(
                f"--offline: pip could not fetch the wheels for Python {version} ({last}); "
                "fetch them where there is a network, and name their folder with --wheels"
            )


def require(folder: Path) -> Path:
    """Return a folder of wheels; raises `UsageError` if there are none in it."""
    if not any(folder.glob("*.whl")):
        raise UsageError(f"{folder}: no wheels there; `pip download -d {folder} {' '.join(REQUIREMENTS)}`")
    return folder
