"""Each fault of hw0 costs what it should cost, and the report names what must be named."""

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from tests.faults.hw0 import CPP, FAULTS, body, extension
from tests.faults.model import Fault, differences
from tests.support import build, compiling


@pytest.fixture(scope="module", autouse=True)
def _compiler(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """Each C++ source is compiled once."""
    with compiling.remembering(tmp_path_factory.mktemp("compiled")):
        yield


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_fault_is_reported(fault: Fault, tmp_path: Path) -> None:
    """The report of a faulty submission is as the fault's row expects."""
    submission = fault.build(tmp_path, "hw0")

    report = grade(submission, "hw0", seed=0).as_dict()

    assert differences(report, fault.expect) == []


def test_without_a_compiler_the_points_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler: the question is not run, says so, and the rest is out of 80."""
    monkeypatch.setenv("PATH", str(tmp_path))

    report = grade(build(tmp_path / "here", "hw0"), "hw0").as_dict()

    checks = report["questions"][-1]["checks"]
    assert {check["verdict"] for check in checks} == {"not-run"}
    assert "no C++ compiler found" in checks[0]["message"]
    assert report["score"] == report["max_score"] == 80.0


@pytest.mark.parametrize(
    ("id_", "changes", "says"),
    [
        (
            "reads-past-x",
            {"end": "s + batch"},
            ("with a short last batch", "heap-buffer-overflow", "a read of"),
        ),
        ("past-theta", {"at": "a * k + c + 1"}, ("with even batches", "heap-buffer-overflow")),
    ],
)
def test_sanitizer_names_the_line(
    id_: str, changes: dict[str, str], says: tuple[str, ...], tmp_path: Path
) -> None:
    """With `sanitize` the first finding is shown with its line in the source; it costs nothing itself."""
    source = extension(body(**changes))
    submission = build(tmp_path / id_, "hw0", extra_files={CPP: source})

    report = grade(submission, "hw0", only="*.sanitizer", extras=("sanitize",)).as_dict()

    (check,) = report["questions"][0]["checks"]
    assert check["verdict"] == "failed"
    assert check["advice"]
    assert all(word in check["message"] for word in says)
    line = source.splitlines()[check["location"]["line"] - 1]
    assert "X[" in line


def test_sanitizer_is_quiet_on_right_code(tmp_path: Path) -> None:
    report = grade(build(tmp_path / "here", "hw0"), "hw0", only="*.sanitizer", extras=("sanitize",)).as_dict()

    (check,) = report["questions"][0]["checks"]
    assert check["verdict"] == "passed"


def test_ids_are_unique() -> None:
    ids = [fault.id for fault in FAULTS]

    assert len(ids) == len(set(ids))
