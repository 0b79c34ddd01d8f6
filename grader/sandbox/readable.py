"""Which files a worker may read: what Python, numpy and the submission need, and no more.

The standard library's folder is named child by child: site-packages lies in it, and there the grader and
the reference may lie. Shared libraries are allowed by folder, but file by file where a Python lies in that
folder too. Found by looking at where this interpreter's own modules and libraries come from, so virtual
environments, pyenv, conda and the system's Python need no cases of their own.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator

NOT_STANDARD = ("site-packages", "dist-packages", "test", "idlelib", "ensurepip")
DEVICES_READ = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
DEVICES_WRITTEN = ("/dev/null",)
LOADER = ("/etc/ld.so.cache",)


def standard_folders() -> set[str]:
    """Return the standard library's folders: importing needs their listing."""
    return {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}


def standard_library() -> Iterator[str]:
    """Give the children of the standard library's folders."""
    for folder in standard_folders():
        for entry in os.scandir(folder):
            if entry.name not in NOT_STANDARD:
                yield entry.path


def numpy_files(home: str) -> Iterator[str]:
    """Give numpy's folder and the one of its libraries, both in `home`."""
    for name in ("numpy", "numpy.libs"):
        yield os.path.join(home, name)


def shared_libraries() -> Iterator[str]:
    """Give the folders of the libraries that this process has loaded, so that others beside them load too."""
    skipped = set(NOT_STANDARD[:2])
    for folder in sorted({os.path.dirname(path) for path in _mapped()}):
        names = os.listdir(folder)
        if skipped & set(folder.split(os.sep)) or "lib-dynload" in folder:
            continue  # extension modules: the rules for the standard library and numpy name them
        if any(name.startswith("python") for name in names):
            yield from (os.path.join(folder, name) for name in names if ".so" in name)
        else:
            yield folder


def _mapped() -> Iterator[str]:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
            paths = {line.split(None, 5)[5].rstrip("\n") for line in lines if line.count("/")}
    except OSError:
        return
    yield from (path for path in paths if ".so" in os.path.basename(path) and os.path.isfile(path))
