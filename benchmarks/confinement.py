"""What confinement costs per worker, over a bare fork of the same process.

    python benchmarks/confinement.py [--rounds 200]

Workers are forked from a process with numpy loaded, as in a zygote; a bare one only says hello. The kinds
take turns, so that a busy machine slows all of them; medians are printed, in milliseconds. The last column
leaves out one mechanism at a time: what it saves is what the mechanism costs.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader import wire
from grader.sandbox import confine, family, identity
from grader.sandbox.channel import open_channel
from grader.sandbox.limits import Limits

MECHANISMS = ("landlock", "seccomp", "identity")


def plan(without: tuple[str, ...] = ()) -> confine.Plan:
    """Return what a zygote would prepare for workers on the reference."""
    settings = {
        "limits": Limits(without=without).as_dict(),
        "cwd": str(ROOT / "reference"),
        "user": identity.OWN,
        "readable": [str(ROOT / "reference")],
    }
    return confine.prepare(settings, str(Path(np.__file__).parents[1]))


def seconds(enter: Callable[[int, int], dict[str, object]]) -> float:
    """Fork a worker; return the time until it has said hello and is reaped."""
    worker, (wire_end, output) = open_channel(1024)
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        report = enter(wire_end, output)
        socket.socket(fileno=confine.WIRE if report else wire_end).sendall(wire.encode(report))
        os._exit(0)
    os.close(wire_end)
    os.close(output)
    worker.hello(10)
    os.waitpid(pid, 0)
    taken = time.perf_counter() - started
    worker.close()
    return taken


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    family.adopt_orphans()
    started = time.perf_counter()
    plans = {"confined": plan()}
    once = time.perf_counter() - started
    plans |= {f"without {name}": plan((name,)) for name in MECHANISMS}
    kinds = {"bare": lambda wire_end, output: {}} | {
        name: lambda wire_end, output, one=one: confine.enter(wire_end, output, one, os.getppid())
        for name, one in plans.items()
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, enter in kinds.items():
            times[name].append(1000 * seconds(enter))
    bare = statistics.median(times["bare"])
    print(f"made once per zygote: {1000 * once:.1f} ms; per worker, medians of {rounds}:")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"  {name:18} {middle:5.2f} ms, {middle - bare:+.2f} ms over a bare fork")


if __name__ == "__main__":
    main()
