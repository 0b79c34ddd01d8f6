"""The figures of a class of hw2, in one run that can be stopped and continued.

    python benchmarks/classroom.py FOLDER [--size 1000] [--small 60] [--kills 10] [--jobs 2]

Makes the class in FOLDER (benchmarks/make_class.py), grades it, and prints:

- the time for all against size x the time of one single-core run of a submission with failures / jobs;
- the memory of the parent, at a quarter of the way and at its highest;
- the second call: its time, and that it graded nothing;
- on a class of --small: kill -9 at random moments, and a Dask cluster of two workers one of which is killed;
  the stores must equal that of an undisturbed run but for times.

Each figure is kept in FOLDER/figures.json when it is there, and not measured again; remove it for a new run.
About 20 minutes for 1,000 on two free cores, of which the small class takes 5.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import make_class
from grader.classroom import store
from tests.classroom.stores import equal_reports, essence

GRADER = [sys.executable, "-m", "grader"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
SAMPLE = 12
MOMENTS = (0.1, 6.0)  # a run is killed after so many times as long as one submission takes


class Figures:
    """What has been measured, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, name: str, measure: Callable[[], Any]) -> Any:
        """Return a figure, measured if it is not known."""
        if name not in self.known:
            print(f"... {name}", file=sys.stderr, flush=True)
            self.known[name] = measure()
            self.path.write_text(json.dumps(self.known, indent=1))
        return self.known[name]


def main() -> int:
    """Measure what is missing and print all of it; return 1 if a figure is not as it should be."""
    words = argparse.ArgumentParser(description="The figures of a class.")
    words.add_argument("folder", type=Path)
    words.add_argument("--size", type=int, default=1000)
    words.add_argument("--small", type=int, default=60)
    words.add_argument("--kills", type=int, default=10)
    words.add_argument("--jobs", type=int, default=2)
    options = words.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    figures = Figures(folder / "figures.json")
    results = [
        *_whole(figures, folder / "whole", options.size, options.jobs),
        *_small(figures, folder / "small", options.small, options.kills, options.jobs),
    ]
    for text, good in results:
        print(f"{'ok' if good else 'NO':<4}{text}")
    return 0 if all(good for _, good in results) else 1


def _whole(figures: Figures, folder: Path, size: int, jobs: int) -> list[tuple[str, bool]]:
    figures.get("made", lambda: len(make_class.make(folder, size)["planted"]))
    single = figures.get("single", lambda: _single(folder))
    first = figures.get("first call", lambda: _class(folder, "class.db", jobs))
    second = figures.get("second call", lambda: _class(folder, "class.db", jobs))
    share = first["seconds"] / (size * single / jobs)
    growth = first["highest"] - first["quarter"]
    new = second["gradings"] - first["gradings"]
    took = f"{first['seconds']:.0f} s on {jobs} cores = {share:.2f} x ({size} x {single:.2f} s / {jobs})"
    memory = f"{first['highest']:.0f} MB at its highest, {growth:+.0f} MB since a quarter of the way"
    return [
        (f"{size} graded in {took}; at most 1.3", share <= 1.3),
        (f"parent: {memory}; under 300, flat", first["highest"] < 300 and growth < 20),
        (f"store: {first['store']:.0f} MB, {first['gradings']} gradings", first["gradings"] > 0),
        (
            f"second call: {second['seconds']:.1f} s, {new} graded; under 10 s, 0",
            second["seconds"] < 10 and not new,
        ),
    ]


def _single(folder: Path) -> float:
    """Return the mean seconds of `grader hw2` on one core, for submissions with a planted mistake."""
    truth = json.loads((folder / "truth.json").read_text())
    names = sorted({name for one in truth["planted"] for name in one["students"]})
    chosen = random.Random(0).sample(names, min(SAMPLE, len(names)))
    paths = [next((folder / "submissions").glob(f"{name}*")) for name in chosen if name.startswith("student")]
    return statistics.fmean(_timed([*GRADER, "hw2", str(path)]) for path in paths)


