"""A bundle is the same bytes each time, holds what it should, and never half replaces what was there."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
import zipfile
from pathlib import Path

import pytest

from grader import cli
from grader.bundle import archive, contents, wheels
from grader.bundle.settings import Settings
from grader.errors import UsageError
from tests.bundle.harness import bundle
from tests.cli.commands import ROOT

FILES = {"a/run": (b"#!/bin/sh\n", 0o755), "b": (b"text", 0o644), "seed": (b"s", 0o600)}


def test_same_bytes(tmp_path: Path) -> None:
    """Neither the time nor the order of the files shows."""
    archive.write(tmp_path / "one.zip", FILES)
    os.utime(tmp_path / "one.zip", (0, 0))
    time.sleep(0.01)
    archive.write(tmp_path / "two.zip", dict(reversed(FILES.items())))

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as opened:
        assert {one.filename: one.external_attr >> 16 & 0o777 for one in opened.infolist()} == {
            name: mode for name, (_, mode) in FILES.items()
        }


def test_folder(tmp_path: Path) -> None:
    """A folder has the same files; one that is not empty is refused and stays as it is."""
    archive.write(tmp_path / "new", FILES)

    assert (tmp_path / "new/a/run").read_bytes() == b"#!/bin/sh\n"
    assert stat.S_IMODE((tmp_path / "new/seed").stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="there is something already"):
        archive.write(tmp_path / "new", {"c": (b"", 0o644)})
    assert sorted(one.name for one in (tmp_path / "new").iterdir()) == ["a", "b", "seed"]


def test_old_zip_stays(tmp_path: Path) -> None:
    """When writing fails, an older zip is whole, and nothing half done lies about."""
    target = tmp_path / "out.zip"
    target.write_bytes(b"old")
    with pytest.raises(TypeError):
        archive.write(target, {"a": ("not bytes", None)})  # type: ignore[dict-item]

    assert (target.read_bytes(), os.listdir(tmp_path)) == (b"old", ["out.zip"])


@pytest.mark.parametrize("kind", contents.KINDS)
def test_nothing_of_this_machine(kind: str) -> None:
    """No bytecode, caches, links to elsewhere or folders of this machine are in a bundle."""
    found = contents.of(kind, Settings("hw1"))

    assert not [
        name for name in found if "__pycache__" in name or name.endswith((".pyc", ".so")) or "/." in name
    ]
    assert not [name for name, (data, _) in found.items() if str(ROOT).encode() in data]
    assert not [
        name
        for name, (data, _) in found.items()
        if re.search(rb"@[A-Z]{4,}@", data) and "/grader/" not in name
    ]


def test_requirements_are_the_projects() -> None:
    """What a bundle installs is what pyproject.toml asks for."""
    tomllib = pytest.importorskip("tomllib", reason="reads TOML since Python 3.11")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert list(contents.REQUIREMENTS) == project["dependencies"]


def test_student_has_no_solution() -> None:
    """None of the solutions, in the reference's words, stands in a student's bundle."""
    found = contents.of("student", Settings("hw2"))
    text = "\n".join(
        data.decode("utf-8", "replace") for name, (data, _) in found.items() if name.endswith(".py")
    )

    assert not [name for name in found if "/reference/" in name]
    regions = []
    for file in (ROOT / "reference").rglob("*.py"):
        for region in re.findall(
            r"### BEGIN YOUR SOLUTION\n(.*?)### END YOUR SOLUTION", file.read_text(), re.S
        ):
            lines = region.strip("\n").splitlines()
            regions += ["\n".join(lines)] if len(lines) > 2 else []
    assert len(regions) > 30
    assert [region for region in regions if region in text] == []


def test_secret(tmp_path: Path) -> None:
    """The secret lies in its file alone, for its owner only; the settings say that there is one."""
    (tmp_path / "seed").write_bytes(b"0123456789abcdef-of-a-course\n")
    target = bundle("gradescope", "hw1", tmp_path / "out.zip", "--seed-file", str(tmp_path / "seed"))

    with zipfile.ZipFile(target) as opened:
        holding = [name for name in opened.namelist() if b"0123456789abcdef" in opened.read(name)]
        settings = Settings.loads(opened.read("settings.json").decode())
    assert (holding, settings.secret, settings.sandbox) == (["seed"], True, "full")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gradescope", "hw1", "no/such/folder/out.zip"], "cannot be written"),
        (["gradescope", "hw1", "out.zip", "--seed-file", "no-seed"], "the seed cannot be read"),
        (["gradescope", "hw1", "out.zip", "--wheels", "."], "no wheels there"),
        (["gradescope", "hw1", "out.zip", "--seconds", "0"], "at least 1"),
        (["gradescope", "hw9", "out.zip"], "invalid choice"),
        (["canvas", "hw1", "out.zip"], "invalid choice"),
    ],
)
def test_wrong_usage(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, exit 2, and no file."""
    monkeypatch.chdir(tmp_path)

    assert cli.main(["bundle", *words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and said in lines[0]
    assert os.listdir(tmp_path) == []


def test_wheels_go_in(tmp_path: Path) -> None:
    """Wheels of a folder are in the bundle, and nothing else of it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    (folder / "numpy-2.0-py3-none-any.whl").write_bytes(b"wheel")
    (folder / "notes.txt").write_bytes(b"no")
    target = bundle("docker", "hw1", tmp_path / "out.zip", "--wheels", str(folder))

    with zipfile.ZipFile(target) as opened:
        assert [one for one in opened.namelist() if one.startswith("wheels/")] == [
            "wheels/numpy-2.0-py3-none-any.whl"
        ]


def test_offline_without_a_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pip that reaches nothing gives one line that names the other way."""
    pytest.importorskip("pip", reason="pip fetches the wheels")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(UsageError, match=r"pip could not fetch the wheels for Python .*--wheels$"):
        wheels.download(tmp_path, [version])
