"""The first code of a fresh interpreter (`python -I -S -B -c`): loads the trusted modules by hand.

Only `grader/__init__`, the wire, the zygote and the worker are loaded, and numpy. Afterwards the
packages forget where they lie, so that student code cannot import the rest of the grader by name.
"""

from __future__ import annotations

SOURCE = """
import sys
folder, packages, numpy_home, mode, descriptor = sys.argv[1:6]
sys.path += [folder, numpy_home]
import grader.sandbox.zygote as zygote
import grader.worker.main as worker
zygote.load_numpy()
sys.path.remove(folder)
if numpy_home in sys.path:
    sys.path.remove(numpy_home)
for name in packages.split(","):
    sys.modules[name].__path__ = []
zygote.main(mode, int(descriptor), worker.serve, worker.prepare)
"""

PACKAGES = "grader,grader.sandbox,grader.worker"
