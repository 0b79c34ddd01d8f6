"""Runs each `submit_*` function on a submission and on the reference, and holds the values together."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grader import places
from grader.classroom import intake
from grader.errors import NotGraded
from grader.homework import survey, table
from grader.homework.check import Homework
from grader.homework.extension import Built
from grader.judge.failure import Failure
from grader.official import files, values
from grader.official.model import DATA_MISSING, FAILED, NOT_RUN, PASSED, Outcome, Results
from grader.official.values import Value
from grader.sandbox import identity
from grader.sandbox.channel import Raised, Worker, WorkerFault
from grader.sandbox.host import Zygote
from grader.sandbox.limits import Limits

PAYLOAD = 64 << 20
ABSENT = ("pytest", "torch", "numdifftools", "tqdm", "matplotlib")


@dataclass
class Side:
    """One of the two that answer: its zygote and its compiled extension, if it has one."""

    zygote: Zygote
    extension: str = ""


@dataclass
class Answer:
    """What one function submitted, and why it ended early (`what` went wrong, with the place), if it did."""

    values: list[Value] = field(default_factory=list)
    error: str = ""
    location: dict[str, Any] | None = None
    data_missing: bool = False


Progress = Callable[[Outcome], None]


def run(
    submission: Path,
    homework: str,
    tests: Path,
    *,
    data: Path | None = None,
    seconds: float = 120.0,
    progress: Progress = lambda outcome: None,
) -> Results:
    """Run a person's tests; `data` holds the MNIST files, each function may take `seconds` on each side.

    Raises `UsageError` for tests or a submission that cannot be read.
    """
    chosen = table.find(homework)
    found = files.read(tests, homework)
    folder = files.data_folder(data, submission, tests)
    results = Results(homework, str(submission), str(tests))
    if folder is None:
        results.notes.append("no MNIST files were found; name their folder with --data")
    limits = Limits(check_seconds=seconds)
    with (
        _side(submission, chosen, folder, limits) as mine,
        _side(places.REFERENCE, chosen, folder, limits) as reference,
    ):
        for one in found:
            for function in one.functions:
                started = time.monotonic()
                outcome = _judged(one, function, mine, reference, seconds)
                outcome.seconds = round(time.monotonic() - started, 2)
                results.outcomes.append(outcome)
                progress(outcome)
    return results


@contextlib.contextmanager
def _side(path: Path, homework: Homework, data: Path | None, limits: Limits) -> Iterator[Side]:
    """Take a submission in, with the one data folder that both sides read."""
    with tempfile.TemporaryDirectory(prefix="grader-official-") as folder:
        root = Path(folder).resolve() / "submission"
        taken = intake.take(path, homework.id, root)
        shutil.rmtree(root / "data", ignore_errors=True)
        if data is not None:
            shutil.copytree(data, root / "data", ignore=shutil.ignore_patterns("*.py", "*.md"))
        identity.share(root.parent)
        extension = homework.extension
        built = Built(extension, root, root.parent / "built") if extension else None
        readable = [built.folder] if built else []
        description = {**survey.description(taken, homework), "stubs": list(ABSENT)}
        with (
            built or contextlib.nullcontext(),
            Zygote(description, root, limits, readable=readable) as zygote,
        ):
            yield Side(zygote, _compiled(built))


def _compiled(built: Built | None) -> str:
    if built is None:
        return ""
    try:
        return built.path()
    except Failure:
        return ""


def _judged(one: files.TestFile, function: str, mine: Side, reference: Side, seconds: float) -> Outcome:
    outcome = Outcome(one.name, function, PASSED)
    right = _answer(reference, one, function, seconds)
    if right.data_missing:
        outcome.verdict, outcome.message = NOT_RUN, DATA_MISSING
        return outcome
    if right.error or not right.values:
        why = right.error or "it submits nothing"
        outcome.verdict, outcome.message = NOT_RUN, f"not run: it fails on the reference too ({why})"
        return outcome
    _hold(outcome, _answer(mine, one, function, seconds), right)
    return outcome


def _hold(outcome: Outcome, answer: Answer, right: Answer) -> None:
    """Compare the values one by one; the first that is wrong or missing is the one that is told."""
    for number, expected in enumerate(right.values, 1):
        if number > len(answer.values):
            outcome.expected = expected.text()
            outcome.location = answer.location
            missing = f"submitted {number - 1} values, expected {len(right.values)}"
            outcome.actual = answer.error or "nothing"
            _failed(outcome, number, answer.error or missing)
            return
        mine = answer.values[number - 1]
        wrong = values.difference(mine, expected)
        if wrong:
            outcome.actual, outcome.expected = values.told_apart(mine, expected, wrong)
            _failed(outcome, number, wrong)
            return
        outcome.values = number
    if answer.error:
        outcome.location, outcome.actual = answer.location, answer.error
        _failed(outcome, len(right.values), f"after the last value: {answer.error}")


def _failed(outcome: Outcome, case: int, message: str) -> None:
    outcome.verdict, outcome.case, outcome.message = FAILED, case, message


def _answer(side: Side, one: files.TestFile, function: str, seconds: float) -> Answer:
    """Run one function in a fresh worker and fetch what it submitted."""
    try:
        worker = side.zygote.worker()
    except (OSError, EOFError) as error:
        raise NotGraded(f"no worker process starts ({error}); run `python -m grader doctor`") from error
    worker.allow(seconds)
    answer = Answer()
    try:
        _ask(worker, side, one, function, answer)
    except Raised as error:
        answer.error = _said(error.what, answer)
    except WorkerFault as fault:
        answer.error = str(fault)
    finally:
        side.zygote.end(worker)
    return answer


def _ask(worker: Worker, side: Side, one: files.TestFile, function: str, answer: Answer) -> None:
    arguments = {"file": one.name, "function": function, "extension": side.extension}
    reply = worker.ask("official.run", arguments, [np.frombuffer(one.source, np.uint8)]).values
    count = reply.get("count")
    for number in range(count if type(count) is int else 0):
        got = worker.ask("official.value", {"number": number}, [], expect=PAYLOAD)
        described = got.values.get("value")
        answer.values.append(Value(described if isinstance(described, dict) else {}, got.arrays))
    raised = reply.get("raised")
    if isinstance(raised, dict):
        answer.error = _said(raised, answer)


def _said(what: dict[str, Any], answer: Answer) -> str:
    """Return an exception on one line, and note its place and whether it is for want of data."""
    frames = [frame for frame in what.get("frames") or [] if isinstance(frame, dict)]
    own = [frame for frame in frames if not str(frame.get("file", "")).startswith("tests/")]
    answer.location = own[-1] if own else None
    kind, text = str(what.get("type", "")), " ".join(str(what.get("text", "")).split())
    answer.data_missing = kind == "FileNotFoundError" and ("ubyte" in text or "data" in text)
    if what.get("unfilled"):
        name = str(own[-1].get("function")) if own else "a function"
        return f"{name} is not filled in yet"
    where = f"{own[-1].get('function')} raised" if own else "raised"
    return f"{where} {kind}: {text}"[:300].rstrip(": ")
