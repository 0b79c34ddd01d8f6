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

    An index is an int, {"slice": [start, stop, step]} or {"array": [...]}; `transforms` names transforms of
    the grader's own. Returns image and label for each index, the length, and the shapes the transforms saw.
    """
    own = _Transforms()
    transforms = [getattr(own, name) for name in arguments["transforms"]] or None
    with files.given(dict(zip(FILES, arrays, strict=True))) as folder:
        names = [os.path.join(folder, name) for name in FILES]
        made = submission.find("needle.data.MNISTDataset")
        dataset = made(*names, transforms) if transforms else made(*names)
        samples = [dataset[_index(one)] for one in arguments["indices"]]
        length = len(dataset)
    out = []
    for sample, index in zip(samples, arguments["indices"], strict=True):
        if not isinstance(sample, (tuple, list)) or len(sample) != 2:
            raise describe.Unusable(f"dataset[{_text(index)}] is {_kind(sample)}, not (image, label)")
        out += [
            describe.array(part, f"the {what}") for part, what in zip(sample, ("image", "label"), strict=True)
        ]
    return {"length": length if isinstance(length, int) else -1, "seen": own.seen[:8]}, out


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
        return slice(*one["slice"]) if "slice" in one else np.array(one["array"])
    return one


def _text(one: Any) -> str:
    if isinstance(one, dict):
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
    for each pass the number of arrays in each batch.
    """
    dataset = submission.find("needle.data.NDArrayDataset")(*arrays)
    made = submission.find("needle.data.DataLoader")(
        dataset, batch_size=arguments["batch_size"], shuffle=arguments["shuffle"]
    )
    tensor_class = submission.find("needle.autograd.Tensor")
    np.random.seed(arguments["seed"])
    out: Arrays = []
    sizes = []
    most = 4 * len(arrays[0]) + 4
    for stop in arguments["passes"]:
        counts = []
        for number, batch in enumerate(made):
            counts.append(_take(batch, tensor_class, out))
            if number == 0 and arguments.get("nested"):
                inner = [_take(one, tensor_class, out) for one, _ in zip(made, range(most), strict=False)]
                sizes.append(inner)
            if len(counts) == stop or len(counts) >= most:
                break
        sizes.append(counts)
    return {"sizes": sizes}, out


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
    "data.dataset": dataset,
}
