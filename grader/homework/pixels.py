"""Values of images as they are read best: bytes by 255."""

from __future__ import annotations

import re
from typing import Any

from grader.judge.failure import Failure

NUMBER = r"-?\d+\.\d+(?:e-?\d+)?"
IN_MESSAGE = re.compile(NUMBER + r"(?= \w+ \[)|" + NUMBER + "$")
IN_ELEMENTS = re.compile(rf"(?<=: ){NUMBER}(?=;|$)")
NEAR = 0.01  # of a byte: six digits are shown


def as_fractions(failure: Failure) -> None:
    """Have a failure about an image tell its numbers as `78/255`, where that is what they are."""
    failure.message = IN_MESSAGE.sub(_fraction, failure.message)
    failure.symptom = IN_MESSAGE.sub(_fraction, failure.symptom)
    for side in (failure.actual, failure.expected):
        if isinstance(side, dict) and isinstance(side.get("text"), str):
            side["text"] = IN_ELEMENTS.sub(_fraction, side["text"])


def _fraction(match: re.Match[str]) -> Any:
    scaled = 255 * float(match.group())
    return f"{round(scaled)}/255" if abs(scaled - round(scaled)) < NEAR else match.group()
