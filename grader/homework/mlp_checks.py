"""The checks of the residual network's structure and of what it computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.growth_checks import SETTLED, STEPS, leak, per_step
from grader.homework.training_checks import epoch, train_mnist
from grader.homework.trial import Trial
from grader.judge import words
from grader.judge.failure import Failure
from grader.judge.source import Source
from grader.oracle import mistakes_mlp, mlp
from grader.oracle.mistakes import Mistake, Question, explaining
from grader.oracle.mlp import Shape

BLOCK, NETWORK = "ResidualBlock", "MLPResNet"
NORMS = ("BatchNorm1d", "LayerNorm1d")
DROPPED = 0.5
RARELY = 0.25  # another share than its complement and than its half


def mlp_resnet(question: str) -> tuple[Check, ...]:
    """Return the checks of the whole question."""
    return (
        *_network(question, BLOCK, mistakes_mlp.BLOCK_STRUCTURE, mistakes_mlp.BLOCK),
        *_network(question, NETWORK, mistakes_mlp.STRUCTURE, mistakes_mlp.NETWORK),
        *epoch(question),
        *train_mnist(question),
    )


def _network(
    question: str, name: str, structure: Sequence[Mistake], wiring: Sequence[Mistake]
) -> tuple[Check, ...]:
    make = partial(Check, question, name, target=f"mlp_resnet.{name}")
    first = (f"{question}.{name}.structure",)
    before = () if name == BLOCK else (f"{question}.{BLOCK}.structure",)
    train = (*first, f"{question}.{name}.train")
    checks = (
        make(
            "structure",
            "parameters: how many, in which shapes and order",
            partial(_structure, name, structure),
            needs=before,
        ),
        make(
            "train", "output in training", partial(_forward, name, "train", wiring), weight=2.0, needs=first
        ),
        make("eval", "output in evaluation", partial(_forward, name, "eval", wiring), needs=first),
        make("dropout", "drops in training only", partial(_dropout, name), needs=train),
    )
    return (*checks, _flatten(question), _graph(question)) if name == NETWORK else checks


def _flatten(question: str) -> Check:
    return Check(
        question,
        NETWORK,
        "flatten",
        "images are flattened first",
        _images,
        weight=0.5,
        target=f"mlp_resnet.{NETWORK}",
        needs=(f"{question}.{NETWORK}.eval",),
        asked=lambda starter: starter != "2022",
    )


def _graph(question: str) -> Check:
    return Check(
        question,
        NETWORK,
        "graph",
        "no module keeps nodes of the passes before",
        _growth,
        weight=0.5,
        target=f"mlp_resnet.{NETWORK}",
        needs=(f"{question}.{NETWORK}.train", f"{question}.{NETWORK}.eval"),
    )


def _growth(trial: Trial) -> None:
    """Count nodes over passes in training and in evaluation; BatchNorm1d is counted with the optimisers."""
    shape = Shape(5, 4, 1, 2, "LayerNorm1d", RARELY)
    rng = np.random.default_rng(7)
    batches = [rng.uniform(-1, 1, (3, shape.dim)).astype(np.float32) for _ in range(STEPS)]
    for mode in ("train", "eval"):
        arguments = {**_arguments(NETWORK, shape, shape.drop), "mode": mode}
        values = trial.ask("mlp.growth", arguments, batches).values
        alive = values["alive"]
        trial.measurements |= {f"alive_per_pass_{mode}": alive}
        if max(alive[SETTLED:]) > alive[SETTLED - 1]:
            failure = leak(NETWORK, values, per_step(alive))
            failure.counterexample = _shown_shape(NETWORK, shape) | {"mode": mode}
            raise failure


@dataclass(frozen=True)
class Net:
    """A network's sizes, the seed of its parameters, and an input `(batch, ...)`."""

    shape: Shape
    seed: int
    x: np.ndarray

    def size(self) -> tuple[int, ...]:
        """Order by what there is to compute."""
        return self.shape.blocks, self.shape.hidden, self.x.size, self.shape.dim


