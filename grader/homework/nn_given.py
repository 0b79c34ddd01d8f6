"""Advice on what the starter's constructors are given: a dtype, the modules of a Sequential."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grader.homework.check import Check
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.source import plain

ASKED = "float64"


def dtype_check(question: str, name: str, call: tuple[int, ...], attributes: Sequence[str]) -> Check:
    """Return the check that a module's attributes have the dtype that its constructor is given."""
    return Check(
        question,
        name,
        "dtype",
        f"{name} passes its dtype on",
        partial(_dtype, name, call, attributes),
        weight=0.0,
        needs=(f"{question}.{name}.parameters",),
        target=f"needle.nn.{name}",
    )


def _dtype(name: str, call: tuple[int, ...], attributes: Sequence[str], trial: Trial) -> None:
    module = {"class": name, "arguments": plain(call), "keywords": {"dtype": ASKED}}
    arrays = trial.ask("nn.inspect", {"module": module, "attributes": list(attributes)}, []).arrays
    for attribute, array in zip(attributes, arrays, strict=True):
        if str(array.dtype) != ASKED:
            raise Failure(
                f"{name} does not use its dtype: {attribute} comes in {array.dtype}, {ASKED} is asked",
                help="pass device and dtype on to the function that makes the numbers",
                counterexample={"call": f"{name}({', '.join(map(str, call))}, dtype={ASKED!r})"},
                expected=ASKED,
                actual=str(array.dtype),
                group="kwargs",
            )


def modules_check(question: str) -> Check:
    """Return the check that a Sequential keeps its modules where others look for them."""
    return Check(
        question,
        "Sequential",
        "modules",
        "Sequential keeps its modules in `.modules`",
        _modules,
        weight=0.0,
        needs=(f"{question}.Sequential.forward",),
        target="needle.nn.Sequential",
    )


def _modules(trial: Trial) -> None:
    parts: list[dict[str, Any]] = [{"class": "own.Holder"}, {"class": "own.Square"}]
    found = trial.ask("nn.modes", {"module": {"class": "Sequential", "arguments": parts}}, []).values
    if not {"module.modules[0]", "module.modules[1]"} <= set(found["training"]):
        raise Failure(
            "Sequential does not keep its modules in `.modules`, in their order: "
            "code that goes through a network looks for them there",
            help="the starter's `self.modules = modules` stays as it is",
            group="modules",
        )
