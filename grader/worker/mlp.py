"""Probes of `apps/mlp_resnet.py`: the network, one pass over a loader, and a whole training."""

from __future__ import annotations

import contextlib
import gc
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import describe, files, load, memory, trace
from grader.worker.ops import Answer, Arrays, tensor

MNIST_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)


def structure(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build a network; return the shapes of its parameters in order, and how many are different objects."""
    model, made = _build(submission, arguments)
    parameters = _parameters(model, made, arguments["shapes"])
    shapes = [list(np.shape(one.realize_cached_data())) for one in parameters]
    return {"shapes": shapes, "distinct": len({id(one) for one in parameters})}, []


def forward(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Build a network, fill its parameters, run it on each `(batch, ...)` input.

    Returns the parameters, then the outputs.

    The parameters get values from a generator seeded with `seed`, in the shapes that they have.
    `mode` is "train" or "eval"; numpy's global generator is seeded with 1, 2, ... before the runs. With
    `watch` the calls of `nn.Dropout` too: each one's `p` among the values, its input behind the outputs.
    """
    model, made = _build(submission, arguments)
    rng = np.random.RandomState(arguments["seed"])
    parameters = _parameters(model, made, arguments["shapes"])
    for one in parameters:
        one.cached_data = _drawn(rng, np.shape(one.realize_cached_data()))
    values = [describe.array(one, "a parameter") for one in parameters]
    getattr(model, "eval" if arguments["mode"] == "train" else "train")()
    getattr(model, arguments["mode"])()
    outputs: Arrays = []
    calls: list[tuple[float | None, np.ndarray]] = []
    with _dropouts(submission, calls) if arguments.get("watch") else contextlib.nullcontext():
        for number, array in enumerate(arrays, 1):
            np.random.seed(number)
            outputs.append(describe.array(model(tensor(submission, array)), "the output"))
    facts = {"p": [p for p, _ in calls]} if arguments.get("watch") else {}
    return facts, [*values, *outputs, *(array for _, array in calls)]


@contextlib.contextmanager
def _dropouts(submission: load.Submission, calls: list[tuple[float | None, np.ndarray]]) -> Iterator[None]:
    """Note the `p` and the input of each call of the submission's Dropout inside the block."""
    dropout = submission.find("needle.nn.Dropout")
    original = dropout.forward

    def noted(module: Any, x: Any) -> Any:
        p = getattr(module, "p", None)
        number = float(p) if isinstance(p, (int, float)) else None
        calls.append((number, np.array(describe.array(x, "the input of Dropout"))))
        return original(module, x)

    dropout.forward = noted
    try:
        yield
    finally:
        dropout.forward = original


def _parameters(model: Any, made: list[Any], shapes: list[list[int]]) -> list[Any]:
    """Return the parameters in the order of the data, which `shapes` tells.

    That is the order of `parameters()`, or, where attributes have another order, the one they were made in.
    """
    listed = model.parameters()
    places = {id(one): place for place, one in enumerate(made)}
    orders = [listed, sorted(listed, key=lambda one: places.get(id(one), len(made)))]
    ordered = [_weights_first(model, order) for order in orders]
    fitting = [order for order in ordered if [_vector(one) for one in order] == shapes]
    return [*fitting, *ordered][0]


def _vector(parameter: Any) -> list[int]:
    """Return a parameter's shape, that of a vector written as `(1, n)` as `(n,)`."""
    shape = [int(size) for size in np.shape(parameter.realize_cached_data())]
    return shape[1:] if len(shape) == 2 and shape[0] == 1 else shape


def _weights_first(model: Any, parameters: list[Any]) -> list[Any]:
    """Return parameters with the weight before the bias in each layer, whichever was made first there."""
    owners: dict[int, tuple[int, str]] = {}
    for module in [model, *model._children()]:
        for name, value in vars(module).items():
            owners.setdefault(id(value), (id(module), name))
    ordered: list[Any] = []
    for owner, group in itertools.groupby(parameters, lambda one: owners.get(id(one), (0, ""))[0]):
        layer = list(group)
        is_pair = owner and sorted(owners[id(one)][1] for one in layer) == ["bias", "weight"]
        ordered += sorted(layer, key=lambda one: owners[id(one)][1], reverse=True) if is_pair else layer
    return ordered


def _drawn(rng: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Return values that neither vanish nor explode: matrices by their height, vectors around 0.5."""
    scale = 1.5 / np.sqrt(shape[0]) if len(shape) > 1 and shape[0] > 1 else 1.0
    shift = 0.5 if scale == 1.0 else 0.0
    return (rng.uniform(-1, 1, shape) * scale + shift).astype(np.float32)


def _build(submission: load.Submission, arguments: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Return the model, and all nodes that were made for it, in order."""
    function = submission.find(f"mlp_resnet.{arguments['function']}")
    norm = getattr(submission.find("needle.nn"), arguments["norm"])
    with trace.recording(submission) as nodes:
        model = function(*arguments["sizes"], norm=norm, **arguments["keywords"])
    if not isinstance(model, submission.find("needle.nn.Module")):
        kind = "None" if model is None else f"a {type(model).__name__}"
        raise describe.Unusable(f"{arguments['function']} returned {kind}, not a Module")
    return model, [node.value for node in nodes]


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


def _optimiser(submission: load.Submission, parameters: list[Any], lr: float) -> Any:
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
    optimiser = _optimiser(submission, model.parameters(), arguments["lr"]) if training else None
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


def growth(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Run a network on each `(batch, dim)` input, in training with a step; return the nodes alive after each.

    `mode` is "train" or "eval". The optimiser is the grader's own; the loss the sum of the outputs' squares.
    """
    model, _ = _build(submission, arguments)
    getattr(model, arguments["mode"])()
    optimiser = _optimiser(submission, model.parameters(), 2.0**-10)
    watch = memory.Watch(submission)
    with watch.on():
        for watch.step, array in enumerate(arrays, 1):
            _pass(submission, model, optimiser if arguments["mode"] == "train" else None, array)
            watch.read()
        roots = [
            *watch.owners([model]),
            *memory.shared_roots(submission, {type(one) for one in model._children()}),
        ]
        account = watch.account(roots, watch.step - 2) if watch.grows() else {}
    return {"alive": watch.readings, **account}, []


def _pass(submission: load.Submission, model: Any, optimiser: Any, array: np.ndarray) -> None:
    out = model(tensor(submission, array))
    if optimiser is not None:
        optimiser.reset_grad()
        (out * out).sum().backward()
        optimiser.step()


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
    gc.collect()
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
    """Return the size of a loader's data set, and whether it goes through it in the order of the file."""
    try:
        samples, labels = len(loader.dataset), [int(loader.dataset[i][1]) for i in range(6)]
    except Exception:  # a loader of another kind: nothing is known of it
        return {"samples": None, "in_order": False}
    return {"samples": samples, "in_order": loader.shuffle is False and labels == [0, 1, 2, 0, 1, 2]}


def _recording_adam(submission: load.Submission, made: list[Any]) -> type:
    base = submission.find("needle.optim.Optimizer")

    class RecordingAdam(base):  # type: ignore[misc, valid-type]
        """Adam on raw arrays, without weight decay; notes how it was made and how often it stepped."""

        def __init__(self, params: Any, lr: float = 0.01, weight_decay: float = 0.0, **others: Any) -> None:
            super().__init__(list(params))
            self.keywords = {"lr": float(lr), "weight_decay": float(weight_decay)}
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


PROBES = {
    "mlp.structure": structure,
    "mlp.forward": forward,
    "mlp.epoch": epoch,
    "mlp.train": train,
    "mlp.growth": growth,
}
