"""Probe of a whole training run: a two-layer net over one pass of a data set, its nodes counted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker import load, memory
from grader.worker.ops import Answer, Arrays, tensor

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

READ_EVERY = 8


def learn(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Train Linear, ReLU, Linear of the given `widths` with SoftmaxLoss over `arrays` (samples, classes).

    `optimiser` is a class of `needle.optim`, `batch` the size of a batch. Returns the nodes `alive` at
    every eighth step and how many only the collector freed since (`waiting`), the `bytes` of the arrays
    of the nodes alive at the end, what the last step `made` by phase, and `TENSOR_COUNTER` at the start, the
    end and after a collection. With `account`, also who holds nodes of past steps, and the lines that made
    them.
    """
    watch = memory.Watch(submission, places=arguments["account"])
    waiting, counter = [], [_counter(submission)]
    with watch.on():
        owners = _start(submission, arguments)
        for watch.step, batch in enumerate(_batches(submission, arguments["batch"], arrays), 1):
            _step(owners, batch, watch)
            if watch.step % READ_EVERY == 0:
                counter[1:] = [_counter(submission)]
                uncollected = len(watch.living())
                waiting.append(uncollected - watch.read())
        counter.append(_counter(submission))
        account = _account(watch, owners) if arguments["account"] else {}
        live = _bytes(watch)
    return {
        "alive": watch.readings,
        "waiting": waiting,
        "bytes": live,
        "made": watch.phases(watch.step),
        "counter": counter,
        "peak": _peak(),
        **account,
    }, []


def count(submission: load.Submission, arguments: dict[str, Any], arrays: Arrays) -> Answer:
    """Do the same training with Python's collector as it is; return what `TENSOR_COUNTER` grew by."""
    before = _counter(submission)
    owners = _start(submission, arguments)
    for batch in _batches(submission, arguments["batch"], arrays):
        _step(owners, batch, None)
    return {"counter": _counter(submission) - before}, []


def _account(watch: memory.Watch, owners: list[Any]) -> dict[str, Any]:
    shared = memory.shared_roots(watch.submission, {type(one) for one in owners})
    return watch.account([*watch.owners(owners), *shared], watch.step - 2)


def _start(submission: load.Submission, arguments: dict[str, Any]) -> list[Any]:
    """Return model, loss and optimiser."""
    nn, (first, middle, last) = submission.find("needle.nn"), arguments["widths"]
    model = nn.Sequential(nn.Linear(first, middle), nn.ReLU(), nn.Linear(middle, last))
    optimiser = submission.find(f"needle.optim.{arguments['optimiser']}")
    return [model, nn.SoftmaxLoss(), optimiser(model.parameters(), lr=0.001)]


def _batches(submission: load.Submission, size: int, arrays: Arrays) -> Iterator[tuple[Any, Any]]:
    samples, classes = arrays
    for at in range(0, len(samples), size):
        yield tensor(submission, samples[at : at + size]), tensor(submission, classes[at : at + size])


def _step(owners: list[Any], batch: tuple[Any, Any], watch: memory.Watch | None) -> None:
    model, loss_function, optimiser = owners
    phase = _Phases(watch)
    optimiser.reset_grad()
    phase("forward")
    loss = loss_function(model(batch[0]), batch[1])
    phase("backward")
    loss.backward()
    phase("step")
    optimiser.step()
    phase("")


class _Phases:
    """Tells a watch, if there is one, what is going on."""

    def __init__(self, watch: memory.Watch | None) -> None:
        self.watch = watch

    def __call__(self, name: str) -> None:
        if self.watch is not None:
            self.watch.phase = name


def _counter(submission: load.Submission) -> int:
    """Return the submission's own count of living nodes, 0 if it keeps none."""
    value = getattr(submission.find("needle.autograd"), "TENSOR_COUNTER", 0)
    return value if isinstance(value, int) else 0


def _bytes(watch: memory.Watch) -> int:
    """Return the bytes of the arrays that living nodes hold, memory that several share counted once."""
    whole: dict[int, int] = {}
    for value in watch.living():
        array = vars(value).get("cached_data")
        while isinstance(getattr(array, "base", None), np.ndarray):
            array = array.base
        if isinstance(array, np.ndarray):
            whole[id(array)] = array.nbytes
    return sum(whole.values())


def _peak() -> int:
    """Return the greatest resident size of this process so far, in bytes, by the kernel."""
    if resource is None:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


PROBES = {"optim.learn": learn, "optim.count": count}
