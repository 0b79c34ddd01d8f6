"""What a running check has at hand: the worker, its random source, a place for measurements."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from grader.homework.check import Check
from grader.judge.failure import Failure
from grader.judge.search import Budget, Search
from grader.judge.source import RandomSource, Source
from grader.sandbox.channel import Raised, Reply, Ticket, Worker, WorkerFault

if TYPE_CHECKING:
    from grader.homework.extension import Built

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """A question to a worker."""

    probe: str
    arguments: dict[str, Any]
    arrays: list[np.ndarray]
    expect: int = 1 << 20

    def equals(self, other: Request) -> bool:
        """Tell whether two requests are the same question about the same arrays."""
        return (
            self.probe == other.probe
            and len(self.arrays) == len(other.arrays)
            and all(a is b for a, b in zip(self.arrays, other.arrays, strict=True))
            and self.arguments == other.arguments
        )


@dataclass
class Trial:
    """One check being run on one submission."""

    check: Check
    worker: Callable[[], Worker]
    source: RandomSource
    budget: Budget
    starter: str = ""
    built: Built | None = None
    measurements: dict[str, Any] = field(default_factory=dict)
    subject: dict[str, list[Any]] = field(default_factory=dict)
    posted: deque[tuple[Request, Worker, Ticket]] = field(default_factory=deque)

    def remember(self, kind: str, observation: Any) -> None:
        """Keep an observation for the later checks of the same subject."""
        self.subject.setdefault(kind, []).append(observation)

    def seen(self, kind: str) -> list[Any]:
        """Return what this check and the earlier ones of the same subject have remembered."""
        return list(self.subject.get(kind, []))

    def examined(self, examination: Any) -> None:
        """Be told how inputs are going to be examined; `explain` listens."""

    def ask(
        self, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], *, expect: int = 1 << 20
    ) -> Reply:
        """Ask the worker; student exceptions come out as `Failure`."""
        request = Request(probe, arguments, arrays, expect)
        try:
            if self.posted and self.posted[0][0].equals(request):
                _, worker, ticket = self.posted.popleft()
                return worker.collect(ticket)
            return self._settled().ask(probe, arguments, arrays, expect=expect)
        except Raised as error:
            raise failure_of(error.what, self.check.function) from error

    def ahead(self, requests: Iterable[Request]) -> None:
        """Post requests that `ask` is going to make, in this order, so that the worker can go ahead."""
        worker = self._settled()
        for request in requests:
            ticket = worker.post(request.probe, request.arguments, request.arrays, expect=request.expect)
            self.posted.append((request, worker, ticket))

    def _settled(self) -> Worker:
        """Return a living worker that owes no reply."""
        if self.posted:
            self.posted.popleft()[1].settle()
            self.posted.clear()
        return self.worker()

    def search(
        self,
        inputs: Iterable[T],
        examine: Callable[[T], None],
        draw: Callable[[Source], T] | None,
        size: Callable[[T], tuple[int, ...]],
    ) -> tuple[T, Failure] | None:
        """Run `examine` on inputs until one raises `Failure`; return the smallest such input."""

        def caught(one: T) -> Failure | None:
            try:
                examine(one)
            except Failure as failure:
                return failure
            return None

        return Search(caught, draw, size, self.budget).first(inputs)

    def once_more(self, examine: Callable[[], None]) -> None:
        """Examine the input that is going to be shown again; of what was printed the report keeps this."""
        worker = self._settled()
        worker.drain()
        if not worker.output.take():
            return
        with contextlib.suppress(Failure, WorkerFault):
            examine()


def failure_of(what: dict[str, Any], function: str) -> Failure:
    """Return the failure that a student's exception stands for; the text comes from the worker."""
    frames = [frame for frame in what.get("frames") or [] if isinstance(frame, dict)]
    location = frames[-1] if frames else None
    kind, text = str(what.get("type", "")), str(what.get("text", ""))
    if what.get("unusable"):
        return Failure(f"{function}: {text}", location=location, group="unusable")
    if what.get("unfilled"):
        name = str(location["function"]) if location else function
        return Failure(
            f"{name} is not filled in yet",
            help="write it between the solution marks",
            location=location,
            verdict="error",
            group="unfilled",
        )
    where = str(location["function"]) if location else function
    caller = _caller(frames, function)
    help_text = hint(kind, text)
    return Failure(
        f"{f'{function}: ' if caller else ''}{where} raised {kind}: {text}".rstrip(": "),
        help=help_text,
        location=caller or location,
        verdict="error",
        group=f"raised {kind}",
    )


def _caller(frames: list[dict[str, Any]], function: str) -> dict[str, Any] | None:
    """Return the line of the function under test from which an op got what its `compute` cannot take."""
    if (
        not frames
        or frames[-1]["function"] == function
        or not str(frames[-1]["function"]).endswith(".compute")
    ):
        return None
    return next((frame for frame in reversed(frames) if frame["function"] == function), None)


def hint(kind: str, text: str) -> str:
    """Return what to do next about a common exception, "" when there is nothing better to say."""
    for needle, advice in HINTS:
        if needle in f"{kind}: {text}":
            return advice
    return ""


HINTS = [
    (
        "has no attribute 'compact'",
        "`compact` belongs to hw3's own array backend; in this homework arrays are numpy's",
    ),
    ("has no attribute 'pow'", "`np.pow` exists since numpy 2.1 only; use `**` or `np.power`"),
    ("axes don't match array", "`axes` is the pair to swap; `np.transpose` wants a permutation of all axes"),
    ("BdbQuit", "a call of the debugger is left in; take it out (under --debug it works)"),
    ("fromstring", "`np.fromstring` on bytes is gone; use `np.frombuffer`"),
    ("numpy.core", "`numpy.core` is private and has moved; import from `numpy` itself"),
    ("RecursionError", "the recursion goes deeper than Python allows: does it ever end?"),
    ("'NoneType' object", "a function you call returns None: is a `return` missing?"),
    ("is not available to the grader", "the grader offers numpy and the standard library only"),
]
