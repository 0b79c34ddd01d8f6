"""The checks of MNISTDataset, by itself and under a DataLoader."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.digits import Digits, as_python, chain, draw_digits, index_text, many_digits
from grader.homework.examine import Examination, demand
from grader.homework.pixels import as_fractions
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.oracle import data as truth
from grader.oracle import idx, mistakes_data
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply

CLASS = "needle.data.MNISTDataset"
EXACT = 2.0**-20  # pixels are bytes by 255, whatever the dtype they are divided in
ANEW = "the transforms belong into `__getitem__`: random ones have to draw anew whenever an image is read"
WRITTEN = (
    "an index may give a view of the dataset's own images: put what the transforms give into a new array"
)
SHORT = (
    "an array that `__init__` makes is too short: the header of an image file has 16 bytes, that of a label "
    "file 8"
)
OUT_OF_BOUNDS = re.compile(r"out of bounds for axis 0 with size (\d+)")
NUMPY_INT = "numpy's integers are no `int` to `isinstance`: go by the number of axes of `images[index]`"
NEGATIVE = (-1, {"slice": [-2, None, None]}, {"slice": [None, None, -1]}, {"array": [-1, 0]})
TRANSFORMED: tuple[tuple[str, ...], ...] = ((), ("mirror",))
OWN = {"mirror": "np.flip(x, 1)", "double": "x * 2", "lift": "x + 1"}


def mnist(question: str) -> tuple[Check, ...]:
    """Return the checks of MNISTDataset."""
    make = _make(question)
    first, indices, transforms = (
        (f"{question}.MNISTDataset.{kind}",) for kind in ("values", "indices", "transforms")
    )
    return (
        make("values", "image and label by int, and the length", _one_index, weight=3.0),
        make("indices", "images and labels by slice and by array", _many_indices, weight=2.0, needs=first),
        make("transforms", "transforms of each image, in order", _transforms, weight=2.0, needs=first),
        make("again", "an image read again is transformed again", _again, weight=0.5, needs=transforms),
        make("loader", "indices as the DataLoader has them", _through_loader, weight=0.5, needs=transforms),
        make("dtype", "images are float32", _image_dtype, weight=0.0, needs=transforms),
        make("negative", "negative indices and steps", _negative, weight=0.0, needs=indices),
    )  # fmt: skip


def _make(question: str) -> Callable[..., Check]:
    return partial(Check, question, "MNISTDataset", target=f"{CLASS}.__getitem__")


def _files(one: Digits) -> list[np.ndarray]:
    contents = (idx.images(one.pixels), idx.labels(one.classes))
    return [np.frombuffer(content, dtype=np.uint8) for content in contents]


def _ask_digits(trial: Trial, one: Digits, index: Any) -> list[np.ndarray]:
    return _ask_indices(trial, one, [index]).arrays


def _ask_indices(trial: Trial, one: Digits, indices: Sequence[Any]) -> Reply:
    index = indices[0]
    arguments = {"indices": list(indices), "transforms": list(one.transforms)}
    try:
        reply = trial.ask("data.mnist", arguments, _files(one))
    except Failure as failure:
        if " raised " in failure.message:
            failure.message += f" (asked for dataset[{index_text(index)}])"
        short = OUT_OF_BOUNDS.search(failure.message)
        if short and int(short[1]) < len(one.pixels):
            failure.help, failure.target, failure.location = SHORT, f"{CLASS}.__init__", None
        raise
    if reply.values.get("length") != len(one.pixels):
        raise Failure(
            f"MNISTDataset: len(dataset) is {reply.values.get('length')}, expected {len(one.pixels)}",
            group="length",
        )
    _look_at_seen(one, reply.values.get("seen") or [])
    return reply


def _look_at_seen(one: Digits, seen: list[Any]) -> None:
    """Refuse transforms that are given flat images; `(28, 28)` is as good as `(28, 28, 1)` to ours."""
    flat = [shape for shape in seen if len(shape) < 2]
    if flat:
        raise Failure(
            f"MNISTDataset: the transforms get an image of shape {tuple(flat[0])}, expected (28, 28, 1)",
            help="reshape the image before the transforms see it",
            group="transforms",
        )


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
    chosen = images[as_python(index)]
    flat = chosen.reshape(-1, 28, 28, 1)
    images = np.array([chain(one.transforms)(image) for image in flat]).reshape(chosen.shape)
    return [images, np.asarray(classes[as_python(index)])]


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
            (one[0].pixels, one[0].classes), (as_python(one[1]), chain(one[0].transforms))
        ),
        mistakes=mistakes,
        draw=draw,
        size=lambda one: one[0].size(),
        demand=_demand_sample,
    ).run(trial)


def _demand_sample(one: Indexed, mine: Sequence[np.ndarray]) -> None:
    try:
        demand(mine, _right_sample(*one), _part_names(one[1]), extra=EXACT)
    except Failure as failure:
        as_fractions(failure)
        raise


def _part_names(index: Any) -> list[str]:
    where = f"dataset[{index_text(index)}]"
    return [f"MNISTDataset: the image of {where}", f"MNISTDataset: the label of {where}"]


def _shown_digits(one: Indexed) -> dict[str, Any]:
    digits, index = one
    return {
        "images": len(digits.pixels),
        "pixels": f"uint8 from {digits.pixels.min()} to {digits.pixels.max()}",
        "labels": words.excerpt(digits.classes),
        "index": index_text(index),
        "transforms": [OWN[name] for name in digits.transforms],
    }


def _one_index(trial: Trial) -> None:
    drawn = [draw_digits(trial.source, most=most) for most in (9, 1, 5)] + [many_digits(trial.source)]
    cases = [(one, index) for one in drawn for index in one.indices[:2]]
    _examine_digits(trial, cases, mistakes_data.MNIST, None)


def _many_indices(trial: Trial) -> None:
    one = draw_digits(trial.source)
    _examine_digits(trial, [(one, index) for index in one.indices[2:]], mistakes_data.MNIST, None)


def _negative(trial: Trial) -> None:
    one = draw_digits(trial.source, most=3)
    _examine_digits(trial, [(one, index) for index in NEGATIVE], (), None)


def _transforms(trial: Trial) -> None:
    one = draw_digits(trial.source)
    several = [replace(one, transforms=names) for names in (("mirror", "lift", "double"), ("mirror",))]
    cases = [(digits, index) for digits in several for index in (one.indices[1], *one.indices[2:4])]
    _examine_digits(trial, cases, mistakes_data.TRANSFORMS, None)


def _image_dtype(trial: Trial) -> None:
    plain = draw_digits(trial.source, most=3)
    asked = [
        _ask_indices(trial, replace(plain, transforms=names), plain.indices[1:3]) for names in TRANSFORMED
    ]
    dtype = next((x.dtype for reply in asked for x in reply.arrays[::2] if x.dtype != np.float32), None)
    if dtype is not None:
        raise Failure(
            f"MNISTDataset gives {dtype} images; parameters are float32, so training turns {dtype} too",
            help="read the pixels with `.astype(np.float32)` before dividing",
            group="dtype",
        )


def _again(trial: Trial) -> None:
    one = replace(draw_digits(trial.source, most=3), transforms=("mirror", "lift"))
    for index in (0, *one.indices[2:4]):
        reply = _ask_indices(trial, one, [index, index])
        right, where = _right_sample(one, index), f"dataset[{index_text(index)}]"
        names = [f"MNISTDataset: the {part} of {where} at its second reading" for part in ("image", "label")]
        try:
            demand(_sample(one, index, reply.arrays[2:]), right, names, extra=EXACT)
        except Failure as failure:
            failure.help, failure.counterexample = WRITTEN, _shown_digits((one, index))
            raise
        _demand_calls(reply, one, index)


def _demand_calls(reply: Reply, one: Digits, index: Any) -> None:
    count, calls = np.size(_right_sample(one, index)[1]), reply.values.get("calls") or [0]
    if min(calls) < count:
        again = " a second time" if calls[0] >= count else ""
        raise Failure(
            f"MNISTDataset: reading dataset[{index_text(index)}]{again} calls the transforms {min(calls)} "
            f"times, expected {count}",
            help=ANEW,
            counterexample=_shown_digits((one, index)),
            group="calls",
        )


def _numbered(trial: Trial, count: int) -> Digits:
    """Return images whose labels are their numbers."""
    one = draw_digits(trial.source, most=1)
    pixels = (one.pixels[0] // np.arange(1, count + 1)[:, None, None]).astype(np.uint8)
    return Digits(pixels, np.arange(count, dtype=np.uint8), (), ("mirror", "lift"))


def _ask_loader(trial: Trial, one: Digits) -> Reply:
    return trial.ask(
        "data.loader_of_mnist", {"transforms": list(one.transforms), "batch_size": 2, "seed": 1}, _files(one)
    )


def _through_loader(trial: Trial) -> None:
    """Fail for what numpy's integers get wrong, if the submission's own loader asks with them.

    All else that goes wrong on the way is the loader's, whose own checks tell it.
    """
    one = _numbered(trial, 5)
    try:
        _demand_batches(one, _ask_loader(trial, one).arrays)
    except Failure:
        _demand_numpy_integer(trial, one)


def _demand_numpy_integer(trial: Trial, one: Digits) -> None:
    index = {"int64": 0}
    names = [f"MNISTDataset: the {part} of dataset[np.int64(0)]" for part in ("image", "label")]
    try:
        demand(_sample(one, 0, _ask_digits(trial, one, index)), _right_sample(one, 0), names, extra=EXACT)
    except Failure as failure:
        failure.help, failure.counterexample = NUMPY_INT, _shown_digits((one, index))
        raise


def _demand_batches(one: Digits, arrays: Sequence[np.ndarray]) -> None:
    """Refuse batches whose images are not those that their labels, the numbers of the images, tell."""
    for image, label in zip(arrays[::2], arrays[1::2], strict=False):
        rows = np.rint(label.ravel()).astype(int).clip(0, len(one.pixels) - 1)
        index = {"array": rows.tolist()}
        demand(
            _sample(one, index, [image, rows])[:1], _right_sample(one, index)[:1], ["a batch"], extra=EXACT
        )
