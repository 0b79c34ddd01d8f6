"""What honest homework does inside a function costs no points at any level."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.sandbox.limits import Limits
from tests.hostile.levels import EVERYTHING, FULL, LEVELS, OFFERED, Level
from tests.support import build

pytestmark = pytest.mark.skipif(not OFFERED, reason="the machine lacks Landlock or seccomp")
PRODUCT = "result = array_api.matmul(a, b)"
WAYS = {
    "threads": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            result = pool.submit(array_api.matmul, a, b).result()
    """,
    "linear algebra": f"""
        square = array_api.eye(6) + 1
        array_api.linalg.svd(square), array_api.linalg.inv(square), array_api.fft.fft(square)
        {PRODUCT}
    """,
    "late imports": f"""
        import decimal, functools, hashlib, itertools, multiprocessing, numpy.ma, subprocess, tempfile, unittest
        {PRODUCT}
    """,
    "ctypes": f"""
        import ctypes
        assert ctypes.CDLL(None).abs(-3) == 3
        {PRODUCT}
    """,
    "deep recursion": f"""
        import sys
        sys.setrecursionlimit(8000)
        def down(n): return 0 if n == 0 else down(n - 1)
        down(3000)
        {PRODUCT}
    """,
    "its own data": f"""
        import os
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.txt")) as file:
            assert file.read() == "1 2 3"
        {PRODUCT}
    """,
    "warnings": f"""
        import warnings
        warnings.warn("careful"), array_api.log(array_api.zeros(1))
        {PRODUCT}
    """,
    "prints": f"""
        import logging, sys
        print("shape", a.shape, flush=True), print(a, file=sys.stderr), logging.warning("seen")
        {PRODUCT}
    """,
    "another order": "result = array_api.asfortranarray(array_api.matmul(a, b))",
    "subclass": """
        class Mine(array_api.ndarray): pass
        result = array_api.matmul(a, b).view(Mine)
    """,
    "asserts of its own": f"""
        array_api.testing.assert_allclose(a, a) if hasattr(array_api, "testing") else None
        {PRODUCT}
        assert result.shape[-1] == b.shape[-1]
    """,
    "clock and memory": f"""
        import gc, time, tracemalloc
        tracemalloc.start(), gc.collect(), time.perf_counter(), tracemalloc.stop()
        {PRODUCT}
    """,
    "caught errors": f"""
        for name in ("/nonexistent/secret", "/", "/proc/1/mem"):
            try: open(name, "a").close()
            except OSError: pass
        {PRODUCT}
    """,
}
FILES = {"python/needle/ops/table.txt": "1 2 3"}
CASES = [
    pytest.param(level, way, id=f"{level.id}-{way}")
    for level in LEVELS
    for way in WAYS
    if level is FULL or EVERYTHING or way in ("threads", "its own data", "late imports")
]


@pytest.mark.parametrize(("level", "way"), CASES)
def test_full_marks(level: Level, way: str, tmp_path: Path) -> None:
    """Each of them, in the place of a right MatMul."""
    body = textwrap.indent(textwrap.dedent(WAYS[way]).strip(), "    ")
    compute = f"def compute(self, a, b):\n{body}\n    return result\n"
    root = build(tmp_path / "hw1", solutions={"MatMul.compute": compute}, extra_files=FILES)

    report = grade(root, "hw1", only="*.MatMul.*", limits=Limits(without=level.without), blame=False)

    assert [(one.id, one.message) for one in report.checks() if one.counts and not one.passed] == []
    assert report.full_marks
    assert report.confinement["level"] == level.named
