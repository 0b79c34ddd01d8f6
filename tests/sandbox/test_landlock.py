"""Files: a worker reads what Python, numpy and the submission need, and writes nothing."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest

from grader.sandbox import calls, kernel, landlock, readable, seccomp
from tests.sandbox.attempts import results, worked

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
ROOT = Path(__file__).resolve().parents[2]
NEEDS_LANDLOCK = pytest.mark.skipif(
    sys.platform.startswith("linux") and landlock.ruleset() is None, reason="the kernel has no Landlock"
)

REFUSED = {
    "password file": "open('/etc/passwd')",
    "root folder": "os.listdir('/')",
    "processes": "os.listdir('/proc')",
    "environment of the parent": "open(f'/proc/{parent}/environ')",
    "own memory by path": "open('/proc/self/mem')",
    "reference": f"open({str(ROOT / 'reference/src/simple_ml.py')!r})",
    "oracle": f"open({str(ROOT / 'grader/oracle/ops.py')!r})",
    "own worker's source": f"open({str(ROOT / 'grader/worker/main.py')!r})",
    "by dots": f"open(os.path.join(here, '../' * 30, {str(ROOT / 'grader/oracle/ops.py')[1:]!r}))",
    "site-packages": "import pytest; open(pytest.__file__)",
    "new file": "open('new', 'w')",
    "new file beside the source": "open(os.path.join(here, 'new'), 'x')",
    "own source": "open(__file__, 'a')",
    "emptied by open": "os.open(__file__, os.O_RDONLY | os.O_TRUNC)",
    "emptied": "os.truncate(__file__, 0)",
    "standard library": "open(os.__file__, 'r+')",
    "shared memory": "open('/dev/shm/new', 'w')",
    "temporary file": "open('/tmp/new', 'w')",
    "nameless file": "os.open('/tmp', os.O_TMPFILE | os.O_RDWR)",
    "folder": "os.mkdir('new')",
    "remove": "os.unlink(__file__)",
    "rename": "os.rename(__file__, 'new')",
    "hard link": "os.link(__file__, 'new')",
    "symbolic link": "os.symlink('/etc/passwd', 'new')",
    "pipe": "os.mkfifo('new')",
    "mode": "os.chmod(__file__, 0o777)",
    "owner": "os.chown(__file__, -1, -1)",
    "times": "os.utime(__file__)",
    "attribute": "os.setxattr(__file__, 'user.new', b'1')",
    "lock": "fcntl.flock(3, fcntl.LOCK_EX)",
}
WORKS = {
    "own source": "open(__file__).read()",
    "own folder": "os.listdir(here)",
    "working folder": "os.listdir('.')",
    "null": "open(os.devnull, 'w').write('x')",
    "random": "open('/dev/urandom', 'rb').read(1)",
    "late imports": "import sqlite3, decimal, xml.dom.minidom, curses, ssl, lzma, asyncio, unittest.mock",
    "late numpy": "import numpy.ma, numpy.polynomial, numpy.testing, numpy.ctypeslib",
    "library": "ctypes.CDLL('libm.so.6')",
}


@NEEDS_LANDLOCK
def test_files_out_of_reach(tmp_path: Path) -> None:
    """Nothing is read but what honest code needs, and nothing is written at all."""
    found = results(REFUSED, tmp_path)

    assert worked(found) == {"site-packages": "ModuleNotFoundError"}


def test_files_in_reach(tmp_path: Path) -> None:
    """What honest code does with files works."""
    assert set(results(WORKS, tmp_path).values()) == {"worked"}


@NEEDS_LANDLOCK
@pytest.mark.parametrize("age", range(len(landlock.ATTRIBUTES)))
def test_older_kernels(age: int, tmp_path: Path) -> None:
    """Each ruleset that an older kernel would know holds reading and writing too."""
    (tmp_path / "in").write_text("")
    (tmp_path / "out").write_text("")
    child = os.fork()
    if child == 0:
        ruleset = landlock.ruleset(landlock.ATTRIBUTES[age:])
        if ruleset is None:
            os._exit(77)
        ruleset.allow([str(tmp_path / "in"), str(tmp_path / "absent")], landlock.READ)
        is_held = ruleset.apply()
        os._exit(0 if is_held and _reads(tmp_path / "in") and not _reads(tmp_path / "out") else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 77:
        pytest.skip("the kernel is older than that")

    assert status == 0


@NEEDS_LANDLOCK
@pytest.mark.parametrize("mode", range(4))
def test_older_kernels_let_no_file_be_emptied(mode: int, tmp_path: Path) -> None:
    """With the first Landlock, which knew nothing of truncation: by no access mode, 3 (none) among them."""
    (tmp_path / "kept").write_text("kept")
    child = os.fork()
    if child == 0:
        ruleset = landlock.ruleset(landlock.ATTRIBUTES[-1:])
        filtered = seccomp.assemble(calls.FOR_WORKERS, calls.CHECKED_FOR_WORKERS, kernel.machine())
        is_held = ruleset is not None and ruleset.apply() and filtered is not None
        is_held = is_held and filtered is not None and filtered.apply(os.getpid())
        with contextlib.suppress(OSError):
            os.open(tmp_path / "kept", os.O_TRUNC | mode)
        os._exit(0 if is_held else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (tmp_path / "kept").read_text() == "kept"


def _reads(path: Path) -> bool:
    try:
        path.read_text()
    except PermissionError:
        return False
    return True


def test_no_packages_among_the_standard_library() -> None:
    """The rules name the standard library's children, and never what is installed beside them."""
    names = {Path(path).name for path in readable.standard_library()}

    assert {"json", "os.py"} <= names
    assert set() == names & {"site-packages", "dist-packages"}
    assert [path for path in readable.shared_libraries() if "site-packages" in path] == []
