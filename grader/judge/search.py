"""The search for an input that fails, and for the smallest one, which is what a person sees."""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from grader.judge.failure import Failure
from grader.judge.source import HypothesisSource, Source

T = TypeVar("T")
EXAMPLES = 150


@dataclass
class Budget:
    """Seconds that a whole run may spend on making counterexamples smaller."""

    per_check: float = 0.8
    total: float = 4.0
    spent: float = 0.0

    def allowance(self) -> float:
        """Return the seconds that the next search may take."""
        return max(0.0, min(self.per_check, self.total - self.spent))


@dataclass
class Search(Generic[T]):
    """How to find the smallest failing input of one check.

    `examine` returns the failure that an input shows, or None; `draw` makes an input from a source;
    `size` orders inputs, smaller is simpler.
    """

    examine: Callable[[T], Failure | None]
    draw: Callable[[Source], T] | None
    size: Callable[[T], tuple[int, ...]]
    budget: Budget = field(default_factory=Budget)

    def first(self, inputs: Iterable[T]) -> tuple[T, Failure] | None:
        """Return the smallest failing input that can be found and its failure, None if all pass."""
        for one in inputs:
            failure = self.examine(one)
            if failure is not None:
                return self.smallest(one, failure)
        return None

    def smallest(self, failing: T, failure: Failure) -> tuple[T, Failure]:
        """Return a failing input no larger than `failing` that fails in the same way."""
        seconds = self.budget.allowance()
        if self.draw is None or seconds <= 0 or failure.group == "unfilled":
            return failing, failure
        best = [(failing, failure)]
        self._shrink(best, seconds)
        return best[0]

    def _shrink(self, best: list[tuple[T, Failure]], seconds: float) -> None:
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import HypothesisException
        from hypothesis.strategies import composite

        started = time.monotonic()
        draw_input = self.draw
        assert draw_input is not None

        @composite
        def inputs(draw: Callable[..., object]) -> T:
            return draw_input(HypothesisSource(types.SimpleNamespace(draw=draw)))  # type: ignore[arg-type]

        def fails(one: T) -> bool:
            if time.monotonic() > started + seconds:
                return False
            failure = self.examine(one)
            if failure is None or failure.group != best[0][1].group:
                return False
            if self.size(one) <= self.size(best[0][0]):
                best[0] = (one, failure)
            return True

        quiet = settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            derandomize=True,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        with contextlib.suppress(HypothesisException), _no_constants():
            find(inputs(), fails, settings=quiet)  # if nothing smaller fails, the input at hand stays
        self.budget.spent += time.monotonic() - started


@contextlib.contextmanager
def _no_constants() -> Iterator[None]:
    """Keep hypothesis from reading the constants of all modules that are loaded.

    It draws them as inputs, for tests of the modules themselves. Here that takes longer than the search,
    makes inputs depend on what happens to be loaded, and leaves `.hypothesis` where the student works.
    """
    from hypothesis.internal.conjecture import providers

    original = getattr(providers, "_get_local_constants", None)  # hypothesis 6.131 and later
    if original is None:
        yield
        return
    known = providers._local_constants
    providers._get_local_constants = lambda: known
    try:
        yield
    finally:
        providers._get_local_constants = original
