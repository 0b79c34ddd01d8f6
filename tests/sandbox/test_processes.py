"""No process outlives the sandbox, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.sandbox import boot
from grader.sandbox.channel import Worker, WorkerFault
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits
from tests.sandbox.driver import FREE, MODES, QUIET, descendants, run, sandbox, survivors, told

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")

# A process that leaves the worker's session and group, and says its number.
DAEMON = """
import os, time
read_end, write_end = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write_end, str(os.getpid()).encode())
        time.sleep(120)
    os._exit(0)
print(int(os.read(read_end, 20)), flush=True)
"""
CHILD = "import subprocess; subprocess.Popen(['/bin/sleep', '120'])"


@pytest.mark.parametrize("mode", MODES)
def test_nothing_remains_after_leaving(mode: str, tmp_path: Path) -> None:
    """Zygote, spare and used workers and a worker's own children are gone when the block is left."""
    before = descendants(os.getpid())
    with sandbox(tmp_path, mode, FREE, child=CHILD, loop="while True: pass") as zygote:
        for name in (QUIET, "child"):
            run(zygote.worker(), name)
        looping = zygote.worker()
        with pytest.raises(WorkerFault):
            run(looping, "loop", 0.1)
        started = descendants(os.getpid()) - before

    assert len(started) >= 4
    assert set() == survivors(started)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_remains_after_an_error(mode: str, tmp_path: Path) -> None:
    """The same when the block is left by an exception of the grader's own."""
    before = descendants(os.getpid())
    started: set[int] = set()

    def leave() -> None:
        with sandbox(tmp_path, mode) as zygote:
            run(zygote.worker(), QUIET)
            started.update(descendants(os.getpid()) - before)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()

    assert started
    assert set() == survivors(started)


@pytest.mark.skipif("fork" not in MODES, reason="needs a zygote that adopts orphans")
@pytest.mark.parametrize("how", ["end", "leave"])
def test_daemon_is_ended(how: str, tmp_path: Path) -> None:
    """A process that left its session ends with its worker, or with the zygote at the latest."""
    with sandbox(tmp_path, "fork", FREE, daemon=DAEMON) as zygote:
        worker = zygote.worker()
        daemon = told(worker, "daemon")
        assert survivors([daemon], 0.05) == {daemon}
        if how == "end":
            zygote.account(worker)
            assert set() == survivors([daemon])

    assert set() == survivors([daemon])


@pytest.mark.parametrize("mode", MODES)
def test_no_descriptor_remains(mode: str, tmp_path: Path) -> None:
    """The grader's own descriptors are back to what they were after many workers."""
    before = len(os.listdir("/proc/self/fd"))
    with sandbox(tmp_path, mode, exit="import os; os._exit(0)") as zygote:
        for _ in range(5):
            worker = zygote.worker()
            with pytest.raises(WorkerFault):
                run(worker, "exit")
            zygote.end(worker)

    assert before == len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif("fork" not in MODES, reason="there is no zygote")
@pytest.mark.parametrize(
    ("signal_name", "limits"), [("SIGKILL", FREE), ("SIGKILL", Limits()), ("SIGSTOP", Limits())]
)  # an unconfined SIGSTOP is noticed only after START_SECONDS
def test_zygote_is_attacked(signal_name: str, limits: Limits, tmp_path: Path) -> None:
    """A worker that kills its parent costs its own question: a new zygote gives the next worker."""
    code = f"import os, signal; os.kill(os.getppid(), signal.{signal_name})"
    before = descendants(os.getpid())
    with sandbox(tmp_path, "fork", limits, attack=code) as zygote:
        first = zygote.worker()
        with contextlib.suppress(WorkerFault):  # where signals are denied, it just goes on
            _attack(first)
        zygote.end(first)
        second = zygote.worker()

        assert run(second, QUIET).values["failed"] == []
        started = descendants(os.getpid()) - before

    assert set() == survivors(started)


def _attack(worker: Worker) -> None:
    """Have a worker run its attack, then ask it until it is gone."""
    run(worker, "attack", 1.0)
    for _ in range(200):
        run(worker, QUIET, 1.0)
        time.sleep(0.005)  # on a busy machine even SIGKILL takes a while


@pytest.mark.parametrize(("parent", "code"), [("os.getppid()", 0), ("os.getpid()", 1)])
def test_parent_that_is_gone_already(parent: str, code: int) -> None:
    """A worker that finds another parent than it was born to ends at once: nobody else would end it."""
    program = f"import os; from grader.sandbox import family; family.die_with_parent({parent})"

    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == code


def test_account_is_the_kernels(tmp_path: Path) -> None:
    """The account of a worker names its exit status, its peak memory in bytes and its CPU seconds."""
    code = "import numpy\nnumpy.ones(1 << 23)\nimport os\nos._exit(7)"
    with sandbox(tmp_path, MODES[0], work=code) as zygote:
        worker = zygote.worker()
        with pytest.raises(WorkerFault):
            run(worker, "work")
        account = zygote.account(worker)

    assert account["status"] >> 8 == 7
    assert 64 << 20 < account["rss"] < 512 << 20
    assert 0 < account["cpu"] < 5


GRADER = """
import sys
from pathlib import Path
from tests.sandbox.driver import FREE, run, sandbox, told
if __name__ == "__main__":
    with sandbox(Path(sys.argv[1]), sys.argv[2], FREE, child="import os; os.system('true')",
                 loop="while True: pass", daemon={daemon!r}) as zygote:
        run(zygote.worker(), "child")
        print(told(zygote.worker(), "daemon") if sys.argv[2] == "fork" else 0, flush=True)
        run(zygote.worker(), "loop", 60)
"""


@pytest.mark.parametrize("mode", MODES)
def test_workers_die_with_the_grader(mode: str, tmp_path: Path) -> None:
    """kill -9 of the grader leaves neither zygote, nor worker, nor daemon behind."""
    command = [sys.executable, "-c", GRADER.format(daemon=DAEMON), str(tmp_path), mode]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as grader:
        assert grader.stdout is not None
        daemon = int(grader.stdout.readline())
        time.sleep(0.05)
        started = descendants(grader.pid)
        started |= {daemon} if daemon else set()
        os.kill(grader.pid, signal.SIGKILL)
        grader.wait()

    assert len(started) >= 2
    assert set() == survivors(started)


def test_sources_that_take_too_long_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads them ends; its successor leaves them to the workers, and says so."""
    source = boot.SOURCE.replace("zygote.load_numpy()", "zygote.load_numpy(); zygote.READING_SECONDS = 1")
    monkeypatch.setattr(boot, "SOURCE", source)
    for number in range(30):
        (tmp_path / f"{number}.py").write_text("x\n" * 100_000)
    description = {"root": str(tmp_path), "paths": [], "compile": [f"{number}.py" for number in range(30)]}

    with Zygote(description, tmp_path, mode="fork") as zygote:
        level = zygote.confinement()["level"]

        assert level
        assert zygote.is_unreadable
        assert zygote.submission["compile"] == []
