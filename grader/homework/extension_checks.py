"""The checks of hw0's C++ extension, which is built from source and loaded into a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import epoch_checks
from grader.homework.check import Check
from grader.homework.epoch_checks import Epoch
from grader.homework.extension import SANITIZE, Built, Extension
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.oracle import mistakes_hw0_epochs
from grader.sandbox.channel import Reply, WorkerFault

EXTENSION = Extension("src/simple_ml_ext.cpp", "simple_ml_ext", "softmax_regression_epoch_cpp")
SLOW = 20.0  # times the numpy version: plain loops take about 3, a copy per sample hundreds
RACE = (600, 784, 10, 100)  # samples, inputs, classes, batch


def checks(question: str) -> tuple[Check, ...]:
    """Return the checks of the extension's function: the numpy version's, its speed, its memory."""
    make = partial(Check, question, MODEL.function, target=MODEL.target, weight=0.0)
    common = {
        check.kind: replace(check, run=partial(_located, check.run))
        for check in epoch_checks.checks(question, MODEL)
    }
    first = (common["values"].id,)
    numpy_version = "softmax_regression_epoch.softmax_regression_epoch.values"
    return (
        common["values"],
        common["gradient"],
        make("speed", "not far slower than the numpy version", _race, needs=(*first, numpy_version)),
        # a short batch may ruin the worker's memory, so it comes after what needs a sound one
        common["short_batch"],
        make("sanitizer", "AddressSanitizer and UBSan find nothing", _sanitize, option=SANITIZE),
    )


def _located(run: Callable[[Trial], None], trial: Trial) -> None:
    """Run a check; its failure points at the function in the C++ source, if at nothing closer."""
    try:
        run(trial)
    except Failure as failure:
        built = _built(trial)
        if built.source.is_file():
            failure.location = failure.location or built.place()
        raise


def _built(trial: Trial) -> Built:
    if not isinstance(trial.built, Built):
        raise TypeError("the extension was not built before its checks")
    return trial.built


def _arguments(trial: Trial) -> dict[str, Any]:
    path = _built(trial).path()
    return {"path": path, "module": EXTENSION.module, "function": EXTENSION.function}


def _ask(trial: Trial, arguments: dict[str, Any], one: Epoch) -> Reply:
    """Run one epoch in the extension; a worker that dies of it is a failure of the extension."""
    try:
        return trial.ask("hw0.epoch", arguments, one.arrays())
    except WorkerFault as fault:
        if fault.verdict != "crashed":
            raise
        raise Failure(
            f"{EXTENSION.function}: the extension crashed",
            help="it reads or writes outside an array: run again with `--sanitize` to see the line",
            verdict="crashed",
            group="crashed",
        ) from fault


MODEL = replace(
    epoch_checks.REGRESSION,
    function=EXTENSION.function,
    target=f"{EXTENSION.module}.{EXTENSION.function}",
    mistakes=mistakes_hw0_epochs.EXTENSION,
    arguments=_arguments,
    dtypes=("float32",),  # the binding copies a theta of another dtype: the change would be lost
    ask=_ask,
)


def _race(trial: Trial) -> None:
    n, d, k, batch = RACE
    rng = np.random.default_rng(0)
    arrays: list[np.ndarray] = [
        rng.random((n, d), dtype=np.float32),
        rng.integers(0, k, n).astype(np.uint8),
        np.zeros((d, k), dtype=np.float32),
    ]
    reply = trial.ask("hw0.race", _arguments(trial) | {"lr": 0.1, "batch": batch}, arrays)
    seconds = {name: max(float(reply.values[name]), 1e-9) for name in ("numpy", "cpp")}
    ratio = seconds["cpp"] / seconds["numpy"]
    trial.measurements |= {f"seconds_{name}": round(value, 6) for name, value in seconds.items()}
    trial.measurements["times_numpy"] = round(ratio, 2)
    if ratio > SLOW:
        raise Failure(
            f"{EXTENSION.function} takes {ratio:.0f} times as long as your numpy version",
            help="allocate outside the loops, and let the innermost loop run over memory in order",
            location=_built(trial).place(),
            group="slow",
        )


def _sanitize(trial: Trial) -> None:
    built = _built(trial)
    if built.obstacle is not None:
        raise built.obstacle
    if built.sanitizing is not None:
        built.sanitizing.check()
