"""What a worker is given: an environment, descriptors, a folder and limits, and nothing of the grader's."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grader.sandbox.limits import MIB, Limits
from tests.sandbox.driver import FREE, MODES, QUIET, run, sandbox, told

pytestmark = pytest.mark.parametrize("mode", MODES)


def test_environment_is_scrubbed(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the grader's gets through but the two that choose a BLAS kernel."""
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("LD_PRELOAD_X", "secret")

    with sandbox(tmp_path, mode, env="import json, os; print(json.dumps(dict(os.environ)))") as zygote:
        environment = told(zygote.worker(), "env")

    allowed = {"PATH", "LANG", "HOME", "LC_CTYPE", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}
    threads = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
    assert set() == set(environment) - allowed - threads
    assert {"1"} == {environment[name] for name in threads}
    assert "secret" not in str(environment)


def test_only_four_descriptors(mode: str, tmp_path: Path) -> None:
    """A worker holds its three streams and the wire; nothing that the grader has open, inheritable or not."""
    secret = tmp_path / "secret"
    secret.write_text("expected values")
    held = os.open(secret, os.O_RDONLY)
    os.set_inheritable(held, True)
    code = """
        import json, os
        found = {}
        for number in range(1024):
            try:
                os.fstat(number)
                found[number] = os.readlink(f"/proc/self/fd/{number}")
            except OSError:
                pass
        print(json.dumps(found))
    """
    try:
        with sandbox(tmp_path, mode, fds=code) as zygote:
            first = zygote.worker()
            run(first, QUIET)
            found = told(zygote.worker(), "fds")
    finally:
        os.close(held)

    assert {"0", "1", "2", "3"} == set(found)
    assert found["0"] == "/dev/null"
    assert found["1"] == found["2"]
    assert found["1"].startswith("pipe:")
    assert found["3"].startswith("socket:")


def test_standard_input_is_empty(mode: str, tmp_path: Path) -> None:
    """`input()` fails at once instead of waiting."""
    with sandbox(tmp_path, mode, ask="input()") as zygote:
        (failed,) = run(zygote.worker(), "ask", 2.0).values["failed"]

    assert failed["raised"]["type"] == "EOFError"


def test_rlimits_are_in_force(mode: str, tmp_path: Path) -> None:
    """Memory, file size, open files, CPU time and core files are limited, soft and hard alike."""
    code = """
        import json, resource as r
        names = ("AS", "FSIZE", "NOFILE", "CPU", "CORE")
        print(json.dumps({name: r.getrlimit(getattr(r, "RLIMIT_" + name)) for name in names}))
    """
    limits = Limits(memory=700 * MIB, file_size=3 * MIB, open_files=50, run_seconds=20)
    with sandbox(tmp_path, mode, limits, resources=code) as zygote:
        found = told(zygote.worker(), "resources")

    expected = {"AS": 700 * MIB, "FSIZE": 3 * MIB, "NOFILE": 50, "CPU": 21, "CORE": 0}
    assert {name: [value, value] for name, value in expected.items()} == found


def test_own_session_folder_and_mask(mode: str, tmp_path: Path) -> None:
    """A worker leads its own session, works in the folder it is given, and makes files for itself only."""
    code = """
        import json, os
        print(json.dumps([os.getsid(0) == os.getpid(), os.getcwd(), os.umask(0)]))
    """
    with sandbox(tmp_path, mode, place=code) as zygote:
        leads, folder, mask = told(zygote.worker(), "place")

    assert (leads, mask) == (True, 0o077)
    assert Path(folder) == (tmp_path / "cwd").resolve()


def test_set_uid_programs_gain_nothing(mode: str, tmp_path: Path) -> None:
    """no_new_privs is set and the process is not dumpable, as the worker itself reports before it starts."""
    code = """
        import ctypes, json
        libc = ctypes.CDLL(None)
        print(json.dumps([libc.prctl(39, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0)]))
    """
    with sandbox(tmp_path, mode, flags=code) as zygote:
        worker = zygote.worker()
        found = told(worker, "flags")

    assert found == [1, 0]
    assert worker.confinement is not None
    assert worker.confinement["memory"] is True
    assert {"no_new_privs", "not dumpable", "rlimits"} <= set(worker.confinement["how"].split(", "))


def test_the_rest_of_the_grader_cannot_be_imported(mode: str, tmp_path: Path) -> None:
    """Neither the oracle, nor the homework tables, nor site-packages beside numpy are importable by name."""
    code = """
        import importlib, json
        names = ["grader.oracle.ops", "grader.homework.hw1", "grader.judge", "pytest", "reference"]
        found = []
        for name in names:
            try:
                importlib.import_module(name)
                found.append(name)
            except ImportError:
                pass
        print(json.dumps(found))
    """
    with sandbox(tmp_path, mode, peek=code) as zygote:
        assert told(zygote.worker(), "peek") == []


def test_no_state_passes_between_workers(mode: str, tmp_path: Path) -> None:
    """What one worker changes in its modules, the next does not see; both start from the same random seed."""
    code = """
        import builtins, json, random
        import numpy
        seen = getattr(builtins, "planted", False)
        builtins.planted = True
        print(json.dumps([seen, random.random(), numpy.random.rand()]))
    """
    with sandbox(tmp_path, mode, plant=code) as zygote:
        first, second = told(zygote.worker(), "plant"), told(zygote.worker(), "plant")

    assert first == second
    assert first[0] is False


def test_file_size_is_limited(mode: str, tmp_path: Path) -> None:
    """A file grows to the limit and no further; the worker gets an error and lives."""
    code = """
        import signal
        with open("big", "wb") as file:
            for _ in range(4):
                file.write(bytes(1 << 20))
    """
    with sandbox(tmp_path, mode, replace(FREE, file_size=2 * MIB), fill=code) as zygote:
        (failed,) = run(zygote.worker(), "fill").values["failed"]

    assert failed["raised"]["type"] == "OSError"
    assert (tmp_path / "cwd/big").stat().st_size <= 2 * MIB
