"""How a class's run tells how it is getting on, and how it ended."""

import io

import pytest

from grader.classroom import summary
from grader.classroom.meter import Meter, duration
from grader.classroom.roster import Refusal
from grader.classroom.summary import Summary
from grader.cli.class_progress import Line


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_rate_and_time_left() -> None:
    """Two in four seconds make half a second's worth each; eight more take sixteen seconds."""
    clock = Clock()
    meter = Meter(10, clock)
    assert meter.facts() == "0 of 10"

    clock.now += 4
    meter.graded(full_marks=True)
    meter.graded(full_marks=False)

    assert (meter.rate(), meter.left()) == (0.5, 16.0)
    assert meter.facts() == "2 of 10 · 0.5 a second · about 16 s left · 1 lost points"
    assert meter.line() == "[#.......] 2/10 · 1 lost points · 0.5/s · 16 s left"


def test_the_rate_is_that_of_the_last_minute() -> None:
    """What was quick an hour ago does not count."""
    clock = Clock()
    meter = Meter(1000, clock)
    for _ in range(600):
        clock.now += 0.1
        meter.graded(full_marks=True)
    for _ in range(60):
        clock.now += 2
        meter.graded(full_marks=True)
    meter.refused()

    assert meter.rate() == pytest.approx(0.5, rel=0.05)
    assert meter.facts().endswith("1 not graded")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min 0 s"),
        (599, "9 min 59 s"),
        (600, "10 min"),
        (3720, "1 h 2 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    """Two units at most, and no more than matters."""
    assert duration(seconds) == text


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_line_on_a_terminal_is_wiped() -> None:
    """It is written over in place, never longer than the terminal, and gone at the end."""
    stream = Terminal()
    line = Line(stream)
    line.reading(1, 1000)
    line.begin(1000)
    for _ in range(3):
        line.failed(Refusal("jane", "jane.zip", "unreadable", "why"))
        line.graded({"complete": True, "score": 3.0, "max_score": 10.0})
        line.next = 0.0
        line.tick()
    line.end()

    pieces = stream.getvalue().split("\r")
    assert "\n" not in stream.getvalue()
    assert max(map(len, pieces)) < 80
    assert any(piece.startswith("[........] 6/1000 · 3 not graded · 3 lost points · ") for piece in pieces)
    assert pieces[-2].isspace()


def test_lines_in_a_log() -> None:
    """Elsewhere it is plain lines, and none before half a minute."""
    stream = io.StringIO()
    line = Line(stream)
    line.reading(1, 2)
    line.begin(2)
    line.graded({"complete": True, "score": 3.0, "max_score": 10.0})
    line.tick()
    assert stream.getvalue() == ""

    line.next = 0.0
    line.tick()

    assert stream.getvalue().startswith("1 of 2 · ")
    assert "\r" not in stream.getvalue()


def test_the_summary() -> None:
    """Figures, what was not graded with its reason, who handed nothing in; hostile names are written out."""
    scores = [(100.0, 100.0), (50.0, 100.0), (90.0, 100.0)]
    refusals = [Refusal("\x1b[31mjoe", "c/joe.zip", "unreadable", "c/joe.zip: holds no source file")]

    text = summary.render(
        Summary("hw2", "class.db", 3, "0", scores, refusals, now=2, seconds=4.0, missing=["Ann"])
    )

    assert text.splitlines() == [
        "hw2  class.db · run 3                                 3 submissions with a grade",
        "graded 2 now, 1 before in 4 s · 0.5 a second · seed 0",
        "mean 80.0 · median 90.0 · lowest 50.0 · full marks 1",
        "",
        "Not graded (1)",
        "  \\x1b[31mjoe (c/joe.zip): holds no source file",
        "",
        "No submission from 1 on the list: Ann",
    ]


def test_the_summary_of_nothing() -> None:
    """Nothing graded is no reason to fail; a secret seed is not told."""
    text = summary.render(Summary("hw2", "c.db", 1, "secret:0123", [], [], finished=False))

    assert text.splitlines()[1] == "nothing was graded · seed secret"
    assert (
        text.splitlines()[-1] == "stopped; all that was graded is stored: the same command goes on from there"
    )
