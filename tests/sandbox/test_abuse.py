"""A worker that misbehaves fails its own question with the right verdict, and the next worker is fine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from grader.sandbox.channel import Raised, WorkerFault
from grader.sandbox.limits import MIB, Limits
from tests.sandbox.driver import FREE, MODES, QUIET, printed, run, sandbox

FRAME = """
import json, os, struct
def frame(message):
    header = json.dumps(message).encode()
    return struct.pack("<4sIQ", b"NGW1", len(header), 0) + header
"""

# What is done in the worker, and the verdicts that may follow.
DEEDS: dict[str, tuple[str, str]] = {
    "exit-0": ("import os; os._exit(0)", "crashed"),
    "exit-3": ("import os; os._exit(3)", "crashed"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "crashed"),
    "abort": ("import os; os.abort()", "crashed"),
    "kill-itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    "kill-group": ("import os, signal; os.killpg(0, signal.SIGKILL)", "crashed"),
    "closed": ("import os; os.closerange(0, 1024)", "crashed"),
    "wire-closed": ("import os; os.close(3)", "crashed"),
    "loop": ("while True: pass", "timeout"),
    "loop-deaf": (
        "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except OSError: pass\nwhile True: pass",
        "timeout",
    ),
    "sleep": ("import time; time.sleep(60)", "timeout"),
    "stopped": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
    "flood-stdout": ("while True: print('x' * 5000)", "timeout"),
    "flood-stderr": ("import os\nwhile True: os.write(2, b'y' * 5000)", "timeout"),
    "flood-wire": ("import os\nwhile True: os.write(3, b'z' * 65536)", "error"),
    "garbage": ("import os; os.write(3, b'HTTP/1.1 200 OK' + b'\\0' * 50)", "error"),
    "short-garbage": ("import os; os.write(3, b'NGW1'); os._exit(0)", "crashed"),
    "huge-payload": (
        "import os, struct; os.write(3, struct.pack('<4sIQ', b'NGW1', 2, 2**62) + b'{}')",
        "error",
    ),
    "forged-nonce": (
        f"{FRAME}\nos.write(3, frame({{'result': {{'failed': []}}, 'nonce': '0' * 16, 'arrays': []}}))",
        "error",
    ),
    "forged-no-nonce": (f"{FRAME}\nos.write(3, frame({{'result': {{}}, 'arrays': []}}))", "error"),
    "byte-by-byte": (
        "import os, time\n"
        "for byte in b'NGW1' + b'\\x01' * 100:\n    os.write(3, bytes([byte])); time.sleep(0.05)",
        "timeout",
    ),
}
SHORT = ("timeout",)
SOME = ("exit-0", "segfault", "loop", "flood-stdout", "garbage")  # a process for each costs a start of numpy


@pytest.mark.parametrize("mode", MODES)
def test_each_deed_costs_its_own_question(mode: str, tmp_path: Path) -> None:
    """The verdict names how the worker failed, within its time, and each next worker answers."""
    chosen = DEEDS if mode == "fork" else {name: DEEDS[name] for name in SOME}
    modules = {name.replace("-", "_"): code for name, (code, _) in chosen.items()}
    seen, slow, broken = {}, {}, []
    with sandbox(tmp_path, mode, **modules) as zygote:
        for name, (_, verdict) in chosen.items():
            worker = zygote.worker()
            started = time.monotonic()
            with pytest.raises(WorkerFault) as fault:
                run(worker, name.replace("-", "_"), 0.3 if verdict in SHORT else 5.0)
            zygote.end(worker)
            seen[name] = fault.value.verdict
            slow[name] = time.monotonic() - started
            following = zygote.worker()
            if run(following, QUIET).values["failed"]:
                broken.append(name)
            zygote.end(following)

    assert {name: verdict for name, (_, verdict) in chosen.items()} == seen
    assert {name: seconds for name, seconds in slow.items() if seconds > 3} == {}
    assert broken == []


def test_becoming_another_program(tmp_path: Path) -> None:
    """A worker that becomes another program, where nothing denies it, has crashed."""
    leave = "import os; os.execv('/bin/true', ['true'])"
    with sandbox(tmp_path, MODES[0], FREE, leave=leave) as zygote, pytest.raises(WorkerFault) as fault:
        run(zygote.worker(), "leave")

    assert fault.value.verdict == "crashed"


@pytest.mark.parametrize("mode", MODES)
def test_exceptions_are_answers(mode: str, tmp_path: Path) -> None:
    """Leaving by sys.exit, Ctrl-C or GeneratorExit is an exception like others: the worker lives on."""
    kinds = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "MemoryError", "RecursionError")
    with sandbox(tmp_path, mode, **{kind: f"raise {kind}" for kind in kinds}) as zygote:
        worker = zygote.worker()
        seen = [run(worker, kind).values["failed"][0]["raised"]["type"] for kind in kinds]

        assert list(kinds) == seen


@pytest.mark.parametrize("mode", MODES)
def test_memory_is_limited(mode: str, tmp_path: Path) -> None:
    """A worker that asks for more than its limit gets MemoryError or dies; less is granted."""
    code = "import ctypes\nhoard = [bytearray(8 << 20) for _ in range({})]\nprint(len(hoard))"
    modules = {"modest": code.format(4), "greedy": code.format(100)}
    with sandbox(tmp_path, mode, Limits(memory=512 * MIB), **modules) as zygote:
        worker = zygote.worker()
        assert run(worker, "modest").values["failed"] == []

        failed = run(worker, "greedy").values["failed"]

        assert [one["raised"]["type"] for one in failed] == ["MemoryError"]


@pytest.mark.parametrize("mode", MODES)
def test_numpy_memory_is_limited(mode: str, tmp_path: Path) -> None:
    """The limit holds for memory that numpy takes."""
    code = "import numpy\nnumpy.ones(1 << 28)"
    with sandbox(tmp_path, mode, Limits(memory=512 * MIB), greedy=code) as zygote:
        (failed,) = run(zygote.worker(), "greedy").values["failed"]

        assert "MemoryError" in failed["raised"]["type"]


@pytest.mark.parametrize("mode", MODES)
def test_output_keeps_head_and_tail(mode: str, tmp_path: Path) -> None:
    """What is printed comes back capped, its first and last bytes kept, the gap between counted."""
    code = "import sys\nprint('first')\nprint('x' * 1_000_000, flush=True)\nprint('last', file=sys.stderr)"
    with sandbox(tmp_path, mode, Limits(output=1000), chatty=code) as zygote:
        worker = zygote.worker()
        run(worker, "chatty")
        text = printed(worker)

        assert text.startswith("first\nx")
        assert text.endswith("last\n")
        assert "999012 bytes left out" in text
        assert len(text) < 1100
        assert printed(worker) == ""


@pytest.mark.parametrize("mode", MODES)
def test_output_is_text_whatever_is_printed(mode: str, tmp_path: Path) -> None:
    """Bytes that are not UTF-8 become replacement characters."""
    with sandbox(tmp_path, mode, rude="import os; os.write(1, b'a\\xff\\xfe\\x00b')") as zygote:
        worker = zygote.worker()
        run(worker, "rude")

        assert printed(worker) == "a\ufffd\ufffd\x00b"


@pytest.mark.parametrize("mode", MODES)
def test_sending_is_timed_too(mode: str, tmp_path: Path) -> None:
    """A worker that stops reading cannot hold up the grader by its full socket."""
    import numpy as np

    with sandbox(tmp_path, mode, sleep="import time; time.sleep(60)") as zygote:
        worker = zygote.worker()
        worker.allow(0.5)
        ask = {"modules": ["sleep"], "paths": []}
        tickets = [worker.post("survey.imports", ask, [np.zeros(1 << 20)]) for _ in range(3)]

        for ticket in tickets:
            with pytest.raises(WorkerFault) as fault:
                worker.collect(ticket)
            assert fault.value.verdict == "timeout"


def test_unknown_probe_is_said(tmp_path: Path) -> None:
    """A question that the worker does not know comes back as an exception, not as silence."""
    with sandbox(tmp_path, MODES[0]) as zygote:
        worker = zygote.worker()
        worker.allow(5)

        with pytest.raises(Raised, match="KeyError"):
            worker.ask("no.such.probe", {}, [])
