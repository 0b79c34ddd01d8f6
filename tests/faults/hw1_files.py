"""Faults of files, folders, archives, starters and text: all of them must grade as if nothing were odd."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.faults.model import Expect, Fault, fine
from tests.support import transforms as change

STARTERS = [
    Fault(
        "layout-2022", "older starter: 2022", fine(not_run=("*.EWisePow.*",), notes=("2022",)), layout="2022"
    ),
    Fault(
        "starter-2023",
        "older starter: the 2023 EWisePow gradient always raises",
        fine(notes=("2023",)),
        {
            "EWisePow.gradient": """
def gradient(self, out_grad, node):
    if not isinstance(node.inputs[0], NDArray) or not isinstance(node.inputs[1], NDArray):
        raise ValueError("both inputs must be arrays")
    a, b = node.inputs
    return out_grad * b * a ** (b - 1), out_grad * node * log(a)
"""
        },
    ),
]

SCRIPT = "import sys\nprint('training for hours')\nsys.exit(7)\n"

FILES = [
    Fault(
        "notebooks",
        "notebooks beside the code",
        fine(),
        files={"hw1.ipynb": '{"cells": []}', "Untitled (1).ipynb": "not even JSON", "notes 笔记.md": "∂"},
    ),
    Fault(
        "scripts-at-root",
        "files that train on import lie at the root",
        fine(),
        files={
            "train.py": SCRIPT,
            "conftest.py": SCRIPT,
            "test_hw.py": SCRIPT,
            "numpy.py": SCRIPT,
            "setup.py": SCRIPT,
            "apps/json.py": SCRIPT,
            "tests/hw1/test_autograd_hw.py": SCRIPT,
        },
    ),
    Fault(
        "pycache-and-so",
        "shipped __pycache__ and .so",
        fine(),
        files={
            f"python/needle/{name}": b"\x7fELF garbage"
            for name in (
                "__pycache__/autograd.cpython-311.pyc",
                "__pycache__/__init__.cpython-310.pyc",
                "autograd.so",
                "ops/ops_mathematic.cpython-311-x86_64-linux-gnu.so",
                "backend_ndarray/ndarray_backend_cpu.so",
            )
        },
    ),
    Fault(
        "init-folder-lost",
        "files go missing",
        fine(notes=("init_basic.py",)),
        transforms=(change.without("python/needle/init/"),),
    ),
    Fault(
        "init-file-lost",
        "files go missing",
        fine(notes=("__init__.py",)),
        transforms=(change.without("python/needle/__init__.py"),),
    ),
    Fault(
        "ops-lost",
        "files go missing",
        Expect(("*.MatMul.*",), ("ops_mathematic.py",), consequences=("*",)),
        transforms=(change.without("python/needle/ops/ops_mathematic.py"),),
    ),
    Fault("markers-lost", "markers lost", fine(), transforms=(change.strip_markers,)),
    Fault("markers-half", "markers lost", fine(), transforms=(change.lose_end_markers,)),
    Fault(
        "text-crlf-bom",
        "CRLF, tabs, BOM",
        fine(),
        transforms=(change.tabs, change.crlf, change.byte_order_mark),
    ),
    Fault(
        "text-non-ascii",
        "CRLF, tabs, BOM",
        fine(),
        transforms=(change.non_ascii_comments, change.no_final_newline),
    ),
]


def _without_python(root: Path) -> Path:
    (root / "python/needle").rename(root / "needle")
    (root / "python").rmdir()
    return root


def _nested(*folders: str) -> Callable[[Path], Path]:
    def arrange(root: Path) -> Path:
        inner = root.parent.joinpath("around", *folders)
        inner.parent.mkdir(parents=True)
        shutil.move(str(root), inner)
        return root.parent / "around" if len(folders) > 1 else inner

    return arrange


def _zip(root: Path) -> Path:
    archive = root.with_name("张三: hw1 (final).zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(root.rglob("*.py")):
            file.write(path, f"张三 hw1/{path.relative_to(root)}")
    return archive


def _tar(root: Path) -> Path:
    archive = root.with_name("hw1.tar.gz")
    with tarfile.open(archive, "w:gz") as file:
        file.add(root, "./submission/hw1")
    return archive


FOLDERS = [
    Fault("root-needle", "needle/ at the root without python/", fine(), arrange=_without_python),
    Fault("folder-spaces", "folder names", fine(), arrange=_nested("my homework (2)")),
    Fault("folder-chinese", "folder names", fine(), arrange=_nested("作业 一")),
    Fault("folder-colon", "folder names", fine(), arrange=_nested("CMU 10-414: hw1")),
    Fault("folder-nested", "folder names", fine(), arrange=_nested("作业", "10-714: dl systems", "hw1 copy")),
    Fault("archive-zip", "archives", fine(), arrange=_zip),
    Fault("archive-tar", "archives", fine(), arrange=_tar),
]

FAULTS = [*STARTERS, *FILES, *FOLDERS]
