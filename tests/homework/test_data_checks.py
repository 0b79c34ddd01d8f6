"""Each known mistake of transforms, dataset and loader is named when a program makes it; right ones pass."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from grader.homework import data_checks, digits
from grader.judge.failure import Failure
from grader.oracle import data, mistakes_data, mistakes_loader, mistakes_transforms
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply
from tests.homework.fakes import Answer, verdict

CHECKS = data_checks.data("data")
SEEDS = range(int(os.environ.get("GRADER_SEEDS", "1")))
TRUTH = {"RandomFlipHorizontal": data.flips, "RandomCrop": data.crops}


def transforming(wrong: Callable[[Question], Any]) -> Answer:
    """A worker whose transform gives the images of `wrong`."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        (parameter,), seed, times = arguments["parameters"], arguments["seed"], arguments["times"]
        made = wrong(Question((arrays[0],), (parameter, seed, times)))
        return Reply({"changed": False}, [np.asarray(one, np.float32) for one in made])

    return answer


def right(name: str) -> Callable[[Question], Any]:
    return lambda q: TRUTH[name](q.inputs[0], *q.parameters)


IMAGES = [
    *(("RandomFlipHorizontal", mistake) for mistake in mistakes_transforms.FLIP),
    *(("RandomCrop", mistake) for mistake in mistakes_transforms.CROP),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "mistake"), IMAGES, ids=lambda one: getattr(one, "id", one))
def test_transform_mistake_is_named(name: str, mistake: Mistake, seed: int) -> None:
    """The check names exactly the mistake that was made."""
    failure = verdict(CHECKS, f"{name}.values", transforming(mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["values", "hygiene"])
@pytest.mark.parametrize("name", TRUTH)
def test_right_transforms_pass(name: str, kind: str, seed: int) -> None:
    """The oracle's own images pass."""
    assert verdict(CHECKS, f"{name}.{kind}", transforming(right(name)), seed) is None


DUMB = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "nan": lambda one: np.full_like(one, np.nan),
    "empty": lambda one: one[:0],
    "transpose": np.transpose,
}


@pytest.mark.parametrize("dumb", DUMB)
@pytest.mark.parametrize("name", TRUTH)
def test_dumb_images_fail(name: str, dumb: str) -> None:
    """No answer without content passes."""
    wrong = transforming(lambda q: [DUMB[dumb](np.asarray(one, float)) for one in right(name)(q)])

    assert verdict(CHECKS, f"{name}.values", wrong) is not None


def reading(wrong: Callable[[Question], Any], calls: list[int] | None = None) -> Answer:
    """A worker whose dataset gives image and label as `wrong` does; None: the right ones.

    `calls` is how often a transform was called in each reading; None: once for each image.
    """

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        pixels = np.frombuffer(gzip.decompress(arrays[0].tobytes())[16:], np.uint8).reshape(-1, 28, 28)
        classes = np.frombuffer(gzip.decompress(arrays[1].tobytes())[8:], np.uint8)
        index = digits.as_python(arguments["indices"][0])
        transform = digits.chain(arguments["transforms"])
        q = Question((pixels, classes), (index, transform))
        try:
            made = wrong(q) or _true_sample(q)
        except IndexError as error:  # as a dataset would that has read too little
            raise Failure(f"MNISTDataset raised IndexError: {error}", verdict="error") from error
        sample = [np.asarray(made[0], np.float32), np.asarray(made[1])]
        times = len(arguments["indices"])
        told = [sample[1].size] * times if calls is None else calls
        return Reply({"length": len(pixels), "seen": [], "calls": told}, sample * times)

    return answer


def _true_sample(q: Question) -> list[np.ndarray]:
    return mistakes_data._images(lambda images: images / 255)(q)


