"""A row of the table of ops: what an op is, and the inputs it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework import budgets
from grader.judge import words
from grader.judge.source import Source, plain
from grader.oracle import finite
from grader.oracle.mistakes import Question

Shapes = tuple[tuple[int, ...], ...]
Layout = tuple[Shapes, tuple[Any, ...]]
RANDOM_CASES = 3


@dataclass(frozen=True)
class Domain:
    """Where an input's values lie: from `low` to `high`, none nearer to 0 than `gap`."""

    low: float = -2.0
    high: float = 2.0
    gap: float = 0.0


@dataclass(frozen=True)
class Case:
    """One input of an op: the arrays, the constructor's parameters, a cotangent for its output."""

    inputs: tuple[np.ndarray, ...]
    parameters: tuple[Any, ...]
    cotangent: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order cases: fewer elements first, then fewer axes, then smaller numbers."""
        arrays = [*self.inputs, self.cotangent]
        plainness = sum(int(np.sum(array != np.round(array))) for array in arrays)
        return sum(a.size for a in arrays), sum(a.ndim for a in arrays), plainness

    def plainer(self) -> Iterator[tuple[str, Case]]:
        """Yield the case with inputs that are positive, one row, and a plain cotangent; each in words."""
        if any(np.any(array < 0) for array in self.inputs):
            yield "no input is negative", replace(self, inputs=tuple(np.abs(a) for a in self.inputs))
        x, c = self.inputs[0], self.cotangent
        if (
            len(self.inputs) == 1
            and not self.parameters
            and x.ndim == 2
            and x.shape == c.shape
            and len(c) > 1
        ):
            yield "there is one row", replace(self, inputs=(x[:1],), cotangent=c[:1])
        if np.any(self.cotangent != 1):
            yield "out_grad is all 1", replace(self, cotangent=np.ones_like(self.cotangent))


@dataclass(frozen=True)
class Op:
    """A row: an op of needle, its truth, and the layouts it is tried on.

    `corners` are (shapes of the inputs, parameters), the telling ones first; `draw` makes more.
    `domain_for` tells an input's domain from the parameters, where it depends on them. `points` are inputs
    (and parameters) outside it that have to work too.
    `forms` are further layouts that `compute` has to take. `advised` are layouts that the homework's text
    does not ask for: tried, never scored.
    """

    name: str
    truth: Callable[..., np.ndarray]
    corners: Sequence[Layout]
    draw: Callable[[Source], Layout]
    domains: tuple[Domain, ...] = (Domain(),)
    domain_for: Callable[[tuple[Any, ...]], Domain] | None = None
    points: Sequence[tuple[tuple[tuple[float, ...], ...], tuple[Any, ...]]] = ()
    forms: Sequence[Layout] = ()
    advised: Sequence[Layout] = ()
    advice: str = ""
    asked: Callable[[str], bool] = field(default=lambda starter: True)
    gradient_asked: Callable[[str], bool] | None = None

    @property
    def gradient_nodes(self) -> int:
        """Return how many nodes `gradient` may make."""
        return budgets.gradient(self.name)

    def case(self, source: Source, layout: Layout) -> Case:
        """Return a case of a layout with values from the source."""
        shapes, parameters = layout
        domains = (self.domain_for(parameters),) if self.domain_for else self.domains
        domains = domains * len(shapes) if len(domains) == 1 else domains
        inputs = tuple(
            source.values(shape, domain.low, domain.high, domain.gap)
            for shape, domain in zip(shapes, domains, strict=True)
        )
        return self._made(source, inputs, parameters)

    def _made(self, source: Source, inputs: tuple[np.ndarray, ...], parameters: tuple[Any, ...]) -> Case:
        out = self.truth(*inputs, *parameters)
        return Case(inputs, parameters, source.values(np.shape(out), -2.0, 2.0, 0.25))

    def drawn(self, source: Source) -> Case:
        """Return a case of a drawn layout."""
        return self.case(source, self.draw(source))

    def cases(self, source: Source, random: int = RANDOM_CASES) -> Iterator[Case]:
        """Yield the corner cases, then random ones."""
        for layout in self.corners:
            yield self.case(source, layout)
        for inputs, parameters in self.points:
            yield self._made(source, tuple(np.array(one) for one in inputs), parameters)
        for _ in range(random):
            yield self.drawn(source)

    def arguments(self, case: Case) -> dict[str, Any]:
        """Return the description of the op for a probe."""
        return {"op": self.name, "parameters": plain(case.parameters)}

    def value(self, case: Case) -> np.ndarray:
        """Return the true output."""
        return np.asarray(self.truth(*case.inputs, *case.parameters))

    def function(self, case: Case) -> Callable[..., np.ndarray]:
        """Return the truth as a function of the inputs alone."""
        return lambda *inputs: np.asarray(self.truth(*inputs, *case.parameters))

    def pullback(self, case: Case, cotangent: np.ndarray) -> list[np.ndarray]:
        """Return the true gradients for a cotangent, element by element."""
        function = self.function(case)
        return [finite.gradient(function, case.inputs, i, cotangent) for i in range(len(case.inputs))]

    def question(self, case: Case) -> Question:
        """Return what the known mistakes are tried on."""
        return Question(
            case.inputs, case.parameters, case.cotangent, self.truth, partial(self.pullback, case)
        )

    def shown(self, case: Case, *, with_cotangent: bool) -> dict[str, Any]:
        """Return the case as the report shows it."""
        shown: dict[str, Any] = {"call": f"{self.name}({words.parameters_text(case.parameters)})"}
        shown |= {name: words.excerpt(array) for name, array in zip("ab", case.inputs, strict=False)}
        return shown | ({"out_grad": words.excerpt(case.cotangent)} if with_cotangent else {})
