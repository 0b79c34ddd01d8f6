"""The training run with Adam: what is alive at its end, the same whenever and however it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import intake
from grader.classroom.grade import grade
from grader.homework import budgets, survey, table
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.sandbox.host import Zygote
from tests.homework.leaks import LEAKS
from tests.homework.planted import ADAM, swap
from tests.support import build, reference_function

MEMORY = "optim.Adam.memory"
FIRST = "self.t += 1"
SPARE = "self.spare = [ndl.init.zeros(3) for _ in range(100)]"
LARGE = "self.cache = ndl.init.zeros(300, 300)"
LATE = (
    "self.t += 1\n    if self.t > 8:\n        self.past = [*getattr(self, 'past', []), self.params[0].grad]"
)
LOOSE = "def forward(self, x):\n    for _ in range(40):\n        y = x.detach()\n        y.me = y\n    return ops.relu(x)"
FROZEN = "def __del__(self):\n    pass\n"
NEGATIVE = "def __del__(self):\n    global TENSOR_COUNTER\n    TENSOR_COUNTER -= 2\n"


def _at_start(line: str) -> dict[str, str]:
    made = reference_function("Adam.__init__")
    return {"Adam.__init__": f"{made.rstrip()}\n    {line}\n"}


def _run(folder: Path, solutions: dict[str, str], *only: str) -> dict[str, dict[str, Any]]:
    submission = build(folder, "hw2", "2023", solutions)
    checks = {}
    for one in only:
        report = grade(submission, "hw2", only=one, blame=False).as_dict()
        checks |= {check["id"]: check for question in report["questions"] for check in question["checks"]}
    return checks


WRONG = {
    "many nodes": (_at_start(SPARE), ("nodes are alive", "the limit is", "Adam.spare")),
    "large arrays": (_at_start(LARGE), ("bytes of arrays are alive", "Adam.cache")),
    "a leak that starts late": (
        {"Adam.step": swap(ADAM, (FIRST, LATE))},
        ("Adam.past keeps", "nodes more alive with every step"),
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_kept_is_named(wrong: str, tmp_path: Path) -> None:
    """What six steps of a small net do not show is found in the run, and its holder named."""
    solutions, says = WRONG[wrong]

    checks = _run(tmp_path / "handed-in", solutions, "optim.Adam.graph", MEMORY)

    assert checks["optim.Adam.graph"]["verdict"] == "passed"
    assert checks[MEMORY]["verdict"] == "failed"
    for words in says:
        assert words in checks[MEMORY]["message"]
    assert checks[MEMORY]["location"]["line"] > 0


def test_reference_lies_in_its_bands(tmp_path: Path) -> None:
    """The reference passes all three, is 1.0 x itself, and its counter lies in the band."""
    checks = _run(tmp_path / "handed-in", {}, MEMORY, "optim.Adam.cycles", "optim.Adam.counter")

    found = checks[MEMORY]["measurements"]
    counter = checks["optim.Adam.counter"]["measurements"]["course_counter"]
    assert {check["verdict"] for check in checks.values()} == {"passed"}
    assert found["backward_nodes"]["scale"].startswith("1.0 x the reference; right solutions lie between")
    assert counter["just_collected"] <= counter["shown_here"] <= counter["never_collected"]
    assert found["peak_rss_mb"] > 10


@pytest.mark.parametrize(
    ("check", "solutions", "says"),
    [
        ("optim.Adam.counter", {"Value.__del__": FROZEN}, "nodes are alive after training"),
        ("optim.Adam.counter", {"Value.__del__": NEGATIVE}, "is negative"),
        ("optim.Adam.counter", {"Value._init": "", "Value.__del__": FROZEN}, "stays at 0"),
        ("optim.Adam.cycles", {"ReLU.forward": LOOSE}, "that only Python's collector frees"),
    ],
    ids=["never down", "negative", "frozen", "cycles"],
)
def test_advice(check: str, solutions: dict[str, str], says: str, tmp_path: Path) -> None:
    """A counter that is not to be trusted, and much work for the collector, are told and cost nothing."""
    if "Value._init" in solutions:
        text = reference_function("Value._init")
        solutions["Value._init"] = text.replace("TENSOR_COUNTER += 1", "TENSOR_COUNTER += 0")

    checks = _run(tmp_path / "handed-in", solutions, MEMORY, check)

    assert checks[MEMORY]["verdict"] == "passed"
    assert checks[check]["advice"]
    assert checks[check]["verdict"] == "failed"
    assert says in checks[check]["message"]


Asking = Callable[[Sequence[str]], list[tuple[str, dict[str, Any]]]]


@contextmanager
def asking(submission: Path, folder: Path) -> Iterator[Asking]:
    """Checks of one submission asked for one after the other, in one worker: messages and figures."""
    homework = table.find("hw2")
    taken = intake.take(submission, "hw2", folder)

    def ask(names: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
        worker = zygote.worker()
        worker.allow(20.0)
        told = []
        for name in names:
            (check,) = [one for one in homework.checks() if one.id == f"optim.Adam.{name}"]
            trial = Trial(check, lambda: worker, seeded(0, check.id), Budget(0.0, 1.0), "2024")
            message = ""
            try:
                check.run(trial)
            except Failure as failure:
                message = failure.message
            told.append((f"{name}: {message}", trial.measurements))
            told[-1][1].pop("peak_rss_mb", None)
        zygote.end(worker)
        return told

    with Zygote(survey.description(taken, homework), folder) as zygote:
        yield ask


NOISE = "import gc\ngc.disable()\nprint('imported')"
ORDERS = (
    ("memory",),
    ("memory", "memory"),
    ("values", "graph", "graph_batchnorm", "memory"),
    ("memory", "graph_layernorm", "graph", "values"),
    ("graph", "graph", "memory", "graph_batchnorm"),
)


@pytest.mark.parametrize("name", ["", "Adam.m", "running_var", "helper"])
def test_order_does_not_matter(name: str, tmp_path: Path) -> None:
    """Alone, first, last, twice, with the collector off and a print: one message and one set of figures."""
    leak = next((one for one in LEAKS if one.id == name and one.style == "tensors"), None)
    told: dict[str, list[Any]] = {}
    for number, prologue in enumerate(("", NOISE)):
        made = tmp_path / f"handed-in-{number}"
        if leak:
            leak.build(made, prologue)
        else:
            build(made, "hw2", "2023", {"before:Optimizer": prologue} if prologue else {})
        with asking(made, tmp_path / f"worker-{number}") as ask:
            for order in ORDERS:
                for line, figures in ask(order):
                    told.setdefault(line.partition(":")[0], []).append((line, figures))

    for answers in told.values():
        assert all(one == answers[0] for one in answers)
    failing = {check for check, answers in told.items() if not answers[0][0].endswith(": ")}
    expected = {"": set(), "running_var": {"graph_batchnorm"}}
    assert failing - {"graph_layernorm"} == expected.get(name, {"graph", "graph_batchnorm", "memory"})


def test_limits_are_above_the_right_and_below_a_leak() -> None:
    """A node kept per step and parameter, 4 x 32, is over the limit; every right solution is under it."""
    figure = budgets.figure("Adam.live_nodes")

    assert figure.greatest <= figure.budget < figure.reference + 4 * 32