def draw_shape(source: Source, norm: str, *, drop: float = 0.0) -> Shape:
    """Return small sizes, all different, with one to four blocks."""
    return Shape(
        dim=source.choice([5, 7, 9]),
        hidden=source.choice([4, 6, 8]),
        blocks=source.choice([1, 2, 4]),
        classes=source.choice([3, 2, 11]),
        norm=norm,
        drop=drop,
    )


def draw_net(source: Source, norm: str, *, name: str = NETWORK) -> Net:
    """Return a network (or a block) and an input of two to five rows."""
    shape = draw_shape(source, norm)
    x = source.values((source.integer(2, 5), shape.dim), -2.0, 2.0, 0.25)
    return Net(shape, source.integer(0, 99999), x.astype(np.float32))


def _arguments(name: str, one: Shape, drop: float) -> dict[str, Any]:
    sizes = [one.dim, one.hidden] if name == BLOCK else [one.dim, one.hidden, one.blocks, one.classes]
    shapes = [list(shape) for shape in _right_shapes(name, one)]
    return {
        "function": name,
        "sizes": sizes,
        "norm": one.norm,
        "keywords": {"drop_prob": drop},
        "shapes": shapes,
    }


def _right_shapes(name: str, one: Shape) -> list[tuple[int, ...]]:
    return mlp.block_shapes(one.dim, one.hidden) if name == BLOCK else mlp.network_shapes(one)


