"""The checks of the residual network's structure and of what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.homework.check import Check
from grader.homework.examine import SINGLE, Examination
from grader.homework.growth_checks import SETTLED, STEPS, leak, per_step
from grader.homework.mlp_dropout_checks import demand_certain, dropout
from grader.homework.mlp_epoch_checks import epoch
from grader.homework.mlp_nets import (
    BLOCK,
    NETWORK,
    NORMS,
    ODD,
    RARELY,
    Net,
    arguments_of,
    ask_net,
    draw_net,
    draw_shape,
    right_shapes,
    shown_net,
    shown_shape,
    split_reply,
)
from grader.homework.train_mnist_checks import train_mnist
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.oracle import mistakes_mlp, mlp
from grader.oracle.mistakes import Mistake, Question, explaining
from grader.oracle.mlp import Shape


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
        make("dropout", "drops in training only", partial(dropout, name), needs=train),
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
        arguments = {**arguments_of(NETWORK, shape, shape.drop), "mode": mode}
        values = trial.ask("mlp.growth", arguments, batches).values
        alive = values["alive"]
        trial.measurements |= {f"alive_per_pass_{mode}": alive}
        if max(alive[SETTLED:]) > alive[SETTLED - 1]:
            failure = leak(NETWORK, values, per_step(alive))
            failure.counterexample = shown_shape(NETWORK, shape) | {"mode": mode}
            raise failure


def _vector(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a parameter's shape, a vector written as `(1, n)` as `(n,)`."""
    return tuple(shape[1:]) if len(shape) == 2 and shape[0] == 1 else tuple(shape)


PARTS = "a norm has weight and bias, as a Linear has; build the parts in the order of the data"


def _structure(name: str, mistakes: Sequence[Mistake], trial: Trial) -> None:
    asked = [draw_shape(trial.source, norm) for norm in (*NORMS, *NORMS, *NORMS)]
    asked[-1] = replace(asked[-1], hidden=ODD)
    seen = [_ask_shapes(trial, name, one) for one in asked]
    for one, shapes in zip(asked, seen, strict=True):
        right = right_shapes(name, one)
        if shapes != right:
            failure = Failure(
                f"{name} {_difference(shapes, right)}",
                help="" if len(shapes) == len(right) else PARTS,
                counterexample=shown_shape(name, one),
                expected=[list(shape) for shape in right],
                actual=[list(shape) for shape in shapes],
                group="structure",
            )
            raise _named(failure, name, mistakes, list(zip(asked, seen, strict=True)))


def _ask_shapes(trial: Trial, name: str, one: Shape) -> list[tuple[int, ...]]:
    values = trial.ask("mlp.structure", arguments_of(name, one, 0.1), []).values
    if values["distinct"] < len(values["shapes"]):
        raise Failure(
            f"{name}: the blocks share their parameters: make a new block for each",
            help="`[block] * n` holds one block n times; call ResidualBlock n times",
            known_mistake="network-blocks-shared",
            counterexample=shown_shape(name, one),
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
        failure.explained(name, mistake.id, mistake.says).help = ""
    return failure


def _difference(shapes: list[tuple[int, ...]], right: list[tuple[int, ...]]) -> str:
    if len(shapes) != len(right):
        return f"has {len(shapes)} parameters, expected {len(right)}"
    first = next(i for i, (mine, theirs) in enumerate(zip(shapes, right, strict=True)) if mine != theirs)
    return f"has a parameter of shape {shapes[first]} at place {first}, expected {right[first]}"


def _right(name: str, mode: str, one: Net, parameters: list[np.ndarray]) -> np.ndarray:
    x, training = one.x.astype(np.float64), mode == "train"
    if name == BLOCK:
        return mlp.block(x, parameters, one.shape.norm, training=training)
    return mlp.network(x, parameters, one.shape, training=training)


def _forward(name: str, mode: str, wiring: Sequence[Mistake], trial: Trial) -> None:
    cases = [draw_net(trial.source, norm) for norm in (*NORMS, *NORMS, *NORMS)]
    modes = mistakes_mlp.MODES[:1] if mode == "eval" else mistakes_mlp.MODES[1:]
    answers: dict[int, tuple[Net, tuple[list[np.ndarray], list[np.ndarray]]]] = {}  # a net keeps its id

    def answer(one: Net) -> tuple[list[np.ndarray], list[np.ndarray]]:
        if id(one) not in answers:
            answers[id(one)] = one, split_reply(ask_net(trial, name, mode, one))
        return answers[id(one)][1]

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
        shown=partial(shown_net, name),
        question=question,
        mistakes=[*wiring, *modes],
        size=Net.size,
        plainer=Net.plainer,
        extra=8 * SINGLE,
    )
    try:
        examination.run(trial)
    except Failure:
        demand_certain(trial, name, mode, cases[0])
        raise


def _images(trial: Trial) -> None:
    for norm in NORMS:
        one = draw_net(trial.source, norm)
        shape = Shape(12, one.shape.hidden, one.shape.blocks, one.shape.classes, norm)
        x = trial.source.values((3, 2, 3, 2), -1.0, 1.0).astype(np.float32)
        net = Net(shape, one.seed, x)
        parameters, (out,) = split_reply(ask_net(trial, NETWORK, "eval", net))
        right = _right(NETWORK, "eval", net, parameters)
        if out.shape != right.shape or not np.allclose(out, right, rtol=0, atol=1e-3 * np.abs(right).max()):
            raise Failure(
                f"{NETWORK}: images of shape (2, 3, 2) are not flattened in the order of their numbers",
                help="Flatten comes first",
                counterexample=shown_net(NETWORK, net),
                group="flatten",
            )
