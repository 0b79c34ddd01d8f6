"""The checks of hw0's `parse_mnist`, on small files of 28x28 images made for the purpose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import Examination
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import idx, mistakes_hw0
from grader.oracle.mistakes import Question
from grader.sandbox.channel import Reply, WorkerFault

SIDE = 28
OTHER_SIDES = (20, 24)
FUNCTION = "parse_mnist"
COUNTS = (12, 5, 1, 23, 2)
MNIST_COUNTS = (60000, 10000)
# what a wrong count makes readers complain about
TOO_SHORT = ("buffer", "reshape", "requires", "index", "same shape")


@dataclass(frozen=True)
class Files:
    """Images `(n, rows, columns)` uint8 and labels `(n,)` uint8."""

    pixels: np.ndarray
    classes: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order by the number of images, then by pixels that are not 0."""
        return len(self.pixels), int(np.count_nonzero(self.pixels))

    def contents(self) -> list[np.ndarray]:
        """Return the bytes of both files."""
        both = (idx.images(self.pixels), idx.labels(self.classes))
        return [np.frombuffer(content, dtype=np.uint8) for content in both]


def draw_files(source: Source, count: int | None = None, *, low: int = 0, high: int = 255) -> Files:
    """Return images whose scales differ, `low` and `high` among all their pixels, and labels 0 to 9."""
    n = count or source.integer(1, 4)
    drawn = source.values((n, SIDE, SIDE), 0.0, 1.0)
    brightest = [high if i == n - 1 else low + (high - low) * (i + 2) // (n + 3) for i in range(n)]
    pixels = low + np.round(drawn * (np.array(brightest) - low)[:, None, None])
    pixels[n - 1, 3, 5], pixels[n - 1, 4, 5] = high, low
    first = source.integer(0, 9)
    classes = (first + 3 * np.arange(n)) % 10  # 3 and 10 have no common factor: every label comes up
    return Files(pixels.astype(np.uint8), classes.astype(np.uint8))


def parse_mnist(question: str) -> tuple[Check, ...]:
    """Return the checks of `parse_mnist`."""
    make = partial(Check, question, FUNCTION, target="simple_ml.parse_mnist")
    return (
        make("values", "X and y of small files, element by element", _values, weight=4.0),
        make(
            "scale",
            "the scale is 255 whatever the images hold",
            _scale,
            weight=0.0,
            needs=(f"{question}.{FUNCTION}.values",),
        ),
        make(
            "sides",
            "images of another size than 28 by 28",
            _sides,
            weight=0.0,
            needs=(f"{question}.{FUNCTION}.values",),
        ),
    )


def _values(trial: Trial) -> None:
    cases = [draw_files(trial.source, count) for count in COUNTS]
    try:
        _examination(trial, cases, mistakes_hw0.PARSE_MNIST).run(trial)
    except Failure as failure:
        _explain(trial, failure)
        raise


def _scale(trial: Trial) -> None:
    cases = [draw_files(trial.source, count, low=20, high=200) for count in (6, 3)]
    _examination(trial, cases, mistakes_hw0.PARSE_DIM).run(trial)


def _sides(trial: Trial) -> None:
    rows, columns = OTHER_SIDES
    square = draw_files(trial.source, 4)
    one = replace(square, pixels=np.ascontiguousarray(square.pixels[:, :rows, :columns]))
    try:
        _examination(trial, [one], []).run(trial)
    except Failure as failure:
        failure.message = f"with images of {rows} by {columns} pixels, {failure.message}"
        failure.help = "the header of the file holds the numbers of rows and columns; MNIST's are 28 and 28"
        raise


def _examination(trial: Trial, cases: list[Files], mistakes: list[Any]) -> Examination[Files]:
    return Examination(
        function=FUNCTION,
        cases=cases,
        ask=lambda one: _ask(trial, one),
        right=lambda one: [array.astype(np.float64) for array in idx.parsed(one.pixels, one.classes)],
        names=["X", "y"],
        shown=_shown,
        question=lambda one: Question((one.pixels, one.classes)),
        mistakes=mistakes,
        draw=draw_files if len(cases) > 2 else None,
        size=Files.size,
    )


def _ask(trial: Trial, one: Files) -> list[np.ndarray]:
    """Return X, and y as floats for the comparison; raises `Failure` for shapes and dtypes."""
    reply = trial.ask("hw0.parse_mnist", {}, one.contents(), expect=8 << 20)
    n, rows, columns = one.pixels.shape
    for name, wanted, found in zip(("X", "y"), ((n, rows * columns), (n,)), _shapes(reply), strict=False):
        if found != wanted:
            raise _wrong_shape(name, wanted, found)
    if len(reply.arrays) != 2:
        raise Failure(f"{FUNCTION}: X and y are larger than their shapes say", group="shape")
    images, labels = reply.arrays
    for name, wanted_dtype, array in (("X", "float32", images), ("y", "uint8", labels)):
        if str(array.dtype) != wanted_dtype:
            raise Failure(f"{FUNCTION}: {name} is {array.dtype}, expected {wanted_dtype}", group="dtype")
    return [images, labels.astype(np.float64)]


def _shapes(reply: Reply) -> list[tuple[Any, ...]]:
    """Return the shapes of X and y: of the arrays, or as told where they were too large to send."""
    if len(reply.arrays) == 2:
        return [array.shape for array in reply.arrays]
    told = reply.values.get("shapes")
    return [tuple(shape) for shape in told] if type(told) is list and len(told) == 2 else [(), ()]


def _wrong_shape(name: str, wanted: tuple[int, ...], found: tuple[Any, ...]) -> Failure:
    fixed = bool(found) and found[0] in MNIST_COUNTS
    return Failure(
        f"{FUNCTION}: {name} has shape {found}, expected {wanted}"
        + (": the number of images is fixed in the code, or other files are read" if fixed else ""),
        help="the header of the file holds the number of images" if fixed else "",
        known_mistake="parse-fixed-count" if fixed else None,
        group="shape",
    )


def _explain(trial: Trial, failure: Failure) -> None:
    """Find out why the parser raised: a fixed number of images, or a header of the wrong byte order."""
    if failure.verdict != "error" or not any(word in failure.message for word in TOO_SHORT):
        return
    shape = (failure.counterexample or {}).get("images", {}).get("shape", [0])
    swapped = int.from_bytes(int(shape[0]).to_bytes(4, "little"), "big")
    if any(str(number) in failure.message for number in (swapped, swapped * SIDE * SIDE)):
        failure.message = f"{FUNCTION}: the header is read in little-endian order; IDX files are big-endian"
        failure.help = "struct's format starts with `>`, numpy's dtype is `>i4`"
        failure.known_mistake = "parse-little-endian"
    elif any(str(n) in failure.message for n in MNIST_COUNTS) or _reads_sixty_thousand(trial):
        failure.message = f"{FUNCTION}: the number of images is fixed in the code, so other files raise"
        failure.help = "the header of the file holds the number of images"
        failure.known_mistake = "parse-fixed-count"
    else:
        failure.help = "is the number of images fixed in the code? the header of the file holds it"


def _reads_sixty_thousand(trial: Trial) -> bool:
    """Tell whether files of exactly the size of MNIST's training set are read."""
    n = MNIST_COUNTS[0]
    large = Files(np.zeros((n, SIDE, SIDE), dtype=np.uint8), np.zeros(n, dtype=np.uint8))
    try:
        trial.ask("hw0.parse_mnist", {}, large.contents(), expect=8 << 20)
    except (Failure, WorkerFault):  # the latter: too slow to tell
        return False
    return True


def _shown(one: Files) -> dict[str, Any]:
    return {"images": words.excerpt(one.pixels), "labels": words.excerpt(one.classes)}
