"""Has the picture of a graph described: by workers of the submission and, beside it, of the reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader import places
from grader.classroom import intake
from grader.errors import GraderError
from grader.homework import picture, survey
from grader.homework.run import Run
from grader.sandbox import identity
from grader.sandbox.channel import Worker
from grader.sandbox.host import Zygote


def drawing(run: Run) -> dict[str, Any] | None:
    """Return the picture's data, None (and a note in the report) where there is no graph to draw."""
    fresh = _Fresh(run.zygote)
    try:
        with _reference(run) as reference:
            return picture.collect(run.results.values(), fresh, reference)
    except picture.NoPicture as reason:
        run.facts.notes.append({"id": "no-picture", "message": f"no picture of the graph: {reason}"})
        return None


class _Fresh:
    """Gives a new worker, for as long as the block lasts."""

    def __init__(self, zygote: Zygote) -> None:
        self.zygote = zygote

    @contextmanager
    def __call__(self) -> Iterator[Worker]:
        worker = self.zygote.worker()
        try:
            yield worker
        finally:
            self.zygote.end(worker)


@contextmanager
def _reference(run: Run) -> Iterator[_Fresh | None]:
    """Yield what gives workers of the reference, None where it is not at hand, as in a student's bundle."""
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        root = Path(folder).resolve() / "submission"
        try:
            taken = intake.take(places.REFERENCE, run.homework.id, root)
        except GraderError:
            yield None
            return
        identity.share(root.parent)
        with Zygote(survey.description(taken, run.homework), root, run.limits, run.zygote.mode) as zygote:
            yield _Fresh(zygote)
