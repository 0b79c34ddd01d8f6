"""Probes of hw0's functions on plain arrays, and of its C++ extension, loaded from a path of the grader's."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.worker import describe, files, load

Arrays = list[np.ndarray]
Answer = tuple[dict[str, Any], Arrays]
Function = Callable[..., Any]
LARGEST = 4 << 20
FILES = ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz")
UNWRITTEN = "is not written yet"


def add(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Add two numbers (`arguments["numbers"]`) or two arrays; return the sum and the name of its type."""
    function = submission.find("simple_ml.add")
    total = function(*(arguments.get("numbers") or arrays))
    answer = {"type": type(total).__name__, "numpy": type(total).__module__ == "numpy"}
    if type(total) in (int, float):
        return {**answer, "text": repr(total)}, []
    return answer, [describe.array(total, "the sum"), *arrays]


def parse_mnist(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Parse two files (the arrays are their bytes); return X and y, their shapes only if they are large."""
    function = submission.find("simple_ml.parse_mnist")
    with files.given(dict(zip(FILES, arrays, strict=True))) as folder:
        result = function(*(os.path.join(folder, name) for name in FILES))
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise describe.Unusable(f"it returned {kind(result)}, not (X, y)")
    out = [describe.array(one, name) for one, name in zip(result, ("X", "y"), strict=True)]
    facts = {
        "shapes": [list(one.shape) for one in out],
        "dtypes": [str(one.dtype) for one in out],
    }
    is_small = all(one.nbytes <= LARGEST for one in out)
    return facts, out if is_small else []


def softmax_loss(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Return the loss of logits and labels, and both as they are afterwards."""
    return {}, [describe.array(submission.find("simple_ml.softmax_loss")(*arrays), "the loss"), *arrays]


def epoch(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run one epoch of `arguments["function"]`; return what it returned, and X, y, weights after it."""
    function = _function(submission, arguments)
    returned = function(*arrays, arguments["lr"], arguments["batch"])
    return {"returned": "" if returned is None else kind(returned)}, arrays


def race(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Return the seconds that one epoch takes in numpy and in C++, the best of three each."""
    images, labels, theta = arrays
    seconds = []
    for function in (submission.find("simple_ml.softmax_regression_epoch"), _function(submission, arguments)):
        times = []
        for _ in range(3):
            changed = theta.copy()
            started = time.perf_counter()
            function(images, labels, changed, arguments["lr"], arguments["batch"])
            times.append(time.perf_counter() - started)
        seconds.append(min(times))
    return {"numpy": seconds[0], "cpp": seconds[1]}, []


def kind(value: Any) -> str:
    """Return a value's type, with its length or shape, in words."""
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return "None" if value is None else f"a {type(value).__name__}"


def _function(submission: load.Submission, arguments: dict[str, Any]) -> Function:
    """Return the function asked for: of the submission, or of the extension at `arguments["path"]`."""
    if "path" not in arguments:
        return submission.find(f"simple_ml.{arguments['function']}")
    return _written(getattr(extension(arguments["path"], arguments["module"]), arguments["function"]))


def extension(path: str, name: str) -> Any:
    """Load a compiled module from exactly this file; once per worker."""
    known = sys.modules.get(name)
    if getattr(known, "__file__", None) == path:
        return known
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    return module


def _written(function: Function) -> Function:
    """Wrap the extension's function: the exception that its stub throws stands for "not filled in"."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except RuntimeError as error:
            if UNWRITTEN in str(error):
                raise NotImplementedError from None
            raise

    return call


PROBES = {
    "hw0.add": add,
    "hw0.parse_mnist": parse_mnist,
    "hw0.softmax_loss": softmax_loss,
    "hw0.epoch": epoch,
    "hw0.race": race,
}