def _vector(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a parameter's shape, a vector written as `(1, n)` as `(n,)`."""
    return tuple(shape[1:]) if len(shape) == 2 and shape[0] == 1 else tuple(shape)


def _structure(name: str, mistakes: Sequence[Mistake], trial: Trial) -> None:
    asked = [draw_shape(trial.source, norm) for norm in (*NORMS, *NORMS, *NORMS)]
    seen = [_ask_shapes(trial, name, one) for one in asked]
    for one, shapes in zip(asked, seen, strict=True):
        right = _right_shapes(name, one)
        if shapes != right:
            failure = Failure(
                f"{name} {_difference(shapes, right)}",
                help="a norm has weight and bias, as a Linear has; build the parts in the order of the data",
                counterexample=_shown_shape(name, one),
                expected=[list(shape) for shape in right],
                actual=[list(shape) for shape in shapes],
                group="structure",
            )
            raise _named(failure, name, mistakes, list(zip(asked, seen, strict=True)))


def _ask_shapes(trial: Trial, name: str, one: Shape) -> list[tuple[int, ...]]:
    values = trial.ask("mlp.structure", _arguments(name, one, 0.1), []).values
    if values["distinct"] < len(values["shapes"]):
        raise Failure(
            f"{name}: the blocks share their parameters: make a new block for each",
            help="`[block] * n` holds one block n times; call ResidualBlock n times",
            known_mistake="network-blocks-shared",
            counterexample=_shown_shape(name, one),
            group="structure",
        )
    return [_vector(shape) for shape in values["shapes"]]


def _named(
    failure: Failure,
    name: str,
    mistakes: Sequence[Mistake],
    seen: list[tuple[Shape, list[tuple[int, ...]]]],
) -> Failure:
    observed: Any = [(Question((), (one,)), shapes) for one, shapes in seen]
    mistake = explaining(mistakes, observed, lambda mine, wrong: list(mine) == list(wrong))
    if mistake is not None:
        failure.message, failure.known_mistake = f"{name}: {mistake.says}", mistake.id
    return failure


def _difference(shapes: list[tuple[int, ...]], right: list[tuple[int, ...]]) -> str:
    if len(shapes) != len(right):
        return f"has {len(shapes)} parameters, expected {len(right)}"
    first = next(i for i, (mine, theirs) in enumerate(zip(shapes, right, strict=True)) if mine != theirs)
    return f"has a parameter of shape {shapes[first]} at place {first}, expected {right[first]}"


def _shown_shape(name: str, one: Shape) -> dict[str, Any]:
    shown: dict[str, Any] = {"dim": one.dim, "hidden_dim": one.hidden, "norm": one.norm}
    if name == NETWORK:
        shown |= {"num_blocks": one.blocks, "num_classes": one.classes}
    return shown | {"drop_prob": one.drop}


def _ask(
    trial: Trial, name: str, mode: str, one: Net, *, drop: float | None = None, runs: int = 1
) -> list[np.ndarray]:
    """Return the parameters that the submission's network had, then the outputs."""
    chosen = one.shape.drop if drop is None else drop
    arguments = {**_arguments(name, one.shape, chosen), "seed": one.seed, "mode": mode}
    arrays = trial.ask("mlp.forward", arguments, [one.x] * runs).arrays
    if len(arrays) != len(_right_shapes(name, one.shape)) + runs:
        raise Failure(f"{name}: the parameters are not those that it was built with", group="structure")
    return arrays


def _split(arrays: list[np.ndarray], runs: int = 1) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [one.astype(np.float64) for one in arrays[:-runs]], arrays[-runs:]


def _right(name: str, mode: str, one: Net, parameters: list[np.ndarray]) -> np.ndarray:
    x, training = one.x.astype(np.float64), mode == "train"
    if name == BLOCK:
        return mlp.block(x, parameters, one.shape.norm, training=training)
    return mlp.network(x, parameters, one.shape, training=training)


def _forward(name: str, mode: str, wiring: Sequence[Mistake], trial: Trial) -> None:
    cases = [draw_net(trial.source, norm) for norm in (*NORMS, *NORMS, *NORMS)]
    modes = mistakes_mlp.MODES[:1] if mode == "eval" else mistakes_mlp.MODES[1:]
    answers: dict[int, tuple[list[np.ndarray], list[np.ndarray]]] = {}

    def answer(one: Net) -> tuple[list[np.ndarray], list[np.ndarray]]:
        if id(one) not in answers:
            answers[id(one)] = _split(_ask(trial, name, mode, one))
        return answers[id(one)]

    def question(one: Net) -> Question:
        shape = None if name == BLOCK else one.shape
        x = one.x.astype(np.float64)
        return Question((x, *answer(one)[0]), (shape, one.shape.norm, mode == "train"))

    examination = Examination(
        function=name,
        cases=cases,
        ask=lambda one: answer(one)[1],
        right=lambda one: [_right(name, mode, one, answer(one)[0])],
        names=[f"the output in {mode} mode"],
        shown=partial(_shown, name),
        question=question,
        mistakes=[*wiring, *modes],
        size=Net.size,
        extra=8 * SINGLE,
    )
    try:
        examination.run(trial)
    except Failure:
        _demand_certain(trial, name, mode, cases[0])
        raise


def _demand_certain(trial: Trial, name: str, mode: str, one: Net) -> None:
    """Raise a failure if the output depends on the random numbers, though drop_prob is 0."""
    _, (first, second) = _split(_ask(trial, name, mode, one, runs=2), 2)
    if not np.array_equal(first, second, equal_nan=True):
        says = _UNSTEADY if mode == "eval" else _DROPOUT["train", False]
        raise Failure(f"{name}: {says}", counterexample=_shown(name, one), group="dropout")


def _shown(name: str, one: Net) -> dict[str, Any]:
    return {**_shown_shape(name, one.shape), "x": words.excerpt(one.x)}


def _dropout(name: str, trial: Trial) -> None:
    """Two seeds give two outputs in training and one in evaluation; without drop_prob one in both.

    Where the network is made with the submission's own Dropout, also how often, where, and with which share.
    """
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        wanted = [("train", DROPPED, True), ("train", 0.0, False), ("eval", DROPPED, False)]
        for mode, drop, differs in wanted:
            _, runs = _split(_ask(trial, name, mode, one, drop=drop, runs=5), 5)
            if (not all(np.array_equal(run, runs[0]) for run in runs)) != differs:
                _demand_certain(trial, name, mode, one)  # or else it is not Dropout that differs
                raise Failure(
                    f"{name}: {_DROPOUT[mode, differs]}",
                    help="Dropout(drop_prob) stands behind the inner ReLU",
                    counterexample=_shown(name, one) | {"drop_prob": drop, "mode": mode},
                    group="dropout",
                )
    _place(name, trial)


@dataclass(frozen=True)
class Calls:
    """What a network's Dropouts got in a pass: their `p` (None if unknown) and inputs; and its parameters."""

    shares: list[float | None]
    inputs: list[np.ndarray]
    parameters: list[np.ndarray]


def _calls(trial: Trial, name: str, one: Net) -> Calls:
    arguments = {**_arguments(name, one.shape, RARELY), "seed": one.seed, "mode": "train", "watch": True}
    reply = trial.ask("mlp.forward", arguments, [one.x])
    shares = reply.values["p"]
    end = len(reply.arrays) - len(shares)
    return Calls(shares, reply.arrays[end:], [array.astype(np.float64) for array in reply.arrays[: end - 1]])


def _place(name: str, trial: Trial) -> None:
    """Look at what each Dropout of the network gets; no call means that another way was taken.

    The network is held to its own blocks, so that a fault of theirs is counted once.
    """
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        calls = _calls(trial, name, one)
        inside = Shape(one.shape.hidden, one.shape.hidden // 2, norm=norm)
        inner = Net(inside, one.seed, np.resize(one.x, (len(one.x), inside.dim)))
        says = (
            _block_says(one, calls)
            if name == BLOCK
            else _network_says(one, calls, _calls(trial, BLOCK, inner))
        )
        if calls.shares and says:
            raise Failure(
                f"{name}: {says}",
                help="Dropout(drop_prob) stands behind the inner ReLU",
                counterexample=_shown(name, one) | {"drop_prob": RARELY, "mode": "train"},
                group="dropout",
            )


def _block_says(one: Net, calls: Calls) -> str:
    if len(calls.shares) > 1:
        return f"Dropout is called {len(calls.shares)} times, expected 1"
    for p, x in zip(calls.shares, calls.inputs, strict=True):
        right = mlp.before_relu(one.x.astype(np.float64), calls.parameters, one.shape.norm, training=True)
        if x.shape != right.shape or not _same_behind_relu(x, right):
            return "Dropout does not stand behind the inner ReLU"
        if p is not None and not math.isclose(p, RARELY, rel_tol=1e-6):
            return f"with drop_prob={RARELY} Dropout has p={p:g}"
    return ""


def _same_behind_relu(mine: np.ndarray, right: np.ndarray) -> bool:
    """Compare what is left behind a ReLU: a Dropout before it drops the same."""
    mine, tolerance = mlp.relu(mine.astype(np.float64)), 1e-3 * np.abs(right).max()
    return bool(np.allclose(mine, mlp.relu(right), rtol=0, atol=tolerance))


def _network_says(one: Net, calls: Calls, block: Calls) -> str:
    wanted = one.shape.blocks * max(1, len(block.shares))
    if len(calls.shares) != wanted:
        return f"Dropout is called {len(calls.shares)} times, expected {wanted}: it stands in the blocks only"
    p = calls.shares[0]
    right = block.shares[0] if block.shares else RARELY
    if p is not None and right is not None and not math.isclose(p, right, rel_tol=1e-6):
        return f"with drop_prob={RARELY} Dropout has p={p:g}, in a ResidualBlock p={right:g}"
    return ""


_UNSTEADY = "in eval mode one input has two outputs: something in it is drawn, or still updated"
_DROPOUT: dict[tuple[str, bool], str] = {
    ("train", True): "nothing is dropped in training with drop_prob=0.5",
    ("train", False): "something is dropped with drop_prob=0: is drop_prob passed on to Dropout?",
    ("eval", False): "something is still dropped in eval mode",
}


def _images(trial: Trial) -> None:
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        shape = Shape(12, one.shape.hidden, one.shape.blocks, one.shape.classes, norm)
        x = trial.source.values((3, 2, 3, 2), -1.0, 1.0).astype(np.float32)
        net = Net(shape, one.seed, x)
        parameters, (out,) = _split(_ask(trial, NETWORK, "eval", net))
        right = _right(NETWORK, "eval", net, parameters)
        if out.shape != right.shape or not np.allclose(out, right, rtol=0, atol=1e-3 * np.abs(right).max()):
            raise Failure(
                f"{NETWORK}: images of shape (2, 3, 2) are not flattened in the order of their numbers",
                help="Flatten comes first",
                counterexample=_shown(NETWORK, net),
                group="flatten",
            )
