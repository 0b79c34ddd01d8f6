"""How long grading takes, as a multiple of `python -c "import numpy"` on the same machine.

    python benchmarks/speed.py [hw1 ...] [--pairs 10]

The two commands run in turn, so that a busy machine slows both; the median of the ratios is printed,
for the clock and for the CPU time of all processes, with the grader's own peak memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORT = [sys.executable, "-c", "import numpy"]


def timed(command: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds on the clock and on the CPU, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_memory(command: list[str]) -> float:
    """Return the peak memory in MB of one process, its children left out."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_maxrss / 1024


def measure(homework: str, pairs: int) -> None:
    """Print one line for one homework."""
    command = [sys.executable, "-m", "grader", homework, "reference"]
    for warm in (IMPORT, command):
        timed(warm)
    clock, cpu = [], []
    for _ in range(pairs):
        base, run = timed(IMPORT), timed(command)
        clock.append(run[0] / base[0])
        cpu.append(run[1] / base[1])
    print(
        f"{homework} reference: {statistics.median(clock):.1f} x import numpy on the clock, "
        f"{statistics.median(cpu):.1f} x in CPU time (medians of {pairs} pairs); "
        f"grader process peaks at {peak_memory(command):.0f} MB"
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homework", nargs="*", default=["hw1"])
    parser.add_argument("--pairs", type=int, default=10)
    options = parser.parse_args()
    for homework in options.homework:
        measure(homework, options.pairs)


if __name__ == "__main__":
    main()
