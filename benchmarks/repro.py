"""How many faults of the fixtures a script of `--repro` shows: it must end with 1 there, with 0 on the fix.

    python benchmarks/repro.py [hw1|hw2 ...]

What ends processes or eats memory on purpose is left out: the scripts run outside the sandbox.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.debug import script
from grader.debug.evidence import NotCovered
from tests.debug.test_repro import WRONG, recorded, root_of, run
from tests.faults.model import Fault
from tests.support import build


def main() -> int:
    names = sys.argv[1:] or ["hw1", "hw2"]
    left = 0
    for homework in names:
        faults = [fault for name, fault in WRONG if name == homework]
        outcomes = {fault.id: outcome(homework, fault) for fault in faults}
        wrong = {name: said for name, said in outcomes.items() if said}
        print(f"{homework}: {len(faults) - len(wrong)} of {len(faults)}")
        for name, said in wrong.items():
            print(f"  {name}: {said}")
        left += len(wrong)
    return 1 if left else 0


def outcome(homework: str, fault: Fault) -> str:
    """Return "" if the script tells the fault from the fix, else what it does."""
    with tempfile.TemporaryDirectory() as folder:
        submission = fault.build(Path(folder) / "faulty", homework)
        right = build(Path(folder) / "right", homework, fault.layout)
        try:
            text = script.write(recorded(homework, fault, submission))
        except NotCovered as error:
            return f"not covered: {error}"
        codes = [run(text, root, Path(folder)).returncode for root in (root_of(submission), right)]
        return "" if codes == [1, 0] else f"ends with {codes[0]} on the fault, with {codes[1]} on the fix"


if __name__ == "__main__":
    raise SystemExit(main())
