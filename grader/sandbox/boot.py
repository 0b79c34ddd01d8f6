"""The first code of a fresh interpreter (`python -I -S -c`): loads the trusted modules by hand.

Only `grader/__init__`, the wire, the zygote and the worker are loaded, and numpy. Afterwards the
packages forget where they lie, so that student code cannot import the rest of the grader by name.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.errors import NotGraded

SOURCE = """
import gc, sys
gc.disable()
folder, packages, numpy_home, mode, descriptor = sys.argv[1:6]
sys.path += [folder, numpy_home]
import grader.sandbox.zygote as zygote
import grader.worker.main as worker
zygote.load_numpy()
sys.dont_write_bytecode = True
sys.path.remove(folder)
if numpy_home in sys.path:
    sys.path.remove(numpy_home)
for name in packages.split(","):
    sys.modules[name].__path__ = []
zygote.main(mode, int(descriptor), worker.serve, worker.read, worker.prepare)
"""

PACKAGES = "grader,grader.sandbox,grader.worker"


@dataclass
class Interpreter:
    """A fresh interpreter that runs the zygote, and the socket on which it takes orders."""

    process: subprocess.Popen[bytes]
    control: socket.socket


def start(mode: str) -> Interpreter:
    """Exec a fresh interpreter; `mode` is "fork" for a zygote, "once" for a single worker.

    Nothing here imports numpy, so that both processes can load it at the same time.
    """
    numpy = importlib.util.find_spec("numpy")
    if numpy is None or numpy.origin is None:
        raise NotGraded("numpy is not installed; run `python -m pip install numpy`")
    ours, theirs = socket.socketpair()
    bytecode = ["-B"] if sys.dont_write_bytecode else []
    command = [sys.executable, "-I", "-S", *bytecode, "-X", "utf8", "-c", SOURCE]
    command += [str(Path(__file__).resolve().parents[2]), PACKAGES, str(Path(numpy.origin).parents[1]), mode]
    with theirs:
        process = subprocess.Popen(
            [*command, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env=environment(),
        )
    return Interpreter(process, ours)


def environment() -> dict[str, str]:
    """Return the environment of a worker: no tokens, one BLAS thread, a fixed locale."""
    kept = {
        name: os.environ[name] for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ
    }
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", **threads, **kept}
