"""What an answer to each probe looks like: beside the wire, what the grader and its workers agree on.

A worker may answer anything, since student code can replace the probes. What comes back is held against
this table before anybody reads it: every entry in its kind and within bounds, nothing that is not listed. An
entry that is missing or of another kind makes the answer that of a broken worker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# A shape is a kind (int, float, bool, str, None), a tuple of shapes one of which has to fit, a list with the
# one shape of its entries, a dict of shapes by key (`"name?"` may be missing, the key `str` is any), or ANY.
Shape = Any
# Probes that look at sources alone: they are asked of a worker that runs no student code, and not forged.
READING = frozenset({"survey.static", "survey.scaffold", "blame.edited", "blame.sharing"})
Arguments = Mapping[str, Any]
ANY = object()
LARGEST = 2**53
LONGEST = 2048  # characters of a text

LINE = (int, None)  # code that was made by code has no lines
PLACE = {"file": str, "line": LINE, "function": str}
NODE = {"op": str, **PLACE}
SCALAR = (bool, int, float, str, None)
SYNTAX = {"file": str, "line": int, "text": str}
RAISED = {
    "type": str,
    "text": str,
    "unusable": bool,
    "unfilled": bool,
    "frames": [PLACE],
    "syntax": (SYNTAX, None),
}
HOLDER = {"name": str, "nodes": int, "place": (PLACE, {})}
HELD = {"holders?": [HOLDER], "lines?": [{**PLACE, "nodes": int}]}
EPOCH = {
    "train": bool,
    "result": ([float], None),
    "samples": (int, None),
    "labels": [int],
    "in_order": bool,
}


Length = Callable[[Arguments, int], int]


@dataclass(frozen=True)
class Answer:
    """The shape of a probe's values, and what else the question tells of an answer.

    `lists` has the lengths of some lists among the values, `arrays` the number of arrays; both are told by
    the arguments and the number of arrays that the question has. `of_values` tells the arrays by the values.
    """

    values: Shape
    arrays: int | Length | None = None
    lists: Mapping[str, Length] = field(default_factory=dict)
    of_values: Callable[[Arguments, Mapping[str, Any]], int] | None = None


def _of_run(arguments: Arguments, sent: int) -> int:
    """Count outputs, attributes that are read, and gradients, that of the input among them."""
    gradients = len(arguments["gradients"]) + 1 if "gradients" in arguments else 0
    return len(arguments["steps"]) + len(arguments.get("read", [])) + gradients


def _named(key: str) -> Length:
    """Return the length of one of the arguments."""
    return lambda arguments, sent: len(arguments.get(key, []))


ONE_FOR_EACH: Mapping[str, Length] = {"alive": lambda arguments, sent: sent}
ANSWERS: dict[str, Answer] = {
    "survey.static": Answer(
        {
            "errors": [{"file": str, "line": int, "text": str}],
            "unresolved": [
                {"file": str, "line": int, "module": str, "name": str, "problem": str, "used": bool}
            ],
            "only_raises": [{"function": str, "raises": str, "file": str, "line": int}],
            "copies": [{"file": str, "line": int, "module": str}],
        },
        0,
    ),
    "survey.imports": Answer({"failed": [{"module": str, "raised": RAISED}], "places": [(PLACE, None)]}, 0),
    "survey.typos": Answer({"typos": [{"file": str, "line": int, "text": str, "meant": str}]}, 0),
    "survey.scaffold": Answer({"edits": [{"file": str, "line": int, "what": str, "how": str}]}, 0),
    "blame.substitute": Answer({"absent": [str]}, 0),
    "blame.mutate": Answer({"count": int, "line": int}, 0),
    "blame.sharing": Answer({"sharing": [str]}, 0),
    "blame.edited": Answer({"edited": [str]}, 0),
    "blame.places": Answer({"places": [(PLACE, None)]}, 0),
    "op.forward": Answer({"changed": [int]}, 1),
    "op.gradient": Answer({"nodes": [NODE], "made": int, "changed": [int]}),
    "op.replay": Answer({"detached": [NODE]}),
    "autograd.sort": Answer({"order": [int], "steps": int}, 0),
    "autograd.gradients": Answer(
        {"missing": [int], "made": int, "nodes": [NODE]},
        of_values=lambda asked, found: len(asked["wanted"]) - len(found["missing"]),
    ),
    "apps.softmax_loss": Answer({}),
    "apps.nn_epoch": Answer({"kinds": [str], "alive": int, "made": int, "lines": [NODE]}, 4),
    "init.draw": Answer({"requires_grad": bool}, 1),
    "nn.run": Answer(
        {"shapes": [[int]], "changed": [int], "widened": (NODE, None)}, _of_run, {"shapes": _named("written")}
    ),
    "nn.inspect": Answer(
        {"parameters": [{"name": str, "shape": [int]}], "kinds": [str]},
        _named("attributes"),
        {"kinds": _named("attributes")},
    ),
    "nn.modes": Answer({"training": {str: [SCALAR]}, "parameters": int}, 0),
    "nn.growth": Answer({"alive": [int], "holders": [str], "lines": [NODE]}, 0, ONE_FOR_EACH),
    "optim.run": Answer({"touched": [int]}, lambda asked, sent: asked["parameters"]),
    "optim.growth": Answer({"alive": [int], "made": {str: int}, **HELD}, 0, ONE_FOR_EACH),
    "optim.learn": Answer(
        {
            "alive": [int],
            "waiting": [int],
            "bytes": int,
            "made": {str: int},
            "counter": [int],
            "peak": int,
            **HELD,
        },
        0,
        {"counter": lambda asked, sent: 3},
    ),
    "optim.count": Answer({"counter": int}, 0),
    "picture.step": Answer({}, 1),  # JSON in an array, read by `homework.picture`
    "picture.gradient": Answer({}, 1),
    "data.transform": Answer({"changed": bool}, lambda asked, sent: asked["times"]),
    "data.mnist": Answer(
        {"length": int, "seen": [[int]], "calls": [int]}, lambda asked, sent: 2 * len(asked["indices"])
    ),
    "data.loader": Answer(
        {"sizes": [[int]], "reads": [int], "drawn": [bool]},
        lists={"reads": _named("passes"), "drawn": _named("passes")},
        of_values=lambda asked, found: sum(map(sum, found["sizes"])),
    ),
    "data.loader_of_mnist": Answer({}),
    "data.dataset": Answer({"length": int}),
    "mlp.structure": Answer({"shapes": [[int]], "distinct": int}, 0),
    "mlp.forward": Answer({"p?": [(float, None)]}),
    "mlp.growth": Answer({"alive": [int], **HELD}, 0, ONE_FOR_EACH),
    "mlp.epoch": Answer({"modes": [bool], "calls": int, "optimiser": str, "alive": [int], **HELD}, 3),
    "mlp.train": Answer(
        {
            "optimisers": int,
            "steps": int,
            "keywords": {str: float},
            "shapes": [[int]],
            "epochs": [EPOCH],
        },
        4,
    ),
    "hw0.add": Answer({"type": str, "numpy": bool, "text?": str}),
    "hw0.parse_mnist": Answer({"shapes": [[int]], "dtypes": [str]}),
    "hw0.softmax_loss": Answer({}, 3),
    "hw0.epoch": Answer({"returned": str}, lambda asked, sent: sent),
    "hw0.race": Answer({"numpy": float, "cpp": float}, 0),
    "official.run": Answer({"count": int, "raised": (RAISED, None)}, 0),
    "official.value": Answer({"value": ANY}),  # read by `official.values`, which believes nothing
}


def fitted(
    probe: str, arguments: Arguments, sent: int, values: dict[str, Any], arrays: int
) -> dict[str, Any]:
    """Return the values of an answer as the table has them, to a question with `sent` arrays.

    Raises `ValueError` for an answer that does not fit.
    """
    answer = ANSWERS.get(probe)
    if answer is None:  # the sandbox's own tests ask their own questions
        return values
    found: dict[str, Any] = _fitted(values, answer.values)
    for key, length in answer.lists.items():
        if len(found[key]) != length(arguments, sent):
            raise ValueError(f"{key} has {len(found[key])} entries")
    wanted = answer.arrays(arguments, sent) if callable(answer.arrays) else answer.arrays
    if answer.of_values is not None:
        wanted = answer.of_values(arguments, found)
    if wanted is not None and arrays != wanted:
        raise ValueError(f"{arrays} arrays came, expected {wanted}")
    return found


def raised(what: Any) -> dict[str, Any]:
    """Return an exception as a worker describes it. Raises `ValueError` for what is none."""
    found: dict[str, Any] = _fitted(what, RAISED)
    return found


def _fitted(value: Any, shape: Shape) -> Any:
    if isinstance(shape, tuple):
        return _one_of(value, shape)
    if isinstance(shape, list):
        return [_fitted(one, shape[0]) for one in _of_type(value, list)]
    if isinstance(shape, dict):
        return _entries(_of_type(value, dict), shape)
    return value if shape is ANY else _plain(value, shape)


def _one_of(value: Any, shapes: tuple[Shape, ...]) -> Any:
    for shape in shapes:
        try:
            return _fitted(value, shape)
        except ValueError:
            continue
    raise ValueError("of none of the kinds that it may have")


def _entries(value: dict[str, Any], shape: dict[Any, Shape]) -> dict[str, Any]:
    if str in shape:
        return {key[:LONGEST]: _fitted(one, shape[str]) for key, one in value.items()}
    found = {}
    for key, inner in shape.items():
        name = key.rstrip("?")
        if name in value:
            found[name] = _fitted(value[name], inner)
        elif name == key:
            raise ValueError(f"{name} is missing")
    return found


def _plain(value: Any, kind: Any) -> Any:
    if kind is None:
        return _of_type(value, type(None))
    if kind is str:
        return _of_type(value, str)[:LONGEST]
    if kind is bool:
        return _of_type(value, bool)
    if type(value) is int and kind in (int, float):
        if abs(value) > LARGEST:
            raise ValueError("a number without measure")
        return value
    found = _of_type(value, kind)
    if not math.isfinite(found):
        raise ValueError("a number without measure")
    return found


def _of_type(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"a {type(value).__name__}, expected a {kind.__name__}")
    return value
