"""A run that is killed, or loses a worker, ends with the store of an undisturbed run."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.classroom.small_class import make, wait_for
from tests.classroom.stores import essence
from tests.cli.commands import COMMAND, ROOT, call, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
ALL = os.environ.get("GRADER_TESTS") == "all"


def _words(store: str) -> list[str]:
    return ["class", "hw1", "class", "--store", store, "--no-blame", "--jobs", "2"]


def _undisturbed(folder: Path, size: int) -> dict:
    """Make a class with one that cannot be read; return what an undisturbed run stores."""
    make(folder / "class", size)
    (folder / "class" / "broken.zip").write_bytes(b"none")
    assert call(*_words("whole.db"), cwd=folder, timeout=300).returncode == 1
    return essence(folder / "whole.db")


@pytest.mark.parametrize("kills", [3, 10])
def test_kill_9_at_random_moments(kills: int, tmp_path: Path) -> None:
    """Killed again and again, and given again each time: no grading is lost, none doubled."""
    if kills > 3 and not ALL:
        pytest.skip("long: GRADER_TESTS=all")
    rng = random.Random(kills)
    expected = _undisturbed(tmp_path, 3 * kills if kills > 3 else 4)
    for _ in range(kills):
        process = subprocess.Popen(
            [*COMMAND, *_words("killed.db")],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.1, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = call(*_words("killed.db"), cwd=tmp_path, timeout=300)

    assert done.returncode == 1
    assert essence(tmp_path / "killed.db") == expected


@contextmanager
def _process(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _worker(address: str) -> tuple[str, ...]:
    more = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
    return ("distributed.cli.dask_worker", address, *more)


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="distributed is not installed")
def test_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    """Two workers, one killed in the middle: the store is that of a run on this machine."""
    if not ALL:
        pytest.skip("long: GRADER_TESTS=all")
    expected = _undisturbed(tmp_path, 8)
    port = 20000 + os.getpid() % 20000
    address = f"tcp://127.0.0.1:{port}"
    scheduler = (
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
    )
    words = ["class", "hw1", "class", "--store", "cluster.db", "--no-blame", "--scheduler", address]
    with _process(*scheduler), _process(*_worker(address)) as first, _process(*_worker(address)):
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: _graded(tmp_path / "cluster.db") >= 2, 120)
        first.kill()
        out, err = process.communicate(timeout=300)

    assert (process.returncode, "8 submissions with a grade" in out) == (1, True), err
    assert essence(tmp_path / "cluster.db") == expected


def _graded(path: Path) -> int:
    return len(essence(path)["gradings"]) if path.exists() else 0


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense"])
def test_no_cluster_there(address: str, tmp_path: Path) -> None:
    """One line that names the address, exit 2."""
    pytest.importorskip("distributed")
    if not ALL:
        pytest.skip("long: GRADER_TESTS=all")
    make(tmp_path / "class", 1)

    done = call("class", "hw1", "class", "--store", "a.db", "--scheduler", address, cwd=tmp_path)

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert address in done.stderr
