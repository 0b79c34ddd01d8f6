"""A full disk and kill -9 leave what was stored, whole."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.classroom import store
from tests.cli.commands import ROOT, environment
from tests.store.filling import fill, graded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals of POSIX")
FILL = "import sys; from pathlib import Path; from tests.store.filling import fill; fill(Path(sys.argv[1]))"
LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"


def _filling(path: Path, before: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", before + FILL, str(path)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _whole(path: Path, told: list[str]) -> None:
    """What was told to be stored is there, and whole; at most one more is."""
    with store.create(path) as db:  # as the next call opens it
        assert db.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = list(db.gradings())
        for number, grading in enumerate(found):
            assert grading.data() == graded(f"s{number}", number).report
        assert sorted(one.id for one in db.gradings(1)) == [one.id for one in found]
    assert len(told) <= len(found) <= len(told) + 1


@pytest.fixture(params=["limit", "tmpfs"])
def small(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    """A place where a store cannot grow beyond 200 kB or so, and what a program does first to be so limited."""
    if request.param == "limit":
        yield tmp_path, LIMIT
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system needs root")
    try:
        yield tmp_path, ""
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_stops_with_all_intact(small: tuple[Path, str]) -> None:
    """The run ends with one line that says so; what was stored before is there."""
    folder, before = small
    process = _filling(folder / "class.db", before)
    out, err = process.communicate(timeout=60)

    last = err.strip().splitlines()[-1]
    assert process.returncode != 0
    assert "NotGraded" in last
    assert "cannot be written" in last
    assert len(out.split()) >= 3
    for name in ("class.db", "class.db-wal", "class.db-shm"):  # to where there is room
        kept = folder / name
        if kept.exists():
            (folder.parent / name).write_bytes(kept.read_bytes())
    _whole(folder.parent / "class.db", out.split())


@pytest.mark.parametrize("seed", range(3))
def test_kill_9_while_writing(seed: int, tmp_path: Path) -> None:
    """Ended at any moment, the store has all that was told to be stored."""
    process = _filling(tmp_path / "class.db")
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(random.Random(seed).uniform(0.02, 0.4))
    process.send_signal(signal.SIGKILL)
    told = [first.strip(), *process.communicate(timeout=30)[0].split()]

    _whole(tmp_path / "class.db", told)


def test_a_filled_store_can_be_read_meanwhile(tmp_path: Path) -> None:
    """A reader sees whole gradings while they are written."""
    path = tmp_path / "class.db"
    fill(path, 3)
    with store.create(path) as writer, store.open(path) as reader:
        run = writer.latest()
        assert run is not None
        writer.add(run, graded("late", key="new", content="new"))

        assert len(list(reader.gradings(run))) == 4
    with pytest.raises(sqlite3.ProgrammingError):
        reader.runs()
