"""How long grading takes, as a multiple of `python -c "import numpy"` on the same machine.

    python benchmarks/speed.py [hw0 hw1 ...] [--pairs 10] [--jobs]

The commands run in turn, so that a busy machine slows all of them; medians of the ratios are printed: the
whole run on the clock and in CPU time of all processes, the first verdict on a terminal, and the memory of
the largest process. Bytecode is cached, as after any first run. For hw0 the compiler is timed alone, in
the same turn, and taken off. `--jobs` compares `--jobs 2` with `--jobs 1`: how much faster, how many cores
each keeps busy (CPU time by the clock: one job's grader and workers overlap already), and beside it what two
processes of plain Python gain over one here: cores that share their units, or have other work, give less.
"""

from __future__ import annotations

import argparse
import os
import pty
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

IMPORT = [sys.executable, "-c", "import numpy"]
LOOP = [sys.executable, "-c", "for i in range(3_000_000): i * i"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def command(homework: str, *words: str) -> list[str]:
    """Return the call that grades the reference."""
    return [sys.executable, "-m", "grader", homework, "reference", *words]


def timed(words: list[str], copies: int = 1) -> tuple[float, float]:
    """Run a command, or several copies side by side; return seconds on the clock and on the CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    runs = [
        subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL) for _ in range(copies)
    ]
    if sum(abs(run.wait()) for run in runs):  # all are waited for
        raise SystemExit(f"failed: {' '.join(words)}")
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_verdict(words: list[str]) -> float:
    """Return the seconds until the first character appears on a terminal."""
    ours, theirs = pty.openpty()
    started = time.perf_counter()
    with subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdout=theirs, stdin=theirs) as process:
        os.close(theirs)
        os.read(ours, 1)
        seconds = time.perf_counter() - started
        try:
            while os.read(ours, 4096):
                continue
        except OSError:  # the terminal's other end is closed
            process.wait()
    os.close(ours)
    return seconds


def peak_memory(words: list[str]) -> float:
    """Return the peak memory in MB of the largest process of a run, the compiler's included."""
    process = subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_maxrss / 1024


def compilation(folder: str) -> list[str]:
    """Return the call that compiles the reference's extension, as the grader does."""
    from grader.homework import extension

    source, target = ROOT / "reference/src/simple_ml_ext.cpp", Path(folder) / "extension.so"
    return [*extension.compiler(), *extension.FLAGS, *extension.includes(), str(source), "-o", str(target)]


def measure(homework: str, pairs: int, folder: str) -> None:
    """Print one line for one homework."""
    words = command(homework)
    for warm in (IMPORT, words):
        timed(warm)
    clock, cpu, first = [], [], []
    for _ in range(pairs):
        base, run = timed(IMPORT), timed(words)
        off = timed(compilation(folder)) if homework == "hw0" else (0.0, 0.0)
        clock.append((run[0] - off[0]) / base[0])
        cpu.append((run[1] - off[1]) / base[1])
        first.append(first_verdict(words) / timed(IMPORT)[0])
    print(
        f"{homework} reference{', the compiler taken off' if homework == 'hw0' else ''}: "
        f"{statistics.median(clock):.1f} x import numpy on the clock, {statistics.median(cpu):.1f} x in CPU "
        f"time, first verdict after {statistics.median(first):.1f} x (medians of {pairs} pairs); "
        f"the largest process peaks at {peak_memory(words):.0f} MB",
        flush=True,
    )


def measure_jobs(homework: str, pairs: int) -> None:
    """Print what a second job gains, and what the machine's second core gives plain Python."""
    gains, most, busy = [], [], []
    for _ in range(pairs):
        one, two = (timed(command(homework, "--jobs", jobs)) for jobs in ("1", "2"))
        gains.append(one[0] / two[0])
        busy.append((one[1] / one[0], two[1] / two[0]))
        most.append(2 * timed(LOOP)[0] / timed(LOOP, copies=2)[0])
    two_busy, one_busy = (statistics.median(one[i] for one in busy) for i in (1, 0))
    print(
        f"{homework} reference: --jobs 2 is {statistics.median(gains):.2f} x as fast as --jobs 1; they keep "
        f"{two_busy:.2f} and {one_busy:.2f} cores busy; two processes of plain Python do "
        f"{statistics.median(most):.2f} x the work of one (medians of {pairs})",
        flush=True,
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homework", nargs="*", default=["hw1"])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--jobs", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for homework in options.homework:
            measure(homework, options.pairs, folder)
            if options.jobs:
                measure_jobs(homework, options.pairs)


if __name__ == "__main__":
    main()
