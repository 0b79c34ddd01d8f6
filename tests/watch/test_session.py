"""A watched submission is graded again on every save, whatever the way in which an editor saves."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.report.model import CheckResult, Report
from grader.watch.session import Session, Superseded
from tests.support import build

ROOT = Path(__file__).resolve().parents[2]
OPS = "python/needle/ops/ops_mathematic.py"
RIGHT, WRONG = "return out_grad / node.inputs[0]", "return out_grad * node.inputs[0]"


class Watched:
    """A session without the library of file events, its lines and the checks that it ran."""

    def __init__(self, root: Path, homework: str = "hw1") -> None:
        self.root, self.homework, self.lines = root, homework, []
        self.ran: list[str | None] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.session = Session(root, homework, self.grade, self.lines.append)
        self.session.start()
        self.ran.clear()

    def grade(self, only: str | None, progress: Callable[[CheckResult], None]) -> Report:
        self.ran.append(only)

        def look(result: CheckResult) -> None:
            self.meanwhile()
            progress(result)

        return grade(self.root, self.homework, only=only, progress=look, blame=False)

    def change(self, old: str, new: str) -> None:
        """Save a change the way most editors do."""
        file = self.root / OPS
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def said(self, word: str) -> list[str]:
        return [line for line in self.lines if word in line]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """A right hw1 under watch."""
    return Watched(build(tmp_path / "hw1", "hw1", "2023"))


def test_broken_then_fixed(watched: Watched) -> None:
    """A wrong line breaks its check, the right one mends it, and the nearest checks ran first."""
    watched.change(RIGHT, WRONG)
    assert watched.session.saved()
    assert watched.said("broken")[0].split() == ["broken", "backward.Log.gradient"]
    assert watched.ran[0] is not None and "backward.Log.gradient" in watched.ran[0]
    assert "backward.Exp" not in watched.ran[0]

    watched.lines.clear()
    watched.change(WRONG, RIGHT)
    assert watched.session.saved()
    assert "backward.Log.gradient" in [line.split()[-1] for line in watched.said("fixed")]
    assert watched.lines[-1].endswith("100 / 100, all checks pass")


def test_an_op_of_the_week_before(tmp_path: Path) -> None:
    """In hw2 a changed op is checked itself, although its checks carry no points there."""
    watched = Watched(build(tmp_path / "hw2", "hw2", "2023"), "hw2")
    assert "backward.Log.gradient" not in watched.session.results
    watched.change(RIGHT, WRONG)

    watched.session.saved()

    assert "backward.Log.gradient" in [line.split()[-1] for line in watched.said("broken")]


def test_events_without_a_change_grade_nothing(watched: Watched) -> None:
    """A second event of the same save, or a save of the same text, is no change."""
    watched.change(RIGHT, RIGHT)

    assert not watched.session.saved()
    assert watched.ran == []


def test_syntax_error_while_typing(watched: Watched) -> None:
    """A file that does not parse is told in one line and not graded; mended, it is graded."""
    watched.change(RIGHT, "return out_grad / (")
    watched.session.saved()
    assert watched.ran == []
    assert OPS in watched.lines[1] and "nothing is graded" in watched.lines[1]

    watched.change("return out_grad / (", WRONG)
    watched.session.saved()
    assert watched.said("broken")


def test_save_by_rename(watched: Watched) -> None:
    """An editor that writes another file and renames it over the old one."""
    file = watched.root / OPS
    other = file.with_suffix(".py.swp")
    other.write_text(file.read_text().replace(RIGHT, WRONG))
    other.replace(file)

    watched.session.saved()

    assert watched.said("broken")


def test_file_that_is_gone_for_a_moment(watched: Watched) -> None:
    """A file that is missing between two looks, and then there again, leaves everything as it was."""
    file = watched.root / OPS
    text = file.read_text()
    file.unlink()
    watched.session.saved()
    file.write_text(text)
    watched.session.saved()

    assert watched.lines[-1].endswith("all checks pass")


def test_save_during_a_run_starts_again(watched: Watched) -> None:
    """A save in the middle of a run ends it; the next look grades what is there then."""
    saves = iter([lambda: watched.change(WRONG, RIGHT)])
    watched.change(RIGHT, WRONG)
    watched.meanwhile = lambda: next(saves, lambda: None)()

    with pytest.raises(Superseded):
        watched.session.saved()
    watched.session.saved()

    assert watched.said("broken") == []
    assert watched.lines[-1].endswith("all checks pass")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[tuple[Path, queue.Queue[str], subprocess.Popen[str]]]:
    """The command itself, watching."""
    pytest.importorskip("watchfiles")
    root = build(tmp_path / "hw1", "hw1", "2023")
    command = [sys.executable, "-m", "grader", "hw1", str(root), "--watch"]
    lines: queue.Queue[str] = queue.Queue()
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "LANG": "C"}
    ) as one:
        threading.Thread(target=lambda: [lines.put(line) for line in one.stdout or ()], daemon=True).start()
        yield root, lines, one
        one.kill()


def until(lines: queue.Queue[str], word: str) -> str:
    """Wait for a line."""
    while True:
        line = lines.get(timeout=60)
        if word in line:
            return line


def test_the_command_tells_of_saves_and_ends_on_interrupt(
    process: tuple[Path, queue.Queue[str], subprocess.Popen[str]],
) -> None:
    """With real events of the file system; Ctrl-C ends it with the state in its exit code."""
    root, lines, command = process
    until(lines, "watching")
    time.sleep(0.3)
    file = root / OPS
    file.write_text(file.read_text().replace(RIGHT, WRONG))

    assert "backward.Log.gradient" in until(lines, "broken")
    until(lines, " / ")
    command.send_signal(2)
    assert command.wait(timeout=20) == 1
