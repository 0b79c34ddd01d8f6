"""Runs a piece of code in a real worker: the code is a module of a submission, the probe imports it."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.sandbox.channel import Reply, Worker
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits

MODES = ("fork", "once") if sys.platform.startswith("linux") else ("once",)
QUIET = "quiet"
FREE = Limits(without=("landlock", "seccomp", "identity"))  # workers may write, fork and exec


@contextmanager
def sandbox(folder: Path, mode: str, limits: Limits | None = None, **modules: str) -> Iterator[Zygote]:
    """A zygote for a submission made of `modules` (name to source); its workers' folder is `folder`/cwd."""
    root = folder / "submission"
    for name, source in {QUIET: "", **modules}.items():
        root.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    cwd = folder / "cwd"
    cwd.mkdir(exist_ok=True)
    with Zygote({"root": str(root), "paths": [str(root)]}, cwd, limits or Limits(), mode) as zygote:
        yield zygote


def run(worker: Worker, module: str, seconds: float = 10.0) -> Reply:
    """Import a module in a worker."""
    worker.allow(seconds)
    return worker.ask("survey.imports", {"modules": [module], "paths": []}, [])


def printed(worker: Worker) -> str:
    """What a worker has printed since the last call."""
    worker.drain()
    return worker.output.take()


def told(worker: Worker, module: str) -> Any:
    """The JSON value that a module prints when it is imported."""
    reply = run(worker, module)
    text = printed(worker)
    assert reply.values["failed"] == [], text
    return json.loads(text)


def descendants(pid: int) -> set[int]:
    """Every process below `pid`, from /proc."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (parent := _parent(int(entry))) is not None:
            parents[int(entry)] = parent
    found: set[int] = set()
    while new := {child for child, parent in parents.items() if parent in {pid, *found}} - found:
        found |= new
    return found


def _parent(pid: int) -> int | None:
    """The parent of a process that runs; None for one that has ended, waited for or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return None
    state, parent = fields.split()[:2]
    return None if state in "ZX" else int(parent)


def survivors(pids: Iterable[int], seconds: float = 2.0) -> set[int]:
    """Those of `pids` that still run after at most `seconds`."""
    end = time.monotonic() + seconds
    left = set(pids)
    while left and time.monotonic() < end:
        left = {pid for pid in left if _parent(pid) is not None}
        time.sleep(0.01)
    return left
