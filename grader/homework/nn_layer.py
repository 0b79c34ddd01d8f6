"""A row of the table of modules, the samples it is tried on, and how it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework.nn_sample import Sample
from grader.homework.trial import Request, Trial
from grader.judge import words
from grader.judge.source import Source, plain
from grader.oracle import finite
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply

RANDOM_SAMPLES = 6
TERMS = 1.0  # inputs and parameters are of this size; what is much smaller is their difference
Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Layer:
    """A row: a module, its truth `truth(*inputs, *written, *settings)`, and how to draw samples of it.

    `trained` names the written attributes that get gradients, `kept` attributes that stay float32.
    `factor` says how much larger than the cotangent the terms may be that add up to a gradient.
    `describe` writes the constructor's call.
    """

    name: str
    truth: Callable[..., np.ndarray]
    samples: Callable[[Source], list[Sample]]
    draw: Callable[[Source], Sample]
    trained: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    forward_mistakes: Sequence[Mistake] = ()
    gradient_mistakes: Sequence[Mistake] = ()
    factor: float = 1.0
    module: Callable[[Sample], dict[str, Any]] | None = None
    suffix: str = ""

    def cases(self, source: Source, random: int = RANDOM_SAMPLES) -> list[Sample]:
        """Return the corner cases, then random ones."""
        return [*self.samples(source), *(self.draw(source) for _ in range(random))]

    def value(self, one: Sample) -> np.ndarray:
        """Return the true output."""
        return np.asarray(self.truth(*one.arrays(), *one.settings))

    def function(self, one: Sample) -> Callable[..., np.ndarray]:
        """Return the truth as a function of the arrays alone."""
        return lambda *arrays: np.asarray(self.truth(*arrays, *one.settings))

    def differentiated(self, one: Sample) -> list[tuple[str, int]]:
        """Return names and positions, among `arrays()`, of what gets a gradient."""
        names = [(name, len(one.inputs) + i) for i, name in enumerate(one.written) if name in self.trained]
        return [("the input", 0), *names]

    def pullback(self, one: Sample, cotangent: np.ndarray) -> list[np.ndarray]:
        """Return the true gradients for a cotangent, element by element."""
        function, arrays = self.function(one), one.arrays()
        return [finite.gradient(function, arrays, i, cotangent) for _, i in self.differentiated(one)]

    def question(self, one: Sample) -> Question:
        """Return what the known mistakes are tried on."""
        pullback = partial(self.pullback, one)
        return Question(tuple(one.arrays()), one.settings, one.cotangent, self.truth, pullback)

    def described(self, one: Sample) -> dict[str, Any]:
        """Return the module as the probe builds it."""
        if self.module is not None:
            return self.module(one)
        return {"class": self.name, "arguments": plain(one.call)}

    def shown(self, one: Sample, *, with_cotangent: bool = False) -> dict[str, Any]:
        """Return the sample as the report shows it."""
        shown: dict[str, Any] = {"call": f"{self.name}({words.parameters_text(one.call)})"}
        shown |= {"mode": one.mode} if self.suffix else {}
        names = ("x", "y")[: len(one.inputs)]
        written = [f"{name} (set to)" for name in one.written]
        shown |= {n: words.excerpt(a) for n, a in zip((*names, *written), one.arrays(), strict=True)}
        return shown | ({"out_grad": words.excerpt(one.cotangent)} if with_cotangent else {})


def request(layer: Layer, one: Sample, *, gradient: bool = False, traced: bool = False) -> Request:
    """Return the question that runs a sample in float32; integer inputs keep their dtype."""
    arguments = {
        "module": layer.described(one),
        "written": list(one.written),
        "steps": [[one.mode, len(one.inputs)]],
        "trace": traced,
        "read": list(layer.kept) if traced else [],
    }
    arrays = [*one.written.values(), *one.inputs]
    if gradient:
        arguments["gradients"] = [name for name, _ in layer.differentiated(one)[1:]]
        arrays.append(one.cotangent)
    sent = [array.astype(np.float32) if array.dtype.kind == "f" else array for array in arrays]
    return Request("nn.run", arguments, sent)


class Prepared(dict[int, Request]):
    """The questions about the cases of a check, posted ahead of their answers, by the case's id."""

    def __init__(
        self, layer: Layer, trial: Trial, cases: Sequence[Sample], *, gradient: bool = False
    ) -> None:
        super().__init__({id(one): request(layer, one, gradient=gradient) for one in cases})
        trial.ahead(self.values())


def ask(layer: Layer, trial: Trial, one: Sample, prepared: Prepared | None = None, **asked: bool) -> Reply:
    """Run a sample, by the prepared question if there is one."""
    posted = prepared.get(id(one)) if prepared else None
    made = posted or request(layer, one, **asked)
    return trial.ask(made.probe, made.arguments, made.arrays, expect=made.expect)
