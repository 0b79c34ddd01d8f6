"""Which nodes stay alive from step to step, who holds them, and which lines made them.

Every node made while a `Watch` is on is known by a weak reference, with its step, phase and place; one that
was made in another way is found by the collector. That is off but for one explicit collection before each
reading, so readings repeat exactly.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from grader.worker import load, trace

MOST_LISTED = 5
# What a walk along references does not enter: it leads to everything there is.
CLOSED = (types.ModuleType, type, types.FrameType, types.CodeType, weakref.ref, load.Submission)
CONTAINERS = (list, tuple, dict, set, frozenset, deque)
Root = tuple[str, Any]


class Made(NamedTuple):
    """A node that was made: a weak reference to it, where, in which step and phase."""

    reference: weakref.ref[Any]
    place: dict[str, Any]
    step: int
    phase: str


@dataclass
class Watch:
    """The nodes made while it is on. Set `step` and `phase` as the work goes on.

    Without `places` it costs little, and does not know where nodes were made.
    """

    submission: load.Submission
    places: bool = True
    step: int = 0
    phase: str = ""
    made: list[Made] = field(default_factory=list)
    readings: list[int] = field(default_factory=list)
    _fences: set[int] = field(default_factory=set)

    @contextmanager
    def on(self) -> Iterator[Watch]:
        """Note every node made inside the block; the collector is off in it."""

        def note(value: Any, frame: types.FrameType) -> None:
            place = trace.maker(self.submission, frame) if self.places else {}
            self.made.append(Made(weakref.ref(value), place, self.step, self.phase))

        with trace.watching(self.submission, note), collector_off():
            yield self

    def read(self) -> int:
        """Collect, and note how many of the watched nodes are alive."""
        collect()
        self.readings.append(len(self.living()))
        return self.readings[-1]

    def living(self) -> list[Any]:
        """Return the nodes that are alive of those made while it is on."""
        noted = [value for one in self.made if (value := one.reference()) is not None]
        known = set(map(id, noted))
        return noted + [one for one in new_nodes(self.submission) if id(one) not in known]

    def grows(self) -> bool:
        """Tell whether more nodes were alive at the end than at the second reading."""
        return len(self.readings) > 2 and max(self.readings[2:]) > self.readings[1]

    def phases(self, step: int) -> dict[str, int]:
        """Return how many nodes each phase of a step made."""
        return dict(Counter(one.phase for one in self.made if one.step == step))

    def survivors(self, latest: int) -> dict[int, Made]:
        """Return the living nodes of steps up to `latest`, by their identity."""
        alive = ((one.reference(), one) for one in self.made if one.step <= latest)
        return {id(value): one for value, one in alive if value is not None}

    def account(self, roots: Iterable[Root], latest: int) -> dict[str, Any]:
        """Return who holds the nodes of steps up to `latest`, and the lines that made most of them."""
        old = self.survivors(latest)
        listed = list(roots)
        owners = {id(value) for _, value in listed if not isinstance(value, CONTAINERS)} & old.keys()
        found = [_reach(name, value, old, self._fences | (owners - {id(value)})) for name, value in listed]
        held = sorted((one for one in found if one["nodes"]), key=lambda one: -one["nodes"])
        return {"holders": _merged(held)[:MOST_LISTED], "lines": _lines(old.values())}

    def owners(self, values: Iterable[Any]) -> list[Root]:
        """Return the attributes of optimisers, modules and parameters as roots, `Adam.m` and the like.

        A walk from one root stops at each of these objects: what they hold is theirs.
        """
        classes = tuple(
            self.submission.find(path)
            for path in ("needle.nn.Module", "needle.optim.Optimizer", "needle.nn.Parameter")
        )
        found = _instances(values, classes)
        self._fences = {id(one) for one in found}
        return [
            (f"{type(one).__name__}.{name}", value)
            for one in found
            for name, value in _attributes(one)
            if id(value) not in self._fences
        ]


@contextmanager
def collector_off() -> Iterator[None]:
    """Have nothing collected but by hand, and then of what is made inside the block only.

    What was there before stays left out afterwards: to look at it would copy all memory that is shared.
    """
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.enable()


def collect() -> None:
    """Free what can be freed: a `__del__` that looks at `self.__dict__` puts the end off by one round."""
    gc.collect()
    gc.collect()


def new_nodes(submission: load.Submission) -> list[Any]:
    """Return the nodes alive of those made since the collector is off, also those made past `Value._init`."""
    classes = set(map(id, trace.node_classes(submission)))
    return [one for one in gc.get_objects() if id(type(one)) in classes]


def shared_roots(submission: load.Submission, classes: Iterable[type]) -> list[Root]:
    """Return what lives on modules and classes of the submission: globals and class attributes."""
    roots = []
    for name, module in list(sys.modules.items()):
        if submission.owns(getattr(module, "__file__", None) or ""):
            roots += [
                (f"{name}.{key}", one) for key, one in vars(module).items() if isinstance(one, CONTAINERS)
            ]
    for one in classes:
        roots += [(f"{one.__name__}.{k}", v) for k, v in vars(one).items() if isinstance(v, CONTAINERS)]
    return roots


def local_roots(submission: load.Submission, frame: types.FrameType | None) -> list[Root]:
    """Return the local variables of the submission's functions that are running, as roots."""
    roots = []
    while frame is not None:
        if submission.owns(frame.f_code.co_filename):
            function = submission.qualified(frame.f_code)
            roots += [(f"{name} in {function}", value) for name, value in dict(frame.f_locals).items()]
        frame = frame.f_back
    return roots


