"""Whether Ctrl-C ends a run at whatever moment it comes.

    python benchmarks/presses.py [--presses 200] [--seed 0]

A run with a check that does not end is started again and again and gets the signal after a random time,
most of them while it loads. How the runs ended is counted; lost is one that went on, or left a process.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.cli.test_interrupt import SLOW, interrupted
from tests.sandbox.driver import survivors
from tests.support import build

EARLIEST, LATEST = 0.05, 1.5  # seconds
AT_ONCE = 2.0  # seconds


def ending(submission: Path, moment: float) -> str:
    """Return in words how one run ended."""
    code, _, err, took, started = interrupted(["hw1", str(submission)], "group", moment)
    if took >= AT_ONCE or survivors(started):
        return f"lost (after {moment:.3f} s)"
    if code == -signal.SIGINT:
        return "ended by the signal, while the grader loads"
    if "grader/" not in err and ("KeyboardInterrupt" in err or "Fatal Python error" in err):
        return "ended by Python, while it starts"
    return f"exit {code}"


def main() -> None:
    """Read the arguments, press, and print what came of it; exit 1 if a press was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        submission = build(Path(folder) / "hw1", "hw1", solutions=SLOW)
        moments = [rng.uniform(EARLIEST, LATEST) for _ in range(options.presses)]
        counts = Counter(ending(submission, moment) for moment in moments)
    for words, count in counts.most_common():
        print(f"{count:>5}  {words}")
    raise SystemExit(any(words.startswith("lost") for words in counts))


if __name__ == "__main__":
    main()
