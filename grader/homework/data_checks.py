"""The checks of transforms, datasets and the loader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import Examination, demand
from grader.homework.loader_checks import loader
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import data as truth
from grader.oracle import idx, mistakes_data
from grader.oracle.mistakes import Mistake, Question

TIMES = 6
CROP_TIMES = 8
PROBABILITIES = (0.5, 0.25, 0.75, 0.0, 1.0)
EXACT = 2.0**-20  # pixels are bytes by 255, whatever the dtype they are divided in


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


def data(question: str) -> tuple[Check, ...]:
    """Return the checks of the whole question."""
    return (*_flip(question), *_crop(question), *_mnist(question), *loader(question), _ndarray(question))


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


def _square(image: Image) -> Image:
    side = min(image.image.shape[:2])
    return replace(image, image=np.ascontiguousarray(image.image[:side, :side]))


def _flip(question: str) -> tuple[Check, ...]:
    return _transform(
        question, "RandomFlipHorizontal", "mirrored left to right with probability p", draw_flip, truth.flips,
        mistakes_data.FLIP,
    )  # fmt: skip


def _crop(question: str) -> tuple[Check, ...]:
    return _transform(
        question, "RandomCrop", "padded with zeros and cut out, shifted as drawn", draw_crop, truth.crops,
        mistakes_data.CROP,
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
    cases += [_square(one) for one in cases[:2]]

    def true(one: Image) -> list[np.ndarray]:
        return [np.asarray(x, np.float64) for x in right(one.image, one.parameter, one.seed, one.times)]

    Examination(
        function=name,
        cases=cases,
        ask=lambda one: _ask_transform(trial, name, one).arrays,
        right=true,
        names=[f"the image after call {i + 1}" for i in range(max(TIMES, CROP_TIMES))],
        shown=partial(_shown, name),
        question=lambda one: Question((one.image,), (one.parameter, one.seed, one.times)),
        mistakes=mistakes,
        draw=draw,
        size=Image.size,
    ).run(trial)


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
                help="build a new array; the dataset hands out the same image again in the next epoch",
                counterexample=_shown(name, one),
                group="changed",
            )


@dataclass(frozen=True)
class Digits:
    """Two files: pixels `(n, 28, 28)` and labels `(n,)`, uint8; the indices to take; transforms by name."""

    pixels: np.ndarray
    classes: np.ndarray
    indices: tuple[Any, ...]
    transforms: tuple[str, ...] = ()

    def size(self) -> tuple[int, ...]:
        """Order by the number of images."""
        return (len(self.pixels),)


def draw_digits(source: Source, *, most: int = 9) -> Digits:
    """Return one to nine images; somewhere a 0 and a 255, each image with a range of its own."""
    count = source.integer(1, most)
    shades = source.values((count, 28, 28), 0.0, 1.0)
    darkest = np.array([source.integer(0, 40) for _ in range(count)])[:, None, None]
    brightest = np.array([source.integer(64, 250) for _ in range(count)])[:, None, None]
    pixels = (darkest + shades * (brightest - darkest)).astype(np.uint8)
    pixels[0, 3, 5], pixels[0, 7, 2] = 0, 255
    classes = np.array([source.integer(0, 9) for _ in range(count)], dtype=np.uint8)
    last = count - 1
    some = [source.integer(0, last) for _ in range(source.integer(1, 4))]
    many = [{"slice": [last // 2, count, None]}, {"array": some}, {"slice": [None, None, 2]}]
    return Digits(pixels, classes, (0, last, *many))


def _python(index: Any) -> Any:
    if isinstance(index, dict):
        return slice(*index["slice"]) if "slice" in index else np.array(index["array"])
    return index


def _index_text(index: Any) -> str:
    if isinstance(index, dict):
        return str(index.get("array") or ":".join("" if i is None else str(i) for i in index["slice"]))
    return str(index)


def _apply(names: Sequence[str], image: np.ndarray) -> np.ndarray:
    steps: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "mirror": lambda x: np.flip(x, 1),
        "double": lambda x: x * 2,
        "lift": lambda x: x + 1,
    }
    for name in names:
        image = steps[name](image)
    return image


def _mnist(question: str) -> tuple[Check, ...]:
    make = partial(Check, question, "MNISTDataset", target="needle.data.MNISTDataset.__getitem__")
    first = (f"{question}.MNISTDataset.values",)
    return (
        make("values", "image and label by int, and the length", _one_index, weight=3.0),
        make("indices", "images and labels by slice and by array", _many_indices, weight=2.0, needs=first),
        make("transforms", "transforms of each image, in order", _transforms, weight=2.0, needs=first),
        make("dtype", "images are float32", _image_dtype, weight=0.0, needs=first),
    )  # fmt: skip


def _ask_digits(trial: Trial, one: Digits, index: Any) -> list[np.ndarray]:
    files = [_bytes(idx.images(one.pixels)), _bytes(idx.labels(one.classes))]
    arguments = {"indices": [index], "transforms": list(one.transforms)}
    try:
        reply = trial.ask("data.mnist", arguments, files)
    except Failure as failure:
        if " raised " in failure.message:
            failure.message += f" (asked for dataset[{_index_text(index)}])"
        raise
    if reply.values.get("length") != len(one.pixels):
        raise Failure(
            f"MNISTDataset: len(dataset) is {reply.values.get('length')}, expected {len(one.pixels)}",
            group="length",
        )
    _look_at_seen(one, reply.values.get("seen") or [])
    return reply.arrays


def _look_at_seen(one: Digits, seen: list[Any]) -> None:
    """Refuse transforms that are given flat images; `(28, 28)` is as good as `(28, 28, 1)` to ours."""
    flat = [shape for shape in seen if len(shape) < 2]
    if flat:
        raise Failure(
            f"MNISTDataset: the transforms get an image of shape {tuple(flat[0])}, expected (28, 28, 1)",
            help="reshape the image before the transforms see it",
            group="transforms",
        )


def _bytes(content: bytes) -> np.ndarray:
    return np.frombuffer(content, dtype=np.uint8)


def _sample(one: Digits, index: Any, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return image and label in the oracle's shape: images may be flat or lack the last axis."""
    right = _right_sample(one, index)
    image, label = arrays[:2]
    lead = right[0].shape[:-3]
    if image.shape in {(*lead, 784), (*lead, 28, 28), (*lead, 28, 28, 1)}:
        image = image.reshape(right[0].shape)
    if label.size == right[1].size and label.ndim <= 1:
        label = label.reshape(right[1].shape)
    return [image, label.astype(np.float64)]


