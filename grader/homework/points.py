"""The points of a question."""

from __future__ import annotations

from grader.homework.check import Question
from grader.report.model import CheckResult, QuestionResult


def question_result(question: Question, results: list[CheckResult], starter: str) -> QuestionResult:
    """Share the question's points among its subjects, within a subject by the checks' weights.

    What the `starter` did not ask for has no part in them.
    """
    asked = {
        subject: [check for check in checks if check.weight and check.asked(starter)]
        for subject, checks in question.subjects().items()
    }
    asked = {subject: checks for subject, checks in asked.items() if checks}
    by_id = {result.id: result for result in results}
    whole = sum(question.shares.get(subject, 1.0) for subject in asked)
    for subject, checks in asked.items():
        part = question.shares.get(subject, 1.0) / whole
        share = question.points * part / sum(check.weight for check in checks)
        for check in checks:
            if check.id in by_id and by_id[check.id].counts:
                result = by_id[check.id]
                result.max_points = share * check.weight
                result.points = result.max_points if result.passed else 0.0
    points = sum(result.points for result in results)
    most = sum(result.max_points for result in results)
    for result in results:
        result.points, result.max_points = round(result.points, 4), round(result.max_points, 4)
    return QuestionResult(question.id, question.title, round(points, 4), round(most, 4), results)
