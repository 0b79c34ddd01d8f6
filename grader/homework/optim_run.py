"""A run of an optimiser: parameters, the gradients of every step, settings; and how such runs are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from grader.judge.source import Source
from grader.oracle.optim import Settings

STEPS = 10
DECAYS = (0.0, 0.25)
RATES = (0.125, 0.25, 0.5)
BETAS = ((0.9, 0.999), (0.5, 0.75))


@dataclass(frozen=True)
class Run:
    """Parameters, the distinct gradients, and for each step which gradient each parameter has (or None)."""

    parameters: tuple[np.ndarray, ...]
    gradients: tuple[np.ndarray, ...]
    rows: tuple[tuple[int | None, ...], ...]
    settings: Settings
    groups: tuple[tuple[int, ...], ...] = ()

    def size(self) -> tuple[int, ...]:
        """Order by steps, then by numbers."""
        return len(self.rows), sum(p.size for p in self.parameters)

    def arrays(self) -> list[np.ndarray]:
        """Return parameters and gradients in the order of the probe."""
        return [*self.parameters, *self.gradients]

    def table(self) -> list[list[np.ndarray | None]]:
        """Return the gradients by step and parameter."""
        return [[None if n is None else self.gradients[n] for n in row] for row in self.rows]

    def plainer(self) -> Iterator[tuple[str, Run]]:
        """Yield runs with one step, usual settings, no missing gradient, no zero, one parameter, in words."""
        usual = Settings()
        if len(self.rows) > 1:
            yield "it is the first step", replace(self, rows=self.rows[:1])
        for name in ("beta1", "beta2"):
            yield f"{name} is 0", replace(self, settings=replace(self.settings, **{name: 0.0}))
        for name in ("momentum", "weight_decay", "eps"):
            value = getattr(usual, name)
            if getattr(self.settings, name) != value:
                settings = replace(self.settings, **{name: value})
                yield f"{name} is {value:g}", replace(self, settings=settings)
        if any(n is None for row in self.rows for n in row):
            first = next((n for row in self.rows for n in row if n is not None), 0)
            full = tuple(tuple(first if n is None else n for n in row) for row in self.rows)
            yield "every parameter has a gradient in every step", replace(self, rows=full)
        if any(np.any(g == 0) for g in self.gradients):
            nonzero = tuple(np.where(g == 0, np.float32(1), g) for g in self.gradients)
            yield "no gradient is 0", replace(self, gradients=nonzero)
        if self.groups:
            yield "there is one optimiser", replace(self, groups=())
        elif len(self.parameters) > 1:
            first_alone = tuple(row[:1] for row in self.rows)
            yield "there is one parameter", replace(self, parameters=self.parameters[:1], rows=first_alone)


def draw_run(
    source: Source,
    settings: Settings | None = None,
    *,
    steps: int = 0,
    twins: bool = False,
    hold: bool = False,
) -> Run:
    """Return a run of one to three parameters of one shape, with a new gradient for each in every step.

    `twins`: at least two parameters, with equal values. `hold`: some gradients stay for two steps.
    """
    steps = steps or source.integer(1, STEPS)
    count = source.integer(2, 3) if twins else source.integer(1, 3)
    shapes = [source.choice([(2,), (1, 3), (2, 2), (1,), (3, 2)])] * count
    parameters = [single(source.values(shape, -2.0, 2.0, 0.25)) for shape in shapes]
    if twins:
        parameters = [parameters[0].copy() for _ in shapes]
    gradients = tuple(single(source.values(s, -1.0, 1.0, 0.125)) for _ in range(steps) for s in shapes)
    times = [t - 1 if hold and t % 3 == 2 else t for t in range(steps)]
    rows = tuple(tuple(t * count + i for i in range(count)) for t in times)
    return Run(tuple(parameters), gradients, rows, settings or draw_settings(source))


def single(values: np.ndarray) -> np.ndarray:
    """Return values in float32."""
    return values.astype(np.float32)


def draw_settings(source: Source) -> Settings:
    """Return settings for either optimiser; everything at its plainest comes first."""
    beta1, beta2 = source.choice(BETAS)
    return Settings(
        lr=source.choice(RATES),
        momentum=source.choice((0.0, 0.5, 0.9)),
        weight_decay=source.choice(DECAYS),
        beta1=beta1,
        beta2=beta2,
    )


def every_setting(name: str, source: Source) -> list[Settings]:
    """Return every combination of momentum (or betas) and weight decay, each with a rate."""
    if name == "SGD":
        return [Settings(source.choice(RATES), m, decay) for m in (0.0, 0.9, 0.5) for decay in DECAYS]
    return [
        Settings(source.choice(RATES), weight_decay=decay, beta1=b1, beta2=b2)
        for b1, b2 in BETAS
        for decay in DECAYS
    ]