def _right_sample(one: Digits, index: Any) -> list[np.ndarray]:
    images, classes = truth.mnist(one.pixels, one.classes)
    chosen = images[_python(index)]
    flat = chosen.reshape(-1, 28, 28, 1)
    images = np.array([_apply(one.transforms, image) for image in flat]).reshape(chosen.shape)
    return [images, np.asarray(classes[_python(index)])]


Indexed = tuple[Digits, Any]


def _examine_digits(trial: Trial, cases: Sequence[Indexed], mistakes: Sequence[Mistake], draw: Any) -> None:
    Examination(
        function="MNISTDataset",
        cases=cases,
        ask=lambda one: _sample(*one, _ask_digits(trial, *one)),
        right=lambda one: _right_sample(*one),
        names=[],
        shown=_shown_digits,
        question=lambda one: Question(
            (one[0].pixels, one[0].classes), (_python(one[1]), partial(_apply, one[0].transforms))
        ),
        mistakes=mistakes,
        draw=draw,
        size=lambda one: one[0].size(),
        demand=lambda one, mine: demand(mine, _right_sample(*one), _part_names(one[1]), extra=EXACT),
    ).run(trial)


def _part_names(index: Any) -> list[str]:
    where = f"dataset[{_index_text(index)}]"
    return [f"MNISTDataset: the image of {where}", f"MNISTDataset: the label of {where}"]


def _shown_digits(one: Indexed) -> dict[str, Any]:
    digits, index = one
    return {
        "images": len(digits.pixels),
        "pixels": f"uint8 from {digits.pixels.min()} to {digits.pixels.max()}",
        "labels": words.excerpt(digits.classes),
        "index": _index_text(index),
        "transforms": list(digits.transforms),
    }


def _one_index(trial: Trial) -> None:
    drawn = [draw_digits(trial.source, most=most) for most in (9, 1, 5)]
    cases = [(one, index) for one in drawn for index in one.indices[:2]]
    _examine_digits(trial, cases, mistakes_data.MNIST, None)


def _many_indices(trial: Trial) -> None:
    one = draw_digits(trial.source)
    _examine_digits(trial, [(one, index) for index in one.indices[2:]], mistakes_data.MNIST, None)


def _transforms(trial: Trial) -> None:
    one = draw_digits(trial.source)
    several = [replace(one, transforms=names) for names in (("mirror", "lift", "double"), ("mirror",))]
    cases = [(digits, index) for digits in several for index in (one.indices[1], *one.indices[2:4])]
    _examine_digits(trial, cases, mistakes_data.TRANSFORMS, None)


def _image_dtype(trial: Trial) -> None:
    one = draw_digits(trial.source)
    dtype = _ask_digits(trial, one, 0)[0].dtype
    if dtype != np.float32:
        raise Failure(
            f"MNISTDataset gives {dtype} images; parameters are float32, so training turns {dtype} too",
            help="read the pixels with `.astype(np.float32)` before dividing",
            group="dtype",
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
