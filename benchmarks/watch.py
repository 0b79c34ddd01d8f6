"""How long `--watch` takes from a save to the changed verdict, beside `--only` that check.

    python benchmarks/watch.py [SAVES]

A copy of the reference is watched as hw2; one line of BatchNorm1d is made wrong and right again in turn.
"""

from __future__ import annotations

import os
import queue
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECK = "nn.BatchNorm1d.running"
FILE = "python/needle/nn/nn_basic.py"
RIGHT, WRONG = "self.momentum * mean.data", "self.momentum * 1.5 * mean.data"
MOST = 3.0


def main() -> int:
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "hw2"
        shutil.copytree(
            ROOT / "reference", root, ignore=shutil.ignore_patterns("__pycache__", "handouts", "data")
        )
        alone = statistics.median(_only(root) for _ in range(5))
        watched = statistics.median(_watched(root, saves))
    print(f"--only {CHECK}: {alone:.2f} s")
    ratio = watched / alone
    print(f"--watch, median of {saves} saves: {watched:.2f} s, {ratio:.2f} times that (at most {MOST:g})")
    return 0 if watched <= MOST * alone else 1


def _only(root: Path) -> float:
    started = time.monotonic()
    command = [sys.executable, "-m", "grader", "hw2", str(root), "--only", CHECK]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def _watched(root: Path, saves: int) -> list[float]:
    command = [sys.executable, "-m", "grader", "hw2", str(root), "--watch"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in process.stdout or ()], daemon=True).start()
    try:
        _until(lines, "watching")
        time.sleep(0.5)
        return [_save(root, lines, number) for number in range(saves)]
    finally:
        process.terminate()
        process.wait()


def _save(root: Path, lines: queue.Queue[str], number: int) -> float:
    old, new = (RIGHT, WRONG) if number % 2 == 0 else (WRONG, RIGHT)
    text = (root / FILE).read_text()
    assert old in text
    started = time.monotonic()
    (root / FILE).write_text(text.replace(old, new))
    _until(lines, "broken" if number % 2 == 0 else "fixed")
    took = time.monotonic() - started
    _until(lines, " / ")
    time.sleep(0.3)
    return took


def _until(lines: queue.Queue[str], word: str) -> None:
    while word not in lines.get(timeout=60):
        pass


if __name__ == "__main__":
    raise SystemExit(main())