def _attributes(owner: Any) -> Iterator[tuple[str, Any]]:
    for name, value in list(getattr(owner, "__dict__", {}).items()):
        if name != "cached_data":
            yield name, value


def _instances(values: Iterable[Any], classes: tuple[type, ...]) -> list[Any]:
    """Return the objects of these classes among `values` and in their attributes and containers."""
    found: dict[int, Any] = {}
    stack = list(values)
    while stack:
        value = stack.pop(0)
        if isinstance(value, classes) and id(value) not in found:
            found[id(value)] = value
            stack += [inner for _, inner in _attributes(value)]
        elif isinstance(value, dict):
            stack += [*value.keys(), *value.values()] if len(value) < 1000 else []
        elif isinstance(value, (list, tuple)):
            stack += value[:1000]
    return list(found.values())


def _reach(name: str, root: Any, old: dict[int, Made], fences: set[int]) -> dict[str, Any]:
    """Walk along references from `root`; return how many old nodes are met and where the first was made."""
    seen, queue, met = {id(root)}, deque([root]), []
    while queue:
        value = queue.popleft()
        if id(value) in old:
            met.append(old[id(value)])
        for inner in inside(value):
            if id(inner) not in seen and id(inner) not in fences and not isinstance(inner, CLOSED):
                seen.add(id(inner))
                queue.append(inner)
    return {"name": name, "nodes": len(met), "place": met[0].place if met else {}}


def inside(value: Any) -> list[Any]:
    """Return what a value refers to, as a walk along references sees it."""
    if isinstance(value, types.FunctionType):  # its closure and defaults, not its module
        return [*(value.__closure__ or ()), *(value.__defaults__ or ())]
    return gc.get_referents(value)


def _merged(held: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return holders of one name (the same attribute of several objects) as one."""
    merged: dict[str, dict[str, Any]] = {}
    for one in held:
        known = merged.setdefault(one["name"], one)
        known["nodes"] = max(known["nodes"], one["nodes"])
    return list(merged.values())


def _lines(nodes: Iterable[Made]) -> list[dict[str, Any]]:
    counted = Counter(tuple(one.place.values()) for one in nodes)
    return [
        {"file": file, "line": line, "function": function, "nodes": count}
        for (file, line, function), count in counted.most_common(MOST_LISTED)
    ]
