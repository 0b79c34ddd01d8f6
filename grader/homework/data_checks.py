"""The checks of transforms and of the given dataset, and the question of all data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.digits_checks import mnist
from grader.homework.examine import Examination, demand
from grader.homework.loader_checks import loader
from grader.homework.narrow_checks import loader_check, transform_check
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import data as truth
from grader.oracle import mistakes_transforms
from grader.oracle.mistakes import Mistake, Question

TIMES = 6
CROP_TIMES = 8
BUILD = "build a new array; the dataset hands out the same image again in the next epoch"
PROBABILITIES = (0.5, 0.25, 0.75, 0.0, 1.0)


@dataclass(frozen=True)
class Image:
    """An image `(height, width, channels)` float32, a transform's parameter, and the seed of its draws."""

    image: np.ndarray
    parameter: float
    seed: int
    times: int

    def size(self) -> tuple[int, ...]:
        """Order by the number of pixels, then of calls."""
        return (self.image.size, self.times)

    def square(self) -> Image:
        """Return the image cut to a square."""
        side = min(self.image.shape[:2])
        return replace(self, image=np.ascontiguousarray(self.image[:side, :side]))

    def plainer(self) -> Iterator[tuple[str, Image]]:
        """Yield the image made square, and with one channel; each said in words."""
        height, width, channels = self.image.shape
        if height != width:
            yield "the image is square", self.square()
        if channels > 1:
            yield "there is one channel", replace(self, image=self.image[..., :1].copy())


def data(question: str) -> tuple[Check, ...]:
    """Return the checks of the whole question."""
    return (
        *_flip(question),
        *_crop(question),
        *mnist(question),
        *loader(question),
        loader_check(question),
        _ndarray(question),
    )


def draw_flip(source: Source) -> Image:
    """Return an image of up to 4 by 4 pixels and a probability."""
    shape = (source.integer(2, 4), source.integer(2, 4), source.choice([1, 2, 3]))
    pixels = source.values(shape, 0.0, 4.0).astype(np.float32)
    return Image(pixels, source.choice(PROBABILITIES), source.integer(0, 999), TIMES)


def draw_crop(source: Source) -> Image:
    """Return an image of 4 to 6 by 4 to 6 pixels and a padding of up to 3."""
    shape = (source.integer(4, 6), source.integer(4, 6), source.choice([1, 2, 3]))
    pixels = source.values(shape, 0.5, 4.0).astype(np.float32)
    return Image(pixels, source.integer(1, 3), source.integer(0, 999), CROP_TIMES)


def _flip(question: str) -> tuple[Check, ...]:
    return _transform(
        question, "RandomFlipHorizontal", "mirrored left to right with probability p", draw_flip, truth.flips,
        mistakes_transforms.FLIP,
    )  # fmt: skip


def _crop(question: str) -> tuple[Check, ...]:
    return _transform(
        question, "RandomCrop", "padded with zeros and cut out, shifted as drawn", draw_crop, truth.crops,
        mistakes_transforms.CROP,
    )  # fmt: skip


def _transform(
    question: str,
    name: str,
    title: str,
    draw: Callable[[Source], Image],
    right: Callable[..., list[np.ndarray]],
    mistakes: Sequence[Mistake],
) -> tuple[Check, ...]:
    make = partial(Check, question, name, target=f"needle.data.{name}.__call__")
    values = partial(_transformed, name, draw, right, mistakes)
    return (
        make("values", title, values, weight=4.0),
        make(
            "hygiene", "the image that goes in stays as it is", partial(_kept, name, draw),
            needs=(f"{question}.{name}.values",),
        ),
        transform_check(
            question, name, lambda trial: _ask_transform(trial, name, draw(trial.source)),
            f"{question}.{name}.values",
        ),
    )  # fmt: skip


def _ask_transform(trial: Trial, name: str, one: Image) -> Any:
    arguments = {"class": name, "parameters": [one.parameter], "seed": one.seed, "times": one.times}
    return trial.ask("data.transform", arguments, [one.image])


def _transformed(
    name: str,
    draw: Callable[[Source], Image],
    right: Callable[..., list[np.ndarray]],
    mistakes: Sequence[Mistake],
    trial: Trial,
) -> None:
    cases = [draw(trial.source) for _ in range(10)]
    if name == "RandomFlipHorizontal":
        cases = [replace(one, parameter=p) for one, p in zip(cases, PROBABILITIES * 2, strict=True)]
    cases += [one.square() for one in cases[:2]]

    def true(one: Image) -> list[np.ndarray]:
        return [np.asarray(x, np.float64) for x in right(one.image, one.parameter, one.seed, one.times)]

    changes = []

    def ask(one: Image) -> list[np.ndarray]:
        reply = _ask_transform(trial, name, one)
        changes.append(bool(reply.values.get("changed")))
        return reply.arrays

    examination = Examination(
        function=name,
        cases=cases,
        ask=ask,
        right=true,
        names=[f"the image after call {i + 1}" for i in range(max(TIMES, CROP_TIMES))],
        shown=partial(_shown, name),
        question=lambda one: Question((one.image,), (one.parameter, one.seed, one.times)),
        mistakes=mistakes,
        draw=draw,
        size=Image.size,
        plainer=Image.plainer,
    )
    try:
        examination.run(trial)
    except Failure as failure:
        if any(changes) and failure.known_mistake is None:
            failure.symptom = failure.message.removeprefix(f"{name}: ")
            failure.message, failure.help = f"{name} changes the image that it is given", BUILD
        raise


def _shown(name: str, one: Image) -> dict[str, Any]:
    shown = {"img": words.excerpt(one.image), "np.random.seed": one.seed, "calls": one.times}
    if name == "RandomCrop":
        drawn = truth.shifts(int(one.parameter), one.seed, one.times)
        return shown | {"padding": one.parameter, "shift_x, shift_y": [list(pair) for pair in drawn]}
    return shown | {"p": one.parameter}


def _kept(name: str, draw: Callable[[Source], Image], trial: Trial) -> None:
    for one in [draw(trial.source) for _ in range(4)]:
        if _ask_transform(trial, name, one).values.get("changed"):
            raise Failure(
                f"{name} changes the image that it is given",
                help=BUILD,
                counterexample=_shown(name, one),
                group="changed",
            )


def _ndarray(question: str) -> Check:
    return Check(
        question,
        "NDArrayDataset",
        "values",
        "one row of each array per sample",
        _rows,
        weight=0.0,
        target="needle.data.NDArrayDataset.__getitem__",
        needs=(f"{question}.DataLoader.values",),
    )


def _rows(trial: Trial) -> None:
    arrays = [trial.source.values((5, 2), -1.0, 1.0), np.arange(5.0)]
    reply = trial.ask("data.dataset", {"indices": [3, 0]}, arrays)
    right = [array[i] for i in (3, 0) for array in arrays]
    demand(reply.arrays, right, [f"NDArrayDataset: part {i % 2} of a sample" for i in range(4)])
    if reply.values.get("length") != 5:
        raise Failure(f"NDArrayDataset: len is {reply.values.get('length')}, expected 5", group="length")
