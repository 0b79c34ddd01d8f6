"""Probes of the training in `apps/mlp_resnet.py`: one pass over a loader, and a whole training."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import describe, files, load, memory
from grader.worker.ops import Answer, Arrays, tensor

MNIST_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
LABELS = 12


def _loader(submission: load.Submission, images: np.ndarray, labels: np.ndarray, size: int) -> Any:
    """Return a loader of the grader's own, a DataLoader of the submission's too if it has such a class."""
    base = getattr(submission.find("needle.data"), "DataLoader", object)
    try:
        made = type("Loader", (_Loader, base), {})
    except TypeError:
        made = _Loader
    return made(submission, images, labels, size)


class _Loader:
    """A loader of the grader's own: batches of Tensors in order; reads the memory before each batch."""

    def __init__(
        self, submission: load.Submission, images: np.ndarray, labels: np.ndarray, size: int
    ) -> None:
        self.submission, self.arrays = submission, (images, labels)
        self.batch_size, self.shuffle = size, False
        self.dataset = submission.find("needle.data.NDArrayDataset")(images, labels)
        self.watch: memory.Watch | None = None
        self.account: dict[str, Any] = {}

    def __len__(self) -> int:
        return -(-len(self.arrays[0]) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for number, start in enumerate(range(0, len(self.arrays[0]), self.batch_size), 1):
            if self.watch is not None:
                self._read(number)
            stop = start + self.batch_size
            yield tuple(tensor(self.submission, one[start:stop].copy()) for one in self.arrays)

    def _read(self, number: int) -> None:
        """Note the living nodes; before the last batch also who holds those of past batches."""
        assert self.watch is not None
        if number > 1:
            self.watch.read()
        self.watch.step = number
        if number == len(self) and self.watch.grows():
            roots = [*self.roots, *memory.local_roots(self.submission, sys._getframe(2))]
            self.account = self.watch.account(roots, number - 3)

    roots: list[memory.Root] = []


def _model(submission: load.Submission, weight: np.ndarray) -> Any:
    """Return a module `logits = x @ weight` that notes its mode at every call."""
    module_class = submission.find("needle.nn.Module")
    parameter = submission.find("needle.nn.Parameter")(tensor(submission, weight))

    class Model(module_class):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.weight = parameter
            self.modes: list[bool] = []

        def forward(self, x: Any) -> Any:
            self.modes.append(bool(self.training))
            if len(x.shape) > 2:
                x = x.reshape((x.shape[0], int(np.prod(x.shape[1:]))))
            return x @ self.weight

    return Model()


def descent(submission: load.Submission, parameters: list[Any], lr: float) -> Any:
    """Return plain gradient descent of the grader's own, which notes its calls."""
    base = submission.find("needle.optim.Optimizer")

    class Descent(base):  # type: ignore[misc, valid-type]
        def __init__(self, parameters: list[Any], lr: float) -> None:
            super().__init__(parameters)
            self.lr, self.calls = lr, ""

        def reset_grad(self) -> None:
            self.calls += "r"
            for one in self.params:
                one.grad = None

        def step(self) -> None:
            self.calls += "s"
            for one in self.params:
                if one.grad is not None:
                    gradient = np.asarray(one.grad.realize_cached_data())
                    one.cached_data = one.cached_data - np.float32(self.lr) * gradient

    return Descent(parameters, lr)


def epoch(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run one epoch over images `(n, d)` and labels `(n,)` on a linear model; return its pair and the weight.

    With `lr` an optimiser is passed. The model starts in the other mode than it should be in. With `watch`
    also the nodes alive before each batch but the first, and who holds those of past batches.
    """
    images, labels, weight = arrays
    function = submission.find("mlp_resnet.epoch")
    loader = _loader(submission, images, labels, arguments["batch"])
    model = _model(submission, weight)
    training = arguments["lr"] is not None
    optimiser = descent(submission, model.parameters(), arguments["lr"]) if training else None
    getattr(model, "eval" if training else "train")()
    extra = [optimiser] if training else []
    if arguments.get("watch"):
        loader.watch = memory.Watch(submission)
        loader.roots = loader.watch.owners([model, *extra])
        with loader.watch.on():
            result = function(loader, model, *extra)
    else:
        result = function(loader, model, *extra)
    out = _pair(result, 2, "epoch", "(error rate, average loss)")
    facts = {
        "modes": sorted(set(model.modes)),
        "calls": len(model.modes),
        "optimiser": optimiser.calls if optimiser is not None else "",
        "alive": loader.watch.readings if loader.watch else [],
        **loader.account,
    }
    return facts, [*out, describe.array(model.weight, "the weight")]


def _pair(result: Any, count: int, name: str, expected: str) -> Arrays:
    if not isinstance(result, (tuple, list)) or len(result) != count:
        kind = f"a {type(result).__name__}" if result is not None else "None"
        length = f" of {len(result)}" if isinstance(result, (tuple, list)) else ""
        raise describe.Unusable(f"{name} returned {kind}{length}, not {expected}")
    return [describe.array(one, f"result {i}") for i, one in enumerate(result)]


def train(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run `train_mnist` on four files (their bytes are the arrays) with an Adam of the grader's own.

    Returns the four results, what the optimiser was given: keywords, shapes of parameters, steps, and the
    calls of the submission's own `epoch`.
    """
    function = submission.find("mlp_resnet.train_mnist")
    made: list[Any] = []
    calls: list[dict[str, Any]] = []
    optimiser = _recording_adam(submission, made)
    with files.given(dict(zip(MNIST_FILES, arrays, strict=True))) as folder, _epochs(submission, calls):
        result = function(
            arguments["batch_size"],
            arguments["epochs"],
            optimiser,
            arguments["lr"],
            arguments["weight_decay"],
            arguments["hidden_dim"],
            folder,
        )
    out = _pair(result, 4, "train_mnist", "(train error, train loss, test error, test loss)")
    one = made[-1] if made else None
    facts = {
        "optimisers": len(made),
        "steps": one.steps if one else 0,
        "keywords": one.keywords if one else {},
        "shapes": one.shapes if one else [],
        "epochs": calls,
    }
    return facts, out


@contextlib.contextmanager
def _epochs(submission: load.Submission, calls: list[dict[str, Any]]) -> Iterator[None]:
    """Note the calls of the submission's `epoch` inside the block, in their order."""
    module = submission.find("mlp_resnet")
    original = module.epoch

    def noted(*arguments: Any, **keywords: Any) -> Any:
        given = dict(zip(("dataloader", "model", "opt"), arguments, strict=False)) | keywords
        result = original(*arguments, **keywords)
        loader = given.get("dataloader")
        calls.append(
            {"train": given.get("opt") is not None, "result": _numbers(result), **_data_facts(loader)}
        )
        return result

    module.epoch = noted
    try:
        yield
    finally:
        module.epoch = original


def _numbers(result: Any) -> list[float] | None:
    try:
        values = [float(one) for one in result]
        return values if len(values) == 2 and np.isfinite(values).all() else None
    except (TypeError, ValueError):
        return None


def _data_facts(loader: Any) -> dict[str, Any]:
    """Return the size of a loader's data set, its first labels, and whether they come in this order."""
    try:
        samples = len(loader.dataset)
        labels = [int(loader.dataset[i][1]) for i in range(min(samples, LABELS))]
    except Exception:  # a loader of another kind: nothing is known of it
        return {"samples": None, "labels": [], "in_order": False}
    return {"samples": samples, "labels": labels, "in_order": loader.shuffle is False}


def _recording_adam(submission: load.Submission, made: list[Any]) -> type:
    base = submission.find("needle.optim.Optimizer")

    class RecordingAdam(base):  # type: ignore[misc, valid-type]
        """Adam on raw arrays, without weight decay; notes how it was made and how often it stepped."""

        def __init__(
            self,
            params: Any,
            lr: float = 0.01,
            beta1: float = 0.9,
            beta2: float = 0.999,
            eps: float = 1e-8,
            weight_decay: float = 0.0,
            **others: Any,
        ) -> None:
            super().__init__(list(params))
            self.keywords = {"lr": lr, "beta1": beta1, "weight_decay": weight_decay}
            self.keywords = {name: float(value) for name, value in self.keywords.items()}
            self.shapes = [list(one.shape) for one in self.params]
            self.steps, self.lr = 0, lr
            self.moments: dict[int, Any] = {}
            made.append(self)

        def reset_grad(self) -> None:
            for one in self.params:
                one.grad = None

        def step(self) -> None:
            self.steps += 1
            for i, one in enumerate(self.params):
                if one.grad is not None:
                    g = np.asarray(one.grad.realize_cached_data())
                    m, v = self.moments.get(i, (0.0, 0.0))
                    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                    self.moments[i] = m, v
                    m, v = m / (1 - 0.9**self.steps), v / (1 - 0.999**self.steps)
                    one.cached_data = (one.cached_data - self.lr * m / (np.sqrt(v) + 1e-8)).astype(np.float32)

    return RecordingAdam


PROBES = {"mlp.epoch": epoch, "mlp.train": train}
