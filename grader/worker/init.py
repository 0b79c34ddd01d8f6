"""Probe of the initialisers: one call under a known seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.worker import describe, load
from grader.worker.ops import Answer, Arrays


def draw(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Call `needle.init.<function>` after `np.random.seed(seed)`; return its values and its properties."""
    function = submission.find(f"needle.init.{arguments['function']}")
    np.random.seed(arguments["seed"])
    made = function(*arguments["arguments"], **arguments.get("keywords", {}))
    if not isinstance(made, submission.find("needle.autograd.Tensor")):
        raise describe.Unusable(f"the result is a {type(made).__name__}, not a Tensor")
    return {"requires_grad": bool(made.requires_grad)}, [describe.array(made, "the result")]


PROBES = {"init.draw": draw}
