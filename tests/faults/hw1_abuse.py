"""Code that attacks its worker inside one op: every other check keeps its verdict."""

from __future__ import annotations

from tests.faults.hw1_planted import with_prologue
from tests.faults.model import Expect, Fault

# Nothing else is built on it, so nothing else may change.
OP = "EWisePow"
SECONDS = 3.0

# What is done, and the verdicts that say so.
DEEDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "os-exit": ("import os\nos._exit(0)", ("crashed", "error")),
    "sys-exit": ("import sys\nsys.exit(0)", ("crashed", "error", "failed")),
    "segfault": ("import ctypes\nctypes.string_at(0)", ("crashed",)),
    "abort": ("import os\nos.abort()", ("crashed",)),
    "kill": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", ("crashed", "error")),
    "kill-group": ("import os, signal\nos.killpg(0, signal.SIGKILL)", ("crashed", "error")),
    "loop": ("while True:\n    pass", ("timeout",)),
    "sleep": ("import time\ntime.sleep(3600)", ("timeout",)),
    "memory": (
        "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 26))",
        ("crashed", "error", "timeout"),
    ),
    "flood": ("while True:\n    print('x' * 10000)", ("timeout", "crashed", "error")),
    "interrupt": ("raise KeyboardInterrupt", ("error", "crashed", "failed")),
    "generator-exit": ("raise GeneratorExit", ("error", "crashed", "failed")),
    "stack": ("def down(n):\n    return down(n + 1)\ndown(0)", ("error", "crashed", "failed")),
    "close-descriptors": ("import os\nos.closerange(0, 1000)", ("crashed", "error", "failed")),
    "nasty-message": (
        "class Nasty(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Nasty()",
        ("error", "crashed", "failed"),
    ),
    "huge-message": ("raise ValueError('x' * 50_000_000)", ("error", "crashed", "failed")),
    "fork": ("import os\nwhile True:\n    os.fork()", ("timeout", "crashed", "error", "failed")),
}


def _seconds(verdicts: tuple[str, ...]) -> float:
    """What never ends is waited for a short time, all else as usual, for a busy machine."""
    return SECONDS if "timeout" in verdicts else 10.0


def _gradient(id_: str, lines: str, verdicts: tuple[str, ...]) -> Fault:
    name = f"{OP}.gradient"
    expect = Expect((f"backward.{name}",), consequences=(), verdicts=verdicts)
    solutions = {name: with_prologue(name, lines)}
    return Fault(f"gradient-{id_}", "worker abuse", expect, solutions, seconds=_seconds(verdicts))


def _compute(id_: str, lines: str, verdicts: tuple[str, ...]) -> Fault:
    name = f"{OP}.compute"
    expect = Expect((f"forward.{OP}.forward",), consequences=(f"backward.{OP}.*",), verdicts=verdicts)
    solutions = {name: with_prologue(name, lines)}
    return Fault(f"compute-{id_}", "worker abuse", expect, solutions, seconds=_seconds(verdicts))


def _at_import(id_: str, lines: str) -> Fault:
    source = lines + "\n"
    expect = Expect(("*",), consequences=("*",), score=0.0)
    return Fault(
        f"import-{id_}", "worker abuse", expect, files={"python/needle/__init__.py": source}, seconds=SECONDS
    )


FAULTS = [
    *(_gradient(id_, *deed) for id_, deed in DEEDS.items()),
    *(_compute(id_, *DEEDS[id_]) for id_ in ("os-exit", "segfault", "memory", "loop")),
    *(_at_import(id_, DEEDS[id_][0]) for id_ in ("os-exit", "sys-exit", "segfault", "memory")),
]
