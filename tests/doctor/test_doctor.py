"""The doctor: each illness is named with its fix, a healthy machine has nothing to mend."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from grader.doctor import examine, here, machine, software
from grader.doctor.finding import OK, REMARK, TROUBLE, Finding
from grader.sandbox.limits import MIB, Limits
from tests.cli.commands import COMMAND, ROOT, environment
from tests.support import build

DATA = ROOT / "hw0/data"


def states(findings: list[Finding]) -> dict[str, str]:
    """The state of each finding by its name."""
    return {one.name: one.state for one in findings}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with the handout's data."""
    return Path(shutil.copytree(DATA, tmp_path / "data"))


@pytest.mark.parametrize(
    ("version", "state"), [((3, 9, 1), TROUBLE), ((3, 10, 0), OK), ((3, 13, 2), OK), ((3, 99, 0), REMARK)]
)
def test_python(version: tuple[int, ...], state: str) -> None:
    """Too old is trouble, too new is said."""
    assert software.python(version).state == state


def test_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is missing, broken or too old has the command that mends it."""
    (tmp_path / "brokenpackage.py").write_text("raise RuntimeError('built for another numpy')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(software.PACKAGES, "hypothesis", (999, 1))

    missing, broken, old, fine = software.packages(
        ("no_such_package", "brokenpackage", "hypothesis", "numpy")
    )

    assert [one.state for one in (missing, broken, old, fine)] == [TROUBLE, TROUBLE, TROUBLE, OK]
    assert missing.fix.endswith("-m pip install --upgrade no_such_package")
    assert "built for another numpy" in broken.found
    assert old.fix.endswith("-m pip install 'hypothesis>=999.1'")


@pytest.mark.parametrize(
    ("build_", "state"),
    [
        ({"name": "scipy-openblas", "version": "0.3"}, OK),
        ({"name": "none"}, REMARK),
        ({}, REMARK),
        (None, OK),
    ],
)
def test_blas(build_: dict[str, str] | None, state: str) -> None:
    """The slow fallback is said; this machine's numpy, a wheel, has a fast one."""
    assert software.blas(build_).state == state


def test_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler on the path: only hw0's C++ is concerned."""
    monkeypatch.setenv("PATH", "/nonexistent")
    (finding,) = software.compiler()

    assert (finding.state, "hw0" in finding.fix) == (REMARK, True)


def test_needles(tmp_path: Path) -> None:
    """One copy on the path is said, two are trouble; a folder without Python in it is none."""
    for name in ("a", "b"):
        (tmp_path / name / "needle").mkdir(parents=True)
        (tmp_path / name / "needle/__init__.py").touch()
    (tmp_path / "c/needle").mkdir(parents=True)
    one, two, none = str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "c")

    assert software.needles([none, one, one]).state == REMARK
    found = software.needles([one, two])
    assert (found.state, found.found.startswith("2 copies")) == (TROUBLE, True)
    assert software.needles([none, "/nonexistent"]).state == OK


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Landlock and seccomp are Linux's")
@pytest.mark.parametrize(
    ("without", "lacking", "fix"), [("landlock", "files", "Landlock"), ("seccomp", "network", "seccomp")]
)
def test_sandbox(without: str, lacking: str, fix: str) -> None:
    """A real worker without one of the mechanisms: what is open is named, with what would hold it."""
    finding = machine.sandbox(Limits(without=(without,)))

    assert finding.state == REMARK
    assert finding.found.startswith(("partial: nothing holds", "process-only: nothing holds"))
    assert lacking in finding.found and fix in finding.fix


@pytest.mark.parametrize(
    ("free", "state"), [(8192 * MIB, OK), (1500 * MIB, REMARK), (300 * MIB, TROUBLE), (0, REMARK), (None, OK)]
)
def test_memory(free: int | None, state: str) -> None:
    """Little memory is said, too little is trouble; the machine of the tests has enough."""
    assert machine.memory(free).state == state


def test_temporary_folder(tmp_path: Path) -> None:
    """A folder that is not there, or that cannot be written, is trouble."""
    assert machine.temporary(str(tmp_path)).state == OK
    assert machine.temporary(str(tmp_path / "no")).state == TROUBLE


@pytest.mark.parametrize(("encoding", "state"), [("utf-8", OK), ("ascii", REMARK), ("no-such", REMARK)])
def test_terminal(encoding: str, state: str) -> None:
    """A terminal that cannot show the grader's signs is said."""
    assert machine.terminal(encoding).state == state


