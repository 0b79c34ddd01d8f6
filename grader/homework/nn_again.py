"""What a module must leave as it is: float32, and the next batch's freedom to have another size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from grader.homework.trial import Request
from grader.judge.failure import Failure

SIZES = "keep no batch size: read it from the input's shape in each call of `forward`"
NARROW = "a numpy float64 scalar, or an array without dtype, widens the result; Python floats are safe"


def after_longer(asked: Request, inputs: int) -> Request:
    """Return a question of one step with a batch of one row more before it: there are two outputs then."""
    written, given = asked.arrays[:-inputs], asked.arrays[-inputs:]
    longer = [np.concatenate([array, array[:1]]) for array in given]
    arguments = asked.arguments | {"steps": asked.arguments["steps"] * 2}
    return replace(asked, arguments=arguments, arrays=[*written, *longer, *given])


@contextmanager
def second_batch(name: str, rows: int, shown: dict[str, Any]) -> Iterator[None]:
    """Say of a failure that it comes of a longer batch before."""
    try:
        yield
    except Failure as failure:
        failure.message = (
            f"{name} does not work for a batch of {rows} rows after one of {rows + 1}: {failure.message}"
        )
        failure.help, failure.counterexample = SIZES, shown
        raise


def demand_narrow(name: str, attributes: Sequence[str], arrays: Sequence[np.ndarray]) -> None:
    """Raise a failure for an attribute that a float32 batch left wider than float32."""
    for attribute, array in zip(attributes, arrays, strict=True):
        if array.dtype != np.float32:
            raise Failure(
                f"{name}.{attribute} is {array.dtype} after a float32 batch in training, expected float32: "
                f"outputs in eval are {array.dtype} then",
                group="dtype",
                expected="float32",
                actual=str(array.dtype),
                help=NARROW,
            )


def demand_single(name: str, out: np.ndarray, widened: Any, shown: dict[str, Any]) -> None:
    """Raise a failure if an output is not float32, naming the first node that is wider than its inputs."""
    if out.dtype == np.float32 or out.ndim == 0:  # numpy 1 itself widens 0-d arrays
        return
    place = widened if isinstance(widened, dict) else None
    first = f", first in {place['op'] or 'a new Tensor'} at {place['file']}:{place['line']}" if place else ""
    raise Failure(
        f"{name} turns float32 into {out.dtype}{first} (numpy {np.__version__})",
        group="dtype",
        counterexample=shown,
        location={key: place[key] for key in ("file", "line", "function")} if place else None,
        expected="float32",
        actual=str(out.dtype),
        help=NARROW,
    )
