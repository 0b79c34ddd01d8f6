"""A fault that people have, and what the grader must say about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.support import build
from tests.support.transforms import Transform

Report = dict[str, Any]
Check = dict[str, Any]

FINE = ("passed", "not-run")


@dataclass(frozen=True)
class Expect:
    """What the report of a faulty submission must hold; ids may be patterns (`forward.*.hygiene`).

    `failed`: checks that must not pass, in one of `verdicts` if given; nothing else that is scored may fail,
    but for `consequences`. `says`: words in the text of the failed checks. `function`: the function that the
    first failed check points at. `advice`: advice that must not pass, with `advice_says` in its text.
    `notes`: words anywhere in the report. `score`: the score as a share of the maximum, if it is known.
    """

    failed: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    function: str = ""
    points_lost: bool = True
    advice: tuple[str, ...] = ()
    advice_says: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ("softmax_loss.*", "nn_epoch.*")
    verdicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    score: float | None = None


@dataclass(frozen=True)
class Fault:
    """A submission with one fault.

    `row` names the kind of fault; `arrange` changes what is handed in; a check may take `seconds`.
    """

    id: str
    row: str
    expect: Expect
    solutions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    layout: str = "2023"
    transforms: tuple[Transform, ...] = ()
    arrange: Callable[[Path], Path] | None = None
    seconds: float = 10.0

    def build(self, folder: Path, homework: str) -> Path:
        """Write the submission into `folder`; return what is handed in (a folder or an archive)."""
        root = build(folder / "handed-in", homework, self.layout, self.solutions, self.files, self.transforms)
        return self.arrange(root) if self.arrange else root


def fine(**expectations: Any) -> Expect:
    """The expectation of full marks."""
    return Expect(points_lost=False, score=1.0, consequences=(), **expectations)


def differences(report: Report, expect: Expect) -> list[str]:
    """Everything in which a report is not as expected; empty when it is."""
    checks = [check for question in report["questions"] for check in question["checks"]]
    scored = [check for check in checks if not check["advice"]]
    return [
        *_missed(scored, expect),
        *_unexpected(scored, expect),
        *_unsaid(scored, expect),
        *_advice(checks, expect),
        *_score(report, expect),
        *(f"{word!r} is nowhere in the report" for word in expect.notes if word not in text_of(report)),
    ]


def _matching(checks: list[Check], patterns: tuple[str, ...]) -> list[Check]:
    return [check for check in checks if any(fnmatchcase(check["id"], pattern) for pattern in patterns)]


def _missed(checks: list[Check], expect: Expect) -> Iterator[str]:
    for pattern in (*expect.failed, *expect.not_run):
        found = _matching(checks, (pattern,))
        if not found:
            yield f"there is no check {pattern}"
        for check in found:
            wanted = ("not-run",) if pattern in expect.not_run else expect.verdicts
            if check["verdict"] in FINE and check["verdict"] not in wanted:
                yield f"{check['id']} {check['verdict']}"
            elif wanted and check["verdict"] not in (*wanted, "blocked"):
                yield f"{check['id']} is {check['verdict']}, not {' or '.join(wanted)}: {check['message']}"


def _unexpected(checks: list[Check], expect: Expect) -> Iterator[str]:
    allowed = _matching(checks, (*expect.failed, *expect.consequences, *expect.not_run))
    for check in checks:
        if check["verdict"] not in FINE and check not in allowed and not _explained(check, expect):
            yield f"{check['id']} is {check['verdict']}: {check['message']}"


def _explained(check: Check, expect: Expect) -> bool:
    """Whether a check was not run because another of the same subject failed as it should."""
    subject = check["id"].split(".")[1]
    return check["verdict"] == "blocked" and any(p.split(".")[1] in (subject, "*") for p in expect.failed)


def _unsaid(checks: list[Check], expect: Expect) -> Iterator[str]:
    failed = [check for check in _matching(checks, expect.failed) if check["verdict"] not in FINE]
    text = text_of(failed)
    for word in expect.says:
        if word not in text:
            yield f"{word!r} is not said in: {' | '.join(check['message'] for check in failed)}"
    if expect.function and failed:
        location = failed[0].get("location") or {}
        if location.get("function") != expect.function:
            yield f"{failed[0]['id']} points at {location.get('function')!r}, not at {expect.function!r}"


def _advice(checks: list[Check], expect: Expect) -> Iterator[str]:
    given = [check for check in _matching(checks, expect.advice) if check["verdict"] not in FINE]
    if expect.advice and not given:
        yield f"no advice from {', '.join(expect.advice)}"
    yield from (f"{check['id']} costs points" for check in given if not check["advice"])
    for word in expect.advice_says:
        if word not in text_of(given):
            yield f"{word!r} is not said in: {' | '.join(check['message'] for check in given)}"


def _score(report: Report, expect: Expect) -> Iterator[str]:
    score, best = report["score"], report["max_score"]
    if expect.points_lost != (score < best - 1e-9):
        yield f"the score is {score} of {best}"
    if expect.score is not None and abs(score - expect.score * best) > 1e-6:
        yield f"the score is {score} of {best}, not {expect.score * best}"


def text_of(value: Any) -> str:
    """Everything in a piece of a report, as one text."""
    return json.dumps(value, ensure_ascii=False)