def test_data(data: Path) -> None:
    """The handout's data are whole: as many digits as its README says."""
    assert here.data(data, "hw0").found == "1438 digits to train on, 359 to test with"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("cut", "ended before the end-of-stream"),
        ("text", "Not a gzipped file"),
        ("labels", "it begins with 2049, not 2051"),
        ("short", "the file has another size"),
        ("huge", "the file has another size"),
        ("empty", "Not a gzipped file|unpack requires|ended before"),
    ],
)
def test_harmed_data(harm: str, said: str, data: Path) -> None:
    """A file that is cut off, or another's, is trouble, with its name."""
    file = data / "train-images-idx3-ubyte.gz"
    content = file.read_bytes()
    file.write_bytes(
        {
            "cut": content[: len(content) // 2],
            "text": b"<html>404</html>",
            "labels": (data / "train-labels-idx1-ubyte.gz").read_bytes(),
            "short": gzip.compress(struct.pack(">4I", 2051, 10, 28, 28) + bytes(100)),
            "huge": gzip.compress(struct.pack(">4I", 2051, *[0xFFFFFFFF] * 3)),
            "empty": b"",
        }[harm]
    )
    finding = here.data(data, "hw0")

    assert finding.state == TROUBLE
    assert str(file) in finding.found
    assert any(one in finding.found for one in said.split("|"))


def test_data_that_do_not_belong_together(data: Path) -> None:
    """Images of one set with the labels of another."""
    shutil.copy(data / "t10k-labels-idx1-ubyte.gz", data / "train-labels-idx1-ubyte.gz")

    assert here.data(data, "hw0").found.startswith("1438 images, 359 labels")


def test_data_missing(data: Path) -> None:
    """Missing data are a remark: grading does not need them."""
    (data / "t10k-labels-idx1-ubyte.gz").unlink()
    finding = here.data(data, "hw0")

    assert (finding.state, "t10k-labels" in finding.found) == (REMARK, True)


@pytest.mark.parametrize("layout", ["2022", "2023"])
def test_homework(layout: str, tmp_path: Path) -> None:
    """A homework that imports, with its starter."""
    finding = here.submission(build(tmp_path / "hw1", layout=layout), "hw1")

    assert finding.state == OK
    assert ("2022" in finding.found) is (layout == "2022")


def test_homework_that_does_not_import(tmp_path: Path) -> None:
    """Its line is named; a folder that is none is trouble too."""
    files = {"python/needle/autograd.py": "def (:\n"}
    finding = here.submission(build(tmp_path / "hw1", extra_files=files), "hw1")

    assert (finding.state, "autograd.py:1" in finding.found) == (TROUBLE, True)
    (tmp_path / "empty").mkdir()
    assert here.submission(tmp_path / "empty", "hw1").state == TROUBLE


def test_a_look_that_fails() -> None:
    """One look that fails is trouble, and the others go on."""

    def fails() -> list[Finding]:
        raise RuntimeError("ill")

    (finding,) = examine._looked("memory", fails)
    assert (finding.state, "RuntimeError: ill" in finding.found) == (TROUBLE, True)


def test_lines() -> None:
    """80 columns, the fix below, control characters written out, colour only on request."""
    finding = Finding(
        "needle", TROUBLE, "2 copies " + "/a/long/path" * 12 + "\x1b[31m", "pip uninstall needle " * 8
    )
    shown = examine.lines(finding)

    assert max(map(len, shown.splitlines())) <= 80
    assert "\n           -> pip uninstall needle" in shown
    assert "\x1b" not in shown
    assert examine.lines(finding, color=True).startswith("  \x1b[31mtrouble\x1b[0m")


def test_command(tmp_path: Path) -> None:
    """The command in a folder with a broken homework: exit 1, JSON on standard output, lines on the other."""
    (tmp_path / "hw1").mkdir()
    done = subprocess.run(
        [*COMMAND, "doctor", "--json", "-"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    found = [Finding(**one) for one in json.loads(done.stdout)]
    assert states(found)["hw1"] == TROUBLE
    assert {"python", "numpy", "blas", "sandbox", "memory", "needle"} <= set(states(found))
    assert (done.returncode, done.stderr.splitlines()[-1][:9]) == (1, "1 to mend")
