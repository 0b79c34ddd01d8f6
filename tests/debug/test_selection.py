"""`--first`, `--only failed`, `--quiet`: what a run that looks for one fault does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.classroom import remembered
from grader.cli import main
from tests.support import build

WRONG = {"Negate.gradient": "def gradient(self, out_grad, node):\n    return out_grad"}
TWO = {**WRONG, "Log.gradient": "def gradient(self, out_grad, node):\n    return out_grad"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ids(file: Path) -> list[str]:
    """The checks in a report."""
    report = json.loads(file.read_text())
    return [check["id"] for question in report["questions"] for check in question["checks"]]


def test_only_failed_runs_what_failed_last(tmp_path: Path) -> None:
    """After a run with two faults exactly their failed checks run again, until none is left."""
    submission = build(tmp_path / "mine", "hw1", "2023", TWO)
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    assert main(["hw1", str(submission), "--no-blame", "--only", "backward", "--json", str(first)]) == 1
    report = json.loads(first.read_text())
    failed = [
        c["id"] for q in report["questions"] for c in q["checks"] if c["verdict"] not in ("passed", "not-run")
    ]

    assert main(["hw1", str(submission), "--no-blame", "--only", "failed", "--json", str(again)]) == 1
    assert sorted(ids(again)) == sorted(failed)
    assert {"backward.Negate.gradient", "backward.Log.gradient"} <= set(failed)

    build(tmp_path / "mine", "hw1", "2023")
    assert main(["hw1", str(submission), "--only", "failed"]) == 0
    assert remembered.chosen("failed", submission, "hw1") == ""


def test_nothing_is_left_in_the_submission(tmp_path: Path, cache: Path) -> None:
    """The verdicts lie in the cache folder, not in the submission."""
    submission = build(tmp_path / "mine", "hw1", "2023")
    before = sorted(submission.rglob("*"))

    main(["hw1", str(submission), "--only", "forward.Log"])

    assert sorted(submission.rglob("*")) == before
    assert len(list(cache.rglob("*.json"))) == 1


def test_only_failed_without_a_run_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without an earlier run it is exit 2, with the next step."""
    submission = build(tmp_path / "mine", "hw1", "2023")

    assert main(["hw1", str(submission), "--only", "failed"]) == 2
    assert "no earlier run" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "[]", '{"verdicts": 3}', '{"verdicts": {"a": 1}', "\x00"])
def test_a_broken_file_is_no_run(content: str, tmp_path: Path) -> None:
    """A file that cannot be read counts as none, and the next run replaces it."""
    submission = build(tmp_path / "mine", "hw1", "2023")
    main(["hw1", str(submission), "--only", "forward.Log"])
    (file,) = remembered.folder().glob("*.json")
    file.write_text(content)

    assert remembered.verdicts(submission, "hw1") is None
    main(["hw1", str(submission), "--only", "forward.Log"])
    assert remembered.verdicts(submission, "hw1") == {
        "forward.Log.forward": "passed",
        "forward.Log.hygiene": "passed",
    }


def test_first_stops_at_the_first_failure(tmp_path: Path) -> None:
    """Of two faults only the first is met, and nothing runs after it."""
    submission, file = build(tmp_path / "mine", "hw1", "2023", TWO), tmp_path / "report.json"

    assert main(["hw1", str(submission), "--first", "--json", str(file)]) == 1

    verdicts = {c["id"]: c["verdict"] for q in json.loads(file.read_text())["questions"] for c in q["checks"]}
    assert [name for name, verdict in verdicts.items() if verdict == "failed"] == ["backward.Negate.gradient"]
    assert "topo_sort.find_topo_sort.order" not in verdicts


def test_quiet_prints_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line holds homework, score and the first thing to mend."""
    submission = build(tmp_path / "mine", "hw1", "2023", WRONG)

    assert main(["hw1", str(submission), "--quiet"]) == 1

    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert re.search(r"^hw1  .*mine.*  \d\d\.\d / 100  1 to mend: Negate.gradient$", out)


def test_a_breakpoint_left_in_stops_nobody(tmp_path: Path) -> None:
    """A call of breakpoint() in a submission costs nothing: nobody waits for a debugger there."""
    computed = "def compute(self, a):\n    breakpoint()\n    return array_api.exp(a)"
    submission = build(tmp_path / "mine", "hw1", "2023", {"Exp.compute": computed})

    assert main(["hw1", str(submission), "--only", "forward.Exp"]) == 0
