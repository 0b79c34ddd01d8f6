"""What student code did, as plain data: exceptions, source locations, arrays."""

from __future__ import annotations

import os
import types
from typing import Any

import numpy as np

from grader import wire
from grader.worker import load

MAX_TEXT = 2000
MAX_FRAMES = 6
MAX_BYTES = 256 * 1024 * 1024


class Unusable(Exception):
    """A value that came from student code is not the plain array that was asked for."""


def exception(submission: load.Submission, error: BaseException) -> dict[str, Any]:
    """Return type, text and the submission's own frames (innermost last) of an exception."""
    return {
        "type": _clean(type(error).__name__),
        "text": _text(error).replace(submission.root + os.sep, ""),  # files as the student names them
        "unusable": isinstance(error, Unusable),
        "unfilled": isinstance(error, NotImplementedError),
        "frames": frames(submission, error.__traceback__)[-MAX_FRAMES:],
        "syntax": _syntax(submission, error),
    }


def frames(submission: load.Submission, traceback: types.TracebackType | None) -> list[dict[str, Any]]:
    """Return file, line and function of each frame that lies in the submission."""
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if submission.owns(code.co_filename):
            found.append(submission.place(code, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def array(value: Any, what: str) -> np.ndarray:
    """Return `value`, a Tensor or an array of the submission, as a plain numeric array.

    Raises `Unusable` with a sentence for None, object arrays and things that are not arrays.
    """
    for name in ("realize_cached_data", "numpy"):
        method = getattr(value, name, None)
        if method is not None and not isinstance(value, np.ndarray):
            value = method()
            break
    if value is None:
        raise Unusable(f"{what} is None")
    try:
        plain = np.array(value, copy=True, subok=False)
    except Exception as error:
        raise Unusable(f"{what} is a {type(value).__name__}, not an array") from error
    if plain.dtype.str.replace(">", "<") not in _SENT:
        raise Unusable(f"{what} is a {_clean(type(value).__name__)} of dtype {plain.dtype}")
    if plain.nbytes > MAX_BYTES:
        raise Unusable(f"{what} has shape {plain.shape}, far too large")
    return plain


_SENT = wire.DTYPES


def _text(error: BaseException) -> str:
    try:
        return _clean(str(error))
    except BaseException as second:
        return f"(its text cannot be read: {_clean(type(second).__name__)})"


def _clean(text: Any) -> str:
    plain = str.__getitem__(text, slice(MAX_TEXT)) if isinstance(text, str) else "?"
    return plain.encode("utf-8", "replace").decode("utf-8")


def _syntax(submission: load.Submission, error: BaseException) -> dict[str, Any] | None:
    if not isinstance(error, SyntaxError) or not isinstance(error.filename, str):
        return None
    file = os.path.relpath(error.filename, submission.root) if submission.owns(error.filename) else ""
    line = error.lineno if isinstance(error.lineno, int) else 0
    return {"file": _clean(file), "line": line, "text": _clean(error.msg or "")}