FILES = [
    *(("values", mistake) for mistake in mistakes_data.MNIST),
    *(("indices", mistake) for mistake in mistakes_data.MNIST),
    *(("transforms", mistake) for mistake in mistakes_data.TRANSFORMS),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kind", "mistake"), FILES, ids=lambda one: getattr(one, "id", one))
def test_dataset_mistake_is_named(kind: str, mistake: Mistake, seed: int) -> None:
    """The check names exactly the mistake that was made."""
    failure = verdict(CHECKS, f"MNISTDataset.{kind}", reading(mistake.wrong), seed)

    assert failure is not None
    assert failure.known_mistake == mistake.id


def test_pixels_are_told_as_bytes() -> None:
    """A value of an image reads as a fraction of 255, before its transforms and after them."""
    failure = verdict(
        CHECKS,
        "MNISTDataset.transforms",
        reading(lambda q: [_true_sample(q)[0] + 3 / 255, _true_sample(q)[1]]),
    )

    assert failure is not None
    found = re.search(r"is (\d+)/255 at \[.*\], expected (\d+)/255$", failure.message)
    assert found is not None
    assert int(found[1]) - int(found[2]) == 3
    assert re.fullmatch(r"(\[[\d, ]+\]: \d+/255(; )?){4}", failure.actual["text"])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["values", "indices", "transforms", "again", "dtype"])
def test_right_datasets_pass(kind: str, seed: int) -> None:
    """The right images pass, flat ones too."""

    def flat(q: Question) -> Any:
        image, label = _true_sample(q)
        return [image.reshape(*image.shape[:-3], 784), label]

    assert verdict(CHECKS, f"MNISTDataset.{kind}", reading(_true_sample), seed) is None
    assert verdict(CHECKS, f"MNISTDataset.{kind}", reading(flat), seed) is None


@pytest.mark.parametrize(
    ("calls", "says"),
    [([0, 0], "dataset[0] calls the transforms 0 times"), ([1, 0], "dataset[0] a second time calls")],
    ids=["in the constructor", "kept"],
)
def test_transforms_that_are_not_called(calls: list[int], says: str) -> None:
    """Right images whose transforms were not called for the reading fail."""
    failure = verdict(CHECKS, "MNISTDataset.again", reading(_true_sample, calls))

    assert failure is not None
    assert says in failure.message


Passes = Iterator[list[list[int]]]
Program = Callable[[int, int, bool], Any]


