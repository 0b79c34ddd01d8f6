"""Probes of transforms, datasets and the loader."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from grader.worker import describe, files, load
from grader.worker.ops import Answer, Arrays

FILES = ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz")


def transform(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Seed, then call a transform several times on an image; return the images, and whether it changed."""
    made = submission.find(f"needle.data.{arguments['class']}")(*arguments["parameters"])
    image = arrays[0].copy()
    np.random.seed(arguments["seed"])
    out = [describe.array(made(image), "the image") for _ in range(arguments["times"])]
    return {"changed": not np.array_equal(image, arrays[0])}, out


def mnist(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Read two files (their bytes are the arrays) as an MNISTDataset and take what `indices` say from it.

    An index is an int, {"int64": int}, {"slice": [start, stop, step]} or {"array": [...]}; `transforms` names
    transforms of the grader's own. Returns image and label for each index, the length, the shapes that the
    first transform saw, and how often it was called for each index.
    """
    own = _Transforms()
    transforms = [getattr(own, name) for name in arguments["transforms"]] or None
    samples, calls = [], []
    with files.given(dict(zip(FILES, arrays, strict=True))) as folder:
        names = [os.path.join(folder, name) for name in FILES]
        made = submission.find("needle.data.MNISTDataset")
        dataset = made(*names, transforms) if transforms else made(*names)
        for one in arguments["indices"]:
            before = len(own.seen)
            samples.append(_kept(dataset[_index(one)]))
            calls.append(len(own.seen) - before)
        length = len(dataset)
    out = []
    for sample, index in zip(samples, arguments["indices"], strict=True):
        if not isinstance(sample, (tuple, list)) or len(sample) != 2:
            raise describe.Unusable(f"dataset[{_text(index)}] is {_kind(sample)}, not (image, label)")
        out += [
            describe.array(part, f"the {what}") for part, what in zip(sample, ("image", "label"), strict=True)
        ]
    return {"length": length if isinstance(length, int) else -1, "seen": own.seen[:8], "calls": calls}, out


def loader_of_mnist(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Pass twice, shuffled, over a DataLoader of an MNISTDataset; return image and label of each batch.

    The arrays are the bytes of both files; `transforms` names transforms of the grader's own.
    """
    own = _Transforms()
    out: Arrays = []
    with files.given(dict(zip(FILES, arrays, strict=True))) as folder:
        names = [os.path.join(folder, name) for name in FILES]
        transforms = [getattr(own, name) for name in arguments["transforms"]]
        dataset = submission.find("needle.data.MNISTDataset")(*names, transforms)
        made = submission.find("needle.data.DataLoader")(
            dataset, batch_size=arguments["batch_size"], shuffle=True
        )
        tensor_class = submission.find("needle.autograd.Tensor")
        np.random.seed(arguments["seed"])
        for _ in range(2):
            for batch, _ in zip(made, range(4 * len(arrays[1])), strict=False):
                parts = _take(batch, tensor_class, out)
                if parts != 2:
                    raise describe.Unusable(f"a batch has {parts} parts, not images and labels")
    return {}, out


def _kept(sample: Any) -> Any:
    """Return copies of the arrays of a sample, which may be views that a later reading changes."""
    if not isinstance(sample, (tuple, list)):
        return sample
    return tuple(part.copy() if type(part) is np.ndarray else part for part in sample)


class _Transforms:
    """Transforms of the grader's own; they note the shapes they are given."""

    def __init__(self) -> None:
        self.seen: list[list[int]] = []

    def mirror(self, image: Any) -> Any:
        """Return the image mirrored along axis 1."""
        self.seen.append(list(np.shape(image)))
        return np.flip(image, 1) if np.ndim(image) > 1 else image

    def double(self, image: Any) -> Any:
        """Return twice the image."""
        return image * 2

    def lift(self, image: Any) -> Any:
        """Return the image plus one."""
        return image + 1


def _index(one: Any) -> Any:
    if isinstance(one, dict):
        if "int64" in one:
            return np.int64(one["int64"])
        return slice(*one["slice"]) if "slice" in one else np.array(one["array"])
    return one


def _text(one: Any) -> str:
    if isinstance(one, dict):
        if "int64" in one:
            return f"np.int64({one['int64']})"
        return str(one.get("array") or ":".join("" if i is None else str(i) for i in one["slice"]))
    return str(one)


def _kind(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


def loader(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Pass over a DataLoader of an NDArrayDataset of the arrays; return the batches' arrays in order.

    `passes` says how many batches each pass takes before it is left (None: all). `seed` is set before the
    first pass. `nested` runs a second pass inside the first batch of the first. `sizes` in the answer has
    for each pass the number of arrays in each batch, `reads` how many samples it took from the dataset,
    `drawn` whether it drew from `np.random`.
    """
    dataset = _counting(submission.find("needle.data.NDArrayDataset"))(*arrays)
    made = submission.find("needle.data.DataLoader")(
        dataset, batch_size=arguments["batch_size"], shuffle=arguments["shuffle"]
    )
    tensor_class = submission.find("needle.autograd.Tensor")
    np.random.seed(arguments["seed"])
    out: Arrays = []
    sizes, reads, drawn = [], [], []
    most = 4 * len(arrays[0]) + 4
    for stop in arguments["passes"]:
        counts, before, state = [], dataset.reads, _state()
        for number, batch in enumerate(made):
            counts.append(_take(batch, tensor_class, out))
            if number == 0 and arguments.get("nested"):
                inner = [_take(one, tensor_class, out) for one, _ in zip(made, range(most), strict=False)]
                sizes.append(inner)
            if len(counts) == stop or len(counts) >= most:
                break
        sizes.append(counts)
        reads.append(dataset.reads - before)
        drawn.append(_state() != state)
    return {"sizes": sizes, "reads": reads, "drawn": drawn}, out


def _state() -> tuple[bytes, int]:
    """Return where `np.random` is in its sequence."""
    _, words, position, *_ = np.random.get_state()
    return np.asarray(words).tobytes(), int(position)


def _counting(dataset_class: Any) -> Any:
    """Return a subclass that counts the samples that are read, by int, slice or array."""

    class NDArrayDataset(dataset_class):  # type: ignore[misc]
        reads = 0

        def __getitem__(self, index: Any) -> Any:
            rows = np.arange(len(self))[index] if isinstance(index, slice) else index
            self.reads += int(np.size(rows))
            return super().__getitem__(index)

    return NDArrayDataset


def _take(batch: Any, tensor_class: type, out: Arrays) -> int:
    if not isinstance(batch, (tuple, list)):
        raise describe.Unusable(f"a batch is {_kind(batch)}, not a tuple of Tensors")
    for one in batch:
        if not isinstance(one, tensor_class):
            raise describe.Unusable(f"a batch holds {_kind(one)}, not a Tensor")
        out.append(describe.array(one, "a batch"))
    return len(batch)


def dataset(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Return the samples of an NDArrayDataset at `indices`, and its length."""
    made = submission.find("needle.data.NDArrayDataset")(*arrays)
    samples = [made[i] for i in arguments["indices"]]
    out = [describe.array(part, "a sample") for sample in samples for part in sample]
    return {"length": len(made)}, out


PROBES = {
    "data.transform": transform,
    "data.mnist": mnist,
    "data.loader": loader,
    "data.loader_of_mnist": loader_of_mnist,
    "data.dataset": dataset,
}