def _timed(command: list[str]) -> float:
    started = time.monotonic()
    subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, preexec_fn=_on_one_core, check=False)
    return time.monotonic() - started


def _on_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _command(target: str, jobs: int, *more: str) -> list[str]:
    return [*GRADER, "class", "hw2", "submissions", "--store", target, "--jobs", str(jobs), *more]


def _class(folder: Path, target: str, jobs: int, *more: str) -> dict[str, float]:
    """Grade the class; return how long it took, how many gradings there are, the parent's memory."""
    started, sizes = time.monotonic(), []
    process = subprocess.Popen(_command(target, jobs, *more), cwd=folder, env=ENVIRONMENT)
    while process.poll() is None:
        sizes.append(_memory(process.pid))
        time.sleep(0.2)
    assert process.returncode in (0, 1), process.returncode
    return {
        "seconds": time.monotonic() - started,
        "gradings": _count(folder / target),
        "quarter": sizes[len(sizes) // 4],
        "highest": max(sizes),
        "store": (folder / target).stat().st_size / 1e6,
    }


def _count(path: Path) -> int:
    if not path.exists():
        return 0
    with store.open(path) as db:
        return int(db.connection.execute("SELECT count(*) FROM gradings").fetchone()[0])


def _memory(pid: int) -> float:
    """Return the resident memory of a process in MB, 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS")), 0.0)


def _small(figures: Figures, folder: Path, size: int, kills: int, jobs: int) -> list[tuple[str, bool]]:
    figures.get("small made", lambda: len(make_class.make(folder, size, seed=1)["planted"]))
    whole = figures.get("undisturbed", lambda: _class(folder, "undisturbed.db", jobs))
    each = jobs * whole["seconds"] / size
    killed = figures.get("killed", lambda: _killed(folder, kills, jobs, each))
    found = [_told(f"kill -9 at {kills} moments, {killed['graded']} graded before the last", killed)]
    try:
        import distributed  # noqa: F401
    except ImportError:
        return found
    lost = figures.get("cluster", lambda: _cluster(folder))
    return [*found, _told(f"2 Dask workers, one killed after {lost['graded']} of {size}", lost)]


def _told(text: str, figure: dict[str, Any]) -> tuple[str, bool]:
    equal, count = figure["reports"]
    same = f"{text}: same store, verdict by verdict; {equal} of {count} reports letter by letter"
    return same, figure["same"]


def _compared(folder: Path, target: str, graded: int) -> dict[str, Any]:
    whole, other = folder / "undisturbed.db", folder / target
    return {
        "graded": graded,
        "same": essence(whole) == essence(other),
        "reports": equal_reports(whole, other),
    }


def _killed(folder: Path, kills: int, jobs: int, each: float) -> dict[str, Any]:
    rng = random.Random(2)
    for name in folder.glob("killed.db*"):
        name.unlink()
    for _ in range(kills):
        with subprocess.Popen(
            _command("killed.db", jobs), cwd=folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(each * rng.uniform(*MOMENTS))
            process.send_signal(signal.SIGKILL)
    graded = _count(folder / "killed.db")
    _class(folder, "killed.db", jobs)
    return _compared(folder, "killed.db", graded)


def _cluster(folder: Path) -> dict[str, Any]:
    for name in folder.glob("cluster.db*"):
        name.unlink()
    address = f"tcp://127.0.0.1:{20000 + os.getpid() % 20000}"
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    scheduler = _dask("scheduler", "--host", host, "--port", port, "--no-dashboard")
    workers = [_dask("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)]
    client = subprocess.Popen(_command("cluster.db", 1, "--scheduler", address), cwd=folder, env=ENVIRONMENT)
    try:
        half = _count(folder / "undisturbed.db") // 2
        graded = 0
        while graded < half and client.poll() is None:
            time.sleep(0.5)
            graded = _count(folder / "cluster.db")
        workers[0].kill()
        client.wait()
    finally:
        for process in (client, scheduler, *workers):
            process.kill()
            process.wait()
    return _compared(folder, "cluster.db", graded)


def _dask(word: str, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{word}", *more]
    return subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