def loading(program: Callable[[int, int, bool], Callable[[], Iterator[list[int]]]]) -> Answer:
    """A worker whose loader gives rows as `program(count, size, shuffle)`, called once per pass, says."""

    def answer(probe: str, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        np.random.seed(arguments["seed"])
        shuffled = arguments["shuffle"]
        count = len(arrays[0])
        begin = program(count, arguments["batch_size"], arguments["shuffle"])
        sizes, out, reads = [], [], []
        for stop in arguments["passes"]:
            counts = []
            for rows in begin():
                out += [array[rows] for array in arrays]
                counts.append(len(arrays))
                if len(counts) == stop or len(counts) > 4 * count:
                    break
            sizes.append(counts)
            reads.append(count)
        return Reply({"sizes": sizes, "reads": reads, "drawn": [shuffled] * len(reads)}, out)

    return answer


def _split(order: Any, size: int) -> Iterator[list[int]]:
    return iter([list(order[i : i + size]) for i in range(0, len(order), size)])


def _order(count: int, shuffle: bool) -> Any:
    return np.random.permutation(count) if shuffle else np.arange(count)


def loader_right(n: int, b: int, s: bool) -> Any:
    return lambda: _split(_order(n, s), b)


def _single_use(n: int, b: int, s: bool) -> Any:
    once = _split(_order(n, s), b)
    return lambda: once


def _one_order(n: int, b: int, s: bool) -> Any:
    order = _order(n, s)
    return lambda: _split(order, b)


def _batches_shuffled(n: int, b: int, s: bool) -> Any:
    def begin() -> Iterator[list[int]]:
        parts = list(_split(np.arange(n), b))
        return iter([parts[i] for i in (np.random.permutation(len(parts)) if s else range(len(parts)))])

    return begin


def _permuted_anew(n: int, b: int, s: bool) -> Any:
    def begin() -> Iterator[list[int]]:
        return iter([list(_order(n, s)[x]) for x in _split(np.arange(n), b)])

    return begin


def _within(n: int, b: int, s: bool) -> Any:
    return lambda: iter([list(np.random.permutation(x)) if s else x for x in _split(np.arange(n), b)])


LOADERS: dict[str, tuple[str, Program]] = {
    "loader-single-use": ("passes", _single_use),
    "loader-one-by-one": ("values", lambda n, b, s: lambda: _split(_order(n, s), 1)),
    "loader-one-batch": ("values", lambda n, b, s: lambda: iter(list(_split(_order(n, s), b))[:1])),
    "loader-whole": ("values", lambda n, b, s: lambda: _split(_order(n, s), n)),
    "loader-drops-short": ("short_batch", lambda n, b, s: lambda: _split(_order(n, s)[: n - n % b], b)),
    "loader-fills-short": (
        "short_batch",
        lambda n, b, s: lambda: _split(np.resize(_order(n, s), -(-n // b) * b), b),
    ),
    "loader-starts-late": ("values", lambda n, b, s: lambda: iter(list(_split(_order(n, s), b))[1:])),
    "loader-stops-early": ("values", lambda n, b, s: lambda: iter(list(_split(_order(n, s), b))[:-1])),
    "loader-joins-last": (
        "short_batch",
        lambda n, b, s: lambda: iter([list(x) for x in np.array_split(_order(n, s), range(b, n - 1, b))]),
    ),
    "loader-not-shuffled": ("shuffle", lambda n, b, s: lambda: _split(np.arange(n), b)),
    "loader-one-order": ("shuffle", _one_order),
    "loader-replacement": (
        "shuffle",
        lambda n, b, s: lambda: _split(np.random.randint(0, n, n) if s else np.arange(n), b),
    ),
    "loader-permuted-anew": ("shuffle", _permuted_anew),
    "loader-batches-shuffled": ("shuffle", _batches_shuffled),
    "loader-within-batches": ("shuffle", _within),
}


@pytest.mark.parametrize("name", LOADERS)
def test_loader_mistake_is_named(name: str) -> None:
    """The check that meets the mistake names it."""
    kind, program = LOADERS[name]

    failure = verdict(CHECKS, f"DataLoader.{kind}", loading(program))

    assert failure is not None
    assert failure.known_mistake == name


def test_every_sign_has_a_program() -> None:
    """No sign of a mistake is left without a test."""
    assert {sign.id for sign in mistakes_loader.SHUFFLED} == set(LOADERS)


@pytest.mark.parametrize("kind", ["values", "parts", "short_batch", "passes", "fresh", "shuffle", "seed"])
def test_right_loader_passes(kind: str) -> None:
    """A fresh permutation per pass passes."""
    assert verdict(CHECKS, f"DataLoader.{kind}", loading(loader_right)) is None


def test_loader_that_goes_on_after_a_break() -> None:
    """Rows that continue where the last pass was left are told as such."""

    def stale(n: int, b: int, s: bool) -> Any:
        state = {"at": 0}

        def begin() -> Iterator[list[int]]:
            order = _order(n, s)
            while state["at"] < n:
                rows = list(order[state["at"] : state["at"] + b])
                state["at"] += b
                yield rows
            state["at"] = 0

        return begin

    failure = verdict(CHECKS, "DataLoader.passes", loading(stale))

    assert failure is not None
    assert failure.known_mistake == "loader-stale"
    assert "goes on where the last one was left (at sample 12)" in failure.message


def test_order_from_elsewhere() -> None:
    """An order that np.random.seed does not change fails in the check of seeds only."""
    generator = np.random.default_rng(0)

    def own(n: int, b: int, s: bool) -> Any:
        return lambda: _split(generator.permutation(n) if s else np.arange(n), b)

    assert verdict(CHECKS, "DataLoader.shuffle", loading(own)) is None
    failure = verdict(CHECKS, "DataLoader.seed", loading(own))
    assert failure is not None
    assert "does not follow np.random.seed" in failure.message
