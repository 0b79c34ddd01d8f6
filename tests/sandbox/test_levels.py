"""The level that a worker reports is what its mechanisms hold; take one away and the requirement refuses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.classroom.grade import grade
from grader.errors import NotGraded
from grader.sandbox import identity, kernel, landlock, level
from grader.sandbox.limits import Limits
from tests.sandbox.attempts import results
from tests.sandbox.driver import MODES, QUIET, run, sandbox
from tests.sandbox.honest import HONEST

ROOT = Path(__file__).resolve().parents[2]
WHOLE = pytest.mark.skipif(
    not kernel.machine() or landlock.ruleset() is None, reason="the machine lacks Landlock or seccomp"
)
HELD = dict.fromkeys(level.AREAS, True)

# What is left out, the level that remains, and the areas that nothing holds any more.
FAULTS: list[tuple[tuple[str, ...], str, set[str]]] = [
    ((), "full", set()),
    (("landlock",), "partial", {"files"}),
    (("seccomp",), "partial", {"network", "processes", "signals"}),
    (("landlock", "seccomp"), "process-only", {"files", "network", "processes", "signals"}),
]


@WHOLE
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("without", "expected", "lost"), FAULTS)
def test_each_mechanism_counts(
    without: tuple[str, ...], expected: str, lost: set[str], mode: str, tmp_path: Path
) -> None:
    """Without a mechanism the self-test finds what it held, and the level falls."""
    with sandbox(tmp_path, mode, Limits(without=without)) as zygote:
        found = zygote.confinement()

    assert found["level"] == expected
    assert {area for area in level.AREAS if not found[area]} == lost
    assert not set(without) & set(found["how"].split(", "))


@WHOLE
@pytest.mark.skipif(not identity.is_root(), reason="only root becomes another user")
def test_root_is_never_fully_confined(tmp_path: Path) -> None:
    """A worker that stays root is not "full": no limit of threads holds root."""
    with sandbox(tmp_path, MODES[0], Limits(without=("identity",))) as zygote:
        found = zygote.confinement()

    assert (found["level"], found["processes"]) == ("partial", False)


@WHOLE
@pytest.mark.parametrize("mode", MODES)
def test_every_worker_says_the_same(mode: str, tmp_path: Path) -> None:
    """What the idle worker says is what the ones with student code say."""
    with sandbox(tmp_path, mode) as zygote:
        idle = zygote.confinement()
        worker = zygote.worker()
        run(worker, QUIET)

    assert worker.confinement == idle


@WHOLE
@pytest.mark.parametrize("without", [without for without, expected, _ in FAULTS if expected != "full"])
def test_requirement_refuses(without: tuple[str, ...], tmp_path: Path) -> None:
    """Less than what is required is not graded, in one sentence that names what is not held."""
    with sandbox(tmp_path, MODES[0], Limits(without=without)) as zygote:
        with pytest.raises(
            NotGraded, match=r"the sandbox here is .*, not full: nothing holds .*SECURITY\.md"
        ):
            zygote.require("full")
        zygote.require("process-only")


@WHOLE
def test_command_line_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--require-sandbox full` ends with code 3 and one line before student code runs."""
    less = Limits(without=("landlock",))
    monkeypatch.setattr("grader.classroom.grade.Limits", lambda: less)
    marked = tmp_path / "hw1/python/needle"
    marked.mkdir(parents=True)
    (marked / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (tmp_path / "hw1/apps").mkdir()
    (tmp_path / "hw1/apps/simple_ml.py").write_text("")

    code = cli.main(["hw1", str(tmp_path / "hw1"), "--require-sandbox", "full"])

    printed = capsys.readouterr()
    assert code == 3
    assert printed.out == ""
    assert printed.err.startswith("grader: the sandbox here is partial, not full: nothing holds files")
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "ran").exists()


@WHOLE
def test_command_line_grades(tmp_path: Path) -> None:
    """What is met is graded, and the report names the level."""
    report = grade(ROOT / "reference", "hw1", only="forward.MatMul.*", sandbox="full", blame=False)

    assert report.full_marks
    assert report.confinement["level"] == "full"
    assert all(report.confinement[area] for area in level.AREAS)


@pytest.mark.skipif(sys.platform != "linux", reason="names Linux's libraries")
@pytest.mark.parametrize("without", [without for without, _, _ in FAULTS])
def test_honest_code_works(without: tuple[str, ...], tmp_path: Path) -> None:
    """Threads, linear algebra, late imports, ctypes, deep recursion, own files: the same at every level."""
    found = results(HONEST, tmp_path, Limits(without=without))

    assert {name: answer for name, answer in found.items() if answer != "worked"} == {}


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ([], "full"),
        (["memory"], "partial"),
        (["files", "network", "signals"], "partial"),
        (["files", "network", "processes", "signals"], "process-only"),
        (list(level.AREAS), "process-only"),
    ],
)
def test_level_of_areas(lost: list[str], expected: str) -> None:
    """All areas make "full", none of the kernel's "process-only"."""
    assert level.level(HELD | dict.fromkeys(lost, False)) == expected


def test_order_of_levels() -> None:
    """Each level meets itself and those below; nonsense meets none but the lowest."""
    met = {
        (one, other) for one in level.LEVELS for other in level.LEVELS if level.is_met({"level": one}, other)
    }

    assert met == {(one, other) for i, one in enumerate(level.LEVELS) for other in level.LEVELS[: i + 1]}
    assert not level.is_met({"level": "perfect"}, "process-only")
    assert not level.is_met({}, "partial")


@pytest.mark.parametrize(
    ("one", "other", "weaker"),
    [("full", "partial", "partial"), ("partial", "full", "partial"), ("full", "full", "full")],
)
def test_weaker_of_two(one: str, other: str, weaker: str) -> None:
    """A report names the weakest that any of its workers had."""
    found: dict[str, Any] = level.weaker({"level": one}, {"level": other})

    assert found == {"level": weaker}
    assert level.weaker({}, {"level": one}) == {"level": one} == level.weaker({"level": one}, None)
