"""Runs functions of the course's own test files, with a stand-in for `mugrade` that keeps what is submitted.

A test file arrives as text and is executed as a module of its own in this worker. The submitted values stay
here until they are asked for, described as plain data with their arrays.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

import numpy as np

from grader.worker import describe, hw0, load

Arrays = list[np.ndarray]
Answer = tuple[dict[str, Any], Arrays]
MOST_VALUES, MOST_DEPTH, MOST_TEXT = 2000, 8, 500


def run(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Execute a test file (its bytes are the array) and call one of its functions without arguments.

    Returns how many values were submitted, and the exception that ended the function, if one did.
    `extension` is the path of a compiled module to be had under its name.
    """
    values: list[Any] = []
    submission.submitted = values  # type: ignore[attr-defined]
    sys.modules["mugrade"] = _mugrade(values)
    sys.modules.setdefault("pytest", _pytest())
    if arguments.get("extension"):
        hw0.extension(arguments["extension"], "simple_ml_ext")
    raised = None
    try:
        _module(submission, arguments["file"], arrays[0].tobytes()).__dict__[arguments["function"]]()
    except BaseException as error:  # student code and test code may raise anything
        raised = describe.exception(submission, error)
    return {"count": len(values), "raised": raised}, []


def value(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Return one submitted value: a description, and the arrays in it in the order of their numbers."""
    found: Arrays = []
    described = _described(submission.submitted[arguments["number"]], found, 0)  # type: ignore[attr-defined]
    return {"value": described}, found


def _mugrade(values: list[Any]) -> types.ModuleType:
    """Return a module `mugrade` whose `submit` keeps a copy of its argument; its other names do nothing."""
    module = types.ModuleType("mugrade")

    def submit(value: Any, *_: Any, **__: Any) -> None:
        if len(values) < MOST_VALUES:
            values.append(_copied(value))

    module.submit = submit  # type: ignore[attr-defined]
    module.__getattr__ = _anything  # type: ignore[method-assign]
    return module


def _copied(value: Any) -> Any:
    """Return a value that later changes in place do not reach."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(_copied(one) for one in value)
    return value


def _pytest() -> types.ModuleType:
    """Return a module in the place of pytest: its marks and fixtures leave functions as they are."""
    module = types.ModuleType("pytest")
    module.__getattr__ = _anything  # type: ignore[method-assign]
    return module


class _Anything:
    """Has every attribute, and called with a function returns that function."""

    def __getattr__(self, name: str) -> Any:
        return _anything(name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) and not keywords else self


def _anything(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything()


def _module(submission: load.Submission, name: str, source: bytes) -> types.ModuleType:
    """Execute a test file once in this process."""
    title = os.path.splitext(os.path.basename(name))[0]
    module = types.ModuleType(title)
    module.__file__ = os.path.join(submission.root, "tests", os.path.basename(name))
    sys.modules[title] = module
    exec(compile(source, module.__file__, "exec", dont_inherit=True), module.__dict__)
    return module


def _described(value: Any, arrays: Arrays, depth: int) -> dict[str, Any]:
    """Return a value as plain data; `array` is the number of its array."""
    if depth > MOST_DEPTH:
        return {"kind": "other", "type": "nested too deep"}
    if isinstance(value, type):
        return {"kind": "type", "name": value.__name__}
    if isinstance(value, np.dtype):
        return {"kind": "dtype", "name": value.name}
    if value is None or isinstance(value, (bool, str)):
        return {"kind": type(value).__name__, "text": str(value)[:MOST_TEXT]}
    if isinstance(value, dict):
        pairs = [(str(key)[:MOST_TEXT], _described(one, arrays, depth + 1)) for key, one in value.items()]
        return {"kind": "dict", "items": [one for _, one in pairs], "keys": [key for key, _ in pairs]}
    if isinstance(value, (tuple, list)):
        return {"kind": type(value).__name__, "items": [_described(one, arrays, depth + 1) for one in value]}
    return _numbers(value, arrays)


def _numbers(value: Any, arrays: Arrays) -> dict[str, Any]:
    kind = type(value).__name__
    if isinstance(value, int) and abs(value) >= 2**63:
        return {"kind": "int", "text": str(value)[:MOST_TEXT]}
    try:
        arrays.append(describe.array(value, "a value"))
    except describe.Unusable:
        return {"kind": "other", "type": kind}
    if isinstance(value, (int, float, complex, np.generic)):
        return {"kind": "number", "type": kind, "array": len(arrays) - 1}
    return {"kind": "array", "type": kind, "array": len(arrays) - 1}


PROBES = {"official.run": run, "official.value": value}
