"""A class made of plain reports: each person has some of the planted faults, with what they take down."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from grader.classroom.compare.rows import Entry
from grader.report.model import Cause, CheckResult, QuestionResult, Report

QUESTIONS = ("init", "ops", "nn", "optim", "data", "mlp_resnet")
SUBJECTS = 7  # in each question
KINDS = ("forward", "gradient", "hygiene", "graph")
ENVIRONMENT = {"grader": "0.1.0", "python": "3.11.7", "numpy": "2.1.0", "platform": "linux"}


@dataclass(frozen=True, eq=False)
class Planted:
    """A fault: the function, the check that shows it, what it says, the checks of others that fail by it."""

    function: str
    check: str
    message: str
    known: str | None = None
    through: tuple[str, ...] = ()
    advice: bool = False
    more: dict[str, Any] = field(default_factory=dict)


# 12 mistakes: some recognised, some only by their message; some take down a great deal
CLASS_WIDE = [
    *(
        Planted(f"nn{i}.forward", f"nn.nn{i}.forward", f"nn{i}: mistake number {i}", f"known-{i}", ("mlp_resnet.*",))
        for i in range(4)
    ),
    *(
        Planted(f"ops{i}.gradient", f"ops.ops{i}.gradient", f"ops{i}.gradient is detached at a/b.py:{{n}}", None, ("nn.*",))
        for i in range(4)
    ),
    *(
        Planted("optim0", "optim.optim0.forward", f"optim0.step: way {i} of being wrong", f"way-{i}")
        for i in range(2)
    ),
    Planted("optim1", "optim.optim1.graph", "optim1.u keeps {n} nodes more alive with every step"),
    Planted("data0", "data.data0.forward", "data0 raised ValueError: cannot reshape {n}", None, (), False,
            {"verdict": "error"}),
]  # fmt: skip


def person(name: str, *faults: Planted, seed: int = 0, **more: Any) -> Report:
    """A report with some faults, in numbers and lines of the person's own."""
    chance = random.Random(f"{name!a}{seed}")
    checks = {one.id: one for one in _checks()}
    for fault in faults:
        _fail(checks, fault, chance)
    by_question = {
        question: [one for one in checks.values() if one.id.startswith(f"{question}.")]
        for question in QUESTIONS
    }
    questions = [
        QuestionResult(name, name.upper(), sum(one.points for one in found), float(len(found)), found)
        for name, found in by_question.items()
    ]
    causes = [_cause(fault, checks) for fault in faults if not fault.advice]
    score = round(sum(question.points for question in questions), 2)
    fields: dict[str, Any] = {"environment": ENVIRONMENT, "causes": causes, "score": score, **more}
    seed_shown = fields.pop("shown_seed", 0)
    most = float(len(checks))
    return Report(
        "hw2", f"handed/in/{name}", "2024", seed_shown, max_score=most, questions=questions, **fields
    )


def _checks() -> list[CheckResult]:
    return [
        CheckResult(f"{question}.{question}{i}.{kind}", kind, "passed", 1.0, 1.0, title=f"{question}{i} {kind}",
                    seconds=0.01)
        for question in QUESTIONS
        for i in range(SUBJECTS)
        for kind in KINDS
    ]  # fmt: skip


def _fail(checks: dict[str, CheckResult], fault: Planted, chance: random.Random) -> None:
    number = chance.randrange(10, 99)
    check = checks[fault.check]
    check.verdict, check.points = fault.more.get("verdict", "failed"), 0.0
    check.message = fault.message.replace("{n}", str(number))
    check.known_mistake, check.advice = fault.known, fault.advice
    check.counterexample = {"x": {"text": f"[{'1, ' * chance.randrange(1, 9)}1]"}}
    check.expected = {"text": "[2]"}
    check.help = "look at it again"
    check.blame = [fault.function]
    for key, value in fault.more.items():
        setattr(check, key, value)
    for one in _through(checks, fault):
        if one.verdict == "passed":
            one.verdict, one.points, one.blame = "failed", 0.0, [fault.function]
            one.message = f"{one.id} is {number} at [0], expected 2"


def _through(checks: dict[str, CheckResult], fault: Planted) -> list[CheckResult]:
    starts = tuple(pattern.rstrip("*") for pattern in fault.through)
    return [one for one in checks.values() if starts and one.id.startswith(starts)]


def _cause(fault: Planted, checks: dict[str, CheckResult]) -> Cause:
    mine = [one.id for one in _through(checks, fault) if one.blame == [fault.function]]
    return Cause([fault.function], "python/needle/x.py", 12, [fault.check, *mine])


def entry(name: str, *faults: Planted, **more: Any) -> Entry:
    """A person's entry."""
    content = more.pop("content", "")
    return Entry(name, person(name, *faults, **more), content)


def many(size: int, seed: int = 0) -> tuple[list[Entry], dict[Planted, int]]:
    """A class with the 12 mistakes in counts of their own, some people with two, and rare mistakes."""
    chance = random.Random(seed)
    faults: dict[int, list[Planted]] = {number: [] for number in range(size)}
    counts = {}
    for place, fault in enumerate(CLASS_WIDE):
        counts[fault] = max(6, size // 5 - 2 * place)
        for number in chance.sample(range(size), counts[fault]):
            if not any(other.function == fault.function for other in faults[number]):
                faults[number].append(fault)
            else:
                counts[fault] -= 1
    for number in chance.sample(range(size), size // 20):
        faults[number].append(
            Planted("init6", "init.init6.forward", f"init6: something of {'abcdefgh'[number % 8]}")
        )
    return [entry(f"student {number:04}", *faults[number]) for number in range(size)], counts
