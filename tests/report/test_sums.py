"""Points as they are shown: one decimal, and the parts add up to the whole."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.report.model import QuestionResult, Report
from grader.report.sums import shares, sums
from tests.report.reports import check, report


def graded(*questions: tuple[float, float]) -> Report:
    """A report of questions with these points and maxima, each lost in one check."""
    one = report(
        score=round(sum(got for got, _ in questions), 2), max_score=sum(most for _, most in questions)
    )
    one.questions = []
    for i, (got, most) in enumerate(questions):
        failed = check(f"q{i}.a.b", "passed" if got == most else "failed")
        failed.points, failed.max_points = got, most
        one.questions.append(QuestionResult(f"q{i}", f"q{i}", got, most, [failed]))
    return one


def test_two_real_ones() -> None:
    """Reports whose parts did not add up when each number was rounded for itself: 99.6 for 99.55, 96.5 for 96.6."""
    first = sums(
        graded((8.0, 8.0), (10.0, 10.0), (31.6667, 32.0), (19.8824, 20.0), (15.0, 15.0), (15.0, 15.0))
    )
    assert ("99.5", "100") == (first.score, first.max_score)
    assert [("8", "8"), ("10", "10"), ("31.6", "32"), ("19.9", "20"), ("15", "15"), ("15", "15")] == list(
        first.questions
    )
    assert ("0.4", "0.1") == first.lost

    second = sums(graded((7.3077, 10.0), (14.25, 15.0), (75.0, 75.0)))
    assert ("96.6", ["7.3", "14.3", "75"]) == (second.score, [got for got, _ in second.questions])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 40)), min_size=1, max_size=8))
def test_shown_points_add_up(parts: list[tuple[float, int]]) -> None:
    """Questions and losses add up to what the head says, each is within a tenth, no loss makes full marks."""
    one = graded(*((round(share * most, 4), float(most)) for share, most in parts))
    shown = sums(one)
    score = Decimal(shown.score)

    assert score == sum(Decimal(got) for got, _ in shown.questions)
    assert sum(Decimal(lost or "0") for lost in shown.lost) == Decimal(shown.max_score) - score
    assert abs(float(score) - one.score) <= 0.1
    for (got, _), question in zip(shown.questions, one.questions, strict=True):
        assert abs(float(got) - question.points) < 0.11
    assert (shown.score == shown.max_score) == (one.score >= one.max_score)


def test_fractions_are_rounded_alone() -> None:
    """A run of one check may have a question of a third of a point: nothing is distributed there."""
    shown = sums(graded((0.0, 0.3333), (0.3333, 0.3333)))

    assert [("0", "0.3"), ("0.3", "0.3")] == list(shown.questions)


def test_small_losses_show_first() -> None:
    """What is left over goes to a part that would show no loss at all."""
    assert [1, 3, 0] == shares([0.04, 0.39, 0.0], 0.43)
