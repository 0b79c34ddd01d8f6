"""Advice on data: float32 that goes into a transform or a loader comes out as float32."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.loader_run import Loader
from grader.homework.trial import Trial
from grader.judge.failure import Failure


def transform_check(question: str, name: str, ask: Callable[[Trial], Any], needs: str) -> Check:
    """Return the check of a transform; `ask` calls it on a float32 image."""
    return Check(
        question,
        name,
        "dtype",
        "a float32 image stays float32",
        lambda trial: _demand_single(f"{name} turns a float32 image into", ask(trial).arrays),
        weight=0.0,
        needs=(needs,),
        target=f"needle.data.{name}.__call__",
    )


def loader_check(question: str) -> Check:
    """Return the check of DataLoader."""
    return Check(
        question,
        "DataLoader",
        "dtype",
        "float32 samples stay float32",
        _batches,
        weight=0.0,
        needs=(f"{question}.DataLoader.values",),
        target="needle.data.DataLoader.__iter__",
    )


def _batches(trial: Trial) -> None:
    one = Loader(4, 2, passes=(None,))
    arrays = trial.ask("data.loader", one.arguments(), one.arrays()).arrays
    _demand_single("DataLoader: the batches of a float32 dataset are", arrays[:: one.parts])


def _demand_single(text: str, arrays: Iterable[np.ndarray]) -> None:
    for array in arrays:
        if array.dtype != np.float32:
            raise Failure(
                f"{text} {array.dtype}; parameters are float32, so training turns {array.dtype} too",
                help="`np.zeros(shape)` and Python's numbers make float64: give a dtype, as in "
                "`np.zeros(shape, dtype=img.dtype)`",
                group="dtype",
                expected="float32",
                actual=str(array.dtype),
            )
