"""A whole report in another language: the copy that a rendering shows."""

from __future__ import annotations

import copy
from typing import Any

from grader.report.language import Speaker
from grader.report.model import CheckResult, Report


def translated(report: Report, speaker: Speaker) -> Report:
    """Return a copy with its sentences translated; ids, names, code, numbers and output stay."""
    report = copy.deepcopy(report)
    for note in report.notes:
        note["message"] = speaker.text(str(note.get("message", "")))
    for question in report.questions:
        question.title = speaker.text(question.title)
        for check in question.checks:
            _check(check, speaker)
    return report


def _check(check: CheckResult, speaker: Speaker) -> None:
    check.title, check.message = speaker.text(check.title), speaker.text(check.message)
    check.help, check.symptom = speaker.text(check.help), speaker.text(check.symptom)
    check.counterexample = check.counterexample and {
        speaker.text(label): _value(value, speaker) for label, value in check.counterexample.items()
    }
    check.expected, check.actual = _value(check.expected, speaker), _value(check.actual, speaker)


def _value(value: Any, speaker: Speaker) -> Any:
    """Return a value of a counterexample: text is a sentence or code, an array has its text in a field."""
    if isinstance(value, str):
        return speaker.text(value)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return value | {"text": speaker.text(value["text"])}
    if isinstance(value, list):
        return [_value(one, speaker) for one in value]
    return value
