"""The test's side: starts a driver for a user, hands it jobs, looks at what attacks left."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.attack import MARK, REPOSITORY, SHM_KEY, Attack, without
from tests.hostile.levels import Level

CHECK_SECONDS = 2.0
PLACES = ("/tmp", "/var/tmp", "/dev/shm", str(REPOSITORY), os.path.expanduser("~"))
PACKAGES = ("numpy", "numpy.libs", "hypothesis", "_hypothesis*.py", "sortedcontainers", "attr", "attrs")


@dataclass
class Outcome:
    """What came of grading one submission: the report if there is one, the exit code, what was left."""

    code: int
    seconds: float
    report: dict[str, Any] | None
    text: str
    left: list[str]

    def passed(self) -> set[str]:
        """The checks that passed."""
        return {one["id"] for one in self.checks() if one["verdict"] == "passed"}

    def checks(self) -> list[dict[str, Any]]:
        """The checks of the report."""
        return [one for question in (self.report or {})["questions"] for one in question["checks"]]


@dataclass
class Bench:
    """A driver that runs as one user, and the honest outcomes so far."""

    user: str = ""
    interpreter: list[str] = field(default_factory=lambda: [sys.executable])
    paths: list[str] = field(default_factory=list)
    _honest: dict[Any, Outcome] = field(default_factory=dict)

    def __enter__(self) -> Bench:
        self.folder = Path(tempfile.mkdtemp(prefix="graded-", dir="/tmp"))
        self.folder.chmod(0o755)
        who = {"user": self.user, "group": self.user, "extra_groups": []} if self.user else {}
        path = os.pathsep.join([str(REPOSITORY), *self.paths])
        self._driver = subprocess.Popen(
            [*self.interpreter, "-B", "-m", "tests.hostile.driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": path,
                "HOME": "/tmp",
                "GRADER_TOKEN": "of the grader",
            },
            text=True,
            **who,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._driver.stdin is not None and self._driver.stdout is not None
        self._driver.stdin.close()
        self._driver.wait(30)
        self._driver.stdout.close()
        shutil.rmtree(self.folder)

    def honest(self, attack: Attack, level: Level, *, again: bool = False) -> Outcome:
        """The outcome of the same submission without its attack."""
        key = (tuple(attack.base.items()), attack.only, level.id)
        if again or key not in self._honest:
            self._honest[key] = self.run(without(attack), level)
        return self._honest[key]

    def run(self, attack: Attack, level: Level, sandbox: str = "process-only", **options: Any) -> Outcome:
        """Grade an attack, and look at what it left."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("handed-in", "reports", "temporary"):
            (place / name).mkdir()
        report = place / "reports/report.json"
        handed_in = attack.write(place / "handed-in/hw1", report, self._driver.pid)
        self._give(place)
        before = _below(place / "handed-in")
        answer = self._ask(
            {
                "submission": str(handed_in),
                "report": str(report),
                "temporary": str(place / "temporary"),
                "only": attack.only,
                "seconds": CHECK_SECONDS,
                "without": level.without,
                "sandbox": sandbox,
                "errors": str(place / "errors"),
                "options": options,
            }
        )
        left = answer["left"] + marked() + [str(one) for one in (place / "temporary").iterdir()]
        left += sorted(_below(place / "handed-in") ^ before) + _shared_memory()
        left += [str(one) for one in (place / "reports").iterdir() if one != report]
        text = report.read_text("utf-8") if report.exists() else ""
        errors = (place / "errors").read_text("utf-8")
        with contextlib.suppress(PermissionError):
            shutil.rmtree(place)
        return Outcome(answer["code"], answer["seconds"], _parsed(text), text or errors, left)

    def _ask(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self._driver.stdin is not None and self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(job) + "\n")
        self._driver.stdin.flush()
        found: dict[str, Any] = json.loads(self._driver.stdout.readline())
        return found

    def _give(self, place: Path) -> None:
        if self.user:
            number = pwd.getpwnam(self.user).pw_uid
            for path in [place, *place.rglob("*")]:
                os.chown(path, number, -1, follow_symlinks=False)


def _parsed(text: str) -> dict[str, Any] | None:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    found: dict[str, Any] | None = json.loads(text, parse_constant=refuse) if text else None
    return found


def _below(folder: Path) -> set[str]:
    return {str(one) for one in folder.rglob("*")}


def marked() -> list[str]:
    """The files that attacks make, where they make them; they are removed."""
    library = sysconfig.get_paths()
    found = []
    for place in {*PLACES, library["stdlib"], library["purelib"]}:
        for path in Path(place).glob(f"*{MARK}*"):
            found.append(str(path))
            path.unlink()
    return found


def _shared_memory() -> list[str]:
    """System V objects with the attacks' key; they are removed."""
    found = []
    for kind, option in (("shm", "-M"), ("sem", "-S"), ("msg", "-Q")):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
            if any(line.split()[0] == str(SHM_KEY) for line in lines):
                found.append(f"System V {kind}")
                subprocess.run(["ipcrm", option, hex(SHM_KEY)], check=False)
    return found


def ordinary(user: str, folder: Path) -> Bench | None:
    """A bench as an ordinary user, with a Python that this user may run; None if there is none here.

    Where our own lies in a folder of root's, the system's of the same version takes its place, with a copy of
    numpy in `folder`.
    """
    try:
        pwd.getpwnam(user)
    except KeyError:
        return None
    if _runs([sys.executable], user, []):
        return Bench(user)
    system = [f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"]
    if not Path(system[0]).exists():
        return None
    folder.chmod(0o755)
    unwanted = shutil.ignore_patterns("tests", "__pycache__")
    for source in (one for name in PACKAGES for one in Path(sysconfig.get_paths()["purelib"]).glob(name)):
        if source.is_dir():
            shutil.copytree(source, folder / source.name, ignore=unwanted)
        else:
            shutil.copy(source, folder)
    return Bench(user, system, [str(folder)]) if _runs(system, user, [str(folder)]) else None


def _runs(interpreter: list[str], user: str, paths: list[str]) -> bool:
    try:
        done = subprocess.run(
            [*interpreter, "-c", "import numpy, grader"],
            user=user,
            env={"PYTHONPATH": os.pathsep.join([str(REPOSITORY), *paths])},
            cwd="/",
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0
