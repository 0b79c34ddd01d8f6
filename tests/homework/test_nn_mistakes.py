"""Each known mistake is named for a program that makes it, and no other is.

The wrong formula's answers, in float32, take the place of the worker's; the check itself is the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from grader.homework import (
    dropout_checks,
    init_checks,
    linear_checks,
    log_checks,
    nn_checks,
    nn_layer_checks,
    norm_checks,
    op_checks,
)
from grader.homework.check import Check
from grader.homework.nn_layer import Layer
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.oracle import (
    init,
    mistakes_dropout,
    mistakes_init,
    mistakes_log,
    mistakes_nn,
    mistakes_norm,
    mistakes_ops,
    mistakes_running,
)
from grader.oracle import nn as truth
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Reply

SEED = 1


class NoWorker(Trial):
    """A trial whose worker is never asked: the tests answer in its place."""

    def ahead(self, requests: Any) -> None:
        """Post nothing."""

    def once_more(self, examine: Any) -> None:
        """Nothing is printed."""

    def ask(self, *arguments: Any, **keywords: Any) -> Reply:
        """Fail: every answer must come from the test."""
        raise AssertionError(arguments)


def failure_of(check: Check) -> Failure:
    """The failure of a check whose answers have been replaced."""
    trial = NoWorker(check, lambda: None, seeded(SEED, "hw2", check.id), Budget(per_check=0.0))  # type: ignore[arg-type, return-value]
    with pytest.raises(Failure) as caught:
        check.run(trial)
    return caught.value


def find(checks: Sequence[Check], id: str) -> Check:
    """The check with that id."""
    return next(check for check in checks if check.id == id)


def answer(mistake: Mistake, question: Question, right: Any) -> list[np.ndarray]:
    """What a program with that mistake answers in float32; the right thing where it cannot be made."""
    try:
        with np.errstate(all="ignore"):
            wrong = mistake.wrong(question)
    except (ValueError, IndexError, TypeError, ZeroDivisionError):
        wrong = None
    with np.errstate(over="ignore"):
        return [np.asarray(one, dtype=np.float32) for one in (right() if wrong is None else wrong)]


LAYERS: list[tuple[str, Layer, Sequence[Mistake]]] = [
    ("Linear", linear_checks.LINEAR, mistakes_nn.LINEAR),
    ("Flatten", nn_checks.FLATTEN, mistakes_nn.FLATTEN),
    ("ReLU", nn_checks.RELU, mistakes_nn.RELU),
    ("Sequential", nn_checks.SEQUENTIAL, mistakes_nn.SEQUENTIAL),
    ("Residual", nn_checks.RESIDUAL, mistakes_nn.RESIDUAL),
    ("SoftmaxLoss", nn_checks.SOFTMAX_LOSS, mistakes_nn.SOFTMAX_LOSS),
    ("BatchNorm1d", norm_checks.BATCH_NORM, mistakes_norm.BATCH_NORM),
    ("BatchNorm1d_eval", norm_checks.BATCH_NORM_EVAL, mistakes_norm.BATCH_NORM_EVAL),
    ("LayerNorm1d", norm_checks.LAYER_NORM, mistakes_norm.LAYER_NORM),
]
FORWARD = [(layer, mistake) for _, layer, mistakes in LAYERS for mistake in mistakes]
GRADIENT = [(layer, mistake) for _, layer, _ in LAYERS for mistake in layer.gradient_mistakes]


def identified(pair: Any) -> str:
    """The id of the mistake, for the test's name."""
    return pair.id if isinstance(pair, Mistake) else getattr(pair, "name", str(pair))


@pytest.mark.parametrize(("layer", "mistake"), FORWARD, ids=identified)
def test_forward_mistake(layer: Layer, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong formula of a module's output is named."""

    def ask(asked: Layer, trial: Trial, one: Any, *_: Any) -> Reply:
        return Reply({}, answer(mistake, layer.question(one), lambda: [layer.value(one)]))

    monkeypatch.setattr(nn_layer_checks, "ask", ask)

    failure = failure_of(nn_layer_checks.checks(layer, "nn")[0])

    assert failure.known_mistake == mistake.id
    assert mistake.says in failure.message


@pytest.mark.parametrize(("layer", "mistake"), GRADIENT, ids=identified)
def test_gradient_mistake(layer: Layer, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong gradient of a module is named."""

    def gradients(asked: Layer, trial: Trial, one: Any, *_: Any) -> list[np.ndarray]:
        return answer(mistake, layer.question(one), lambda: layer.pullback(one, one.cotangent))

    monkeypatch.setattr(nn_layer_checks, "gradients", gradients)

    failure = failure_of(nn_layer_checks.checks(layer, "nn")[1])

    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("mistake", mistakes_running.RUNNING, ids=identified)
def test_running_mistake(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong update of the running statistics is named."""

    def statistics(trial: Trial, one: Any) -> list[np.ndarray]:
        question = Question(one.arrays(), (one.momentum, one.modes))
        right = truth.running_statistics(one.mean, one.var, one.training(), one.momentum)
        return answer(mistake, question, lambda: right)

    monkeypatch.setattr(norm_checks, "_statistics", statistics)

    failure = failure_of(find(norm_checks.batch_norm("nn"), "nn.BatchNorm1d.running"))

    assert failure.known_mistake == mistake.id


def masked(one: Any) -> np.ndarray:
    """The elements that a right Dropout keeps."""
    return np.random.default_rng(one.seed).random(one.x.shape) >= one.p


DROPOUT = [
    *(("scale", mistake) for mistake in mistakes_dropout.DROPOUT),
    *(("eval", mistake) for mistake in mistakes_dropout.DROPOUT_EVAL),
]


@pytest.mark.parametrize(("kind", "mistake"), DROPOUT, ids=identified)
def test_dropout_mistake(kind: str, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong scale, and a wrong evaluation, are named."""

    def output(trial: Trial, one: Any, mode: str = "train") -> np.ndarray:
        question = Question((one.x, masked(one)), (one.p,))
        return answer(mistake, question, lambda: [one.x])[0]

    monkeypatch.setattr(dropout_checks, "_output", output)

    assert failure_of(find(dropout_checks.dropout("nn"), f"nn.Dropout.{kind}")).known_mistake == mistake.id


@pytest.mark.parametrize("mistake", mistakes_dropout.DROPOUT_GRADIENT, ids=identified)
def test_dropout_gradient_mistake(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient without the mask or the scale is named."""

    def ask(trial: Trial, one: Any, *modes: str, **more: Any) -> Reply:
        out = truth.dropout(one.x, masked(one), one.p).astype(np.float32)
        question = Question((one.cotangent, masked(one)), (one.p,))
        return Reply({}, [out, *(answer(mistake, question, lambda: [out]) if "gradients" in more else [])])

    monkeypatch.setattr(dropout_checks, "_ask", ask)

    assert failure_of(find(dropout_checks.dropout("nn"), "nn.Dropout.gradient")).known_mistake == mistake.id


@pytest.mark.parametrize("mistake", mistakes_dropout.DROPPED, ids=identified)
def test_dropout_ratio(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong share of dropped elements is said in per cent and named."""

    def output(trial: Trial, one: Any, mode: str = "train") -> np.ndarray:
        share = mistake.wrong(Question((), (one.p,)))
        return (np.random.default_rng(one.seed).random(one.x.shape) >= share).astype(np.float32)

    monkeypatch.setattr(dropout_checks, "_output", output)

    failure = failure_of(find(dropout_checks.dropout("nn"), "nn.Dropout.ratio"))

    assert failure.known_mistake == mistake.id
    assert "asked 25 %" in failure.message or mistake.id == "dropout-half"


INIT = [(function, mistake) for function, mistakes in mistakes_init.INIT.items() for mistake in mistakes]


@pytest.mark.parametrize(("function", "mistake"), INIT, ids=identified)
def test_init_mistake(function: str, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong bound, deviation, distribution or shape is named."""

    def ask(trial: Trial, asked: str, one: Any, **_: Any) -> Reply:
        right = [init.draw(function, *one.parameters())]
        return Reply({}, answer(mistake, Question((), one.parameters()), lambda: right))

    monkeypatch.setattr(init_checks, "_ask", ask)

    failure = failure_of(find(init_checks.initialisers("init"), f"init.{function}.values"))

    assert failure.known_mistake == mistake.id


@pytest.mark.parametrize("mistake", mistakes_nn.LINEAR_START, ids=identified)
def test_linear_start(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong first values of a Linear are named."""

    def drawn(trial: Trial, seed: int, rows: int, columns: int) -> list[np.ndarray]:
        weight, bias = mistake.wrong(Question((), (seed, rows, columns)))
        return [weight.reshape(rows, columns).astype(np.float32), bias.astype(np.float32)]

    monkeypatch.setattr(linear_checks, "_linear_drawn", drawn)

    assert failure_of(find(nn_checks.modules("nn"), "nn.Linear.init")).known_mistake == mistake.id


def test_linear_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bias that is drawn first costs nothing and is said."""

    def drawn(trial: Trial, seed: int, rows: int, columns: int) -> list[np.ndarray]:
        return list(init.linear(seed, rows, columns, bias_first=True))

    monkeypatch.setattr(linear_checks, "_linear_drawn", drawn)
    check = find(nn_checks.modules("nn"), "nn.Linear.order")

    failure = failure_of(check)

    assert check.weight == 0
    assert failure.message == "Linear draws the bias first, expected the weight first"


LOG = [
    (op, kind, mistake)
    for op in log_checks.OPS
    for kind, mistakes in (
        ("forward", mistakes_log.FORWARD[op.name]),
        ("gradient", [*mistakes_log.GRADIENT[op.name], *mistakes_ops.EVERY_GRADIENT[:6]]),
    )
    for mistake in mistakes
]


@pytest.mark.parametrize(("op", "kind", "mistake"), LOG, ids=identified)
def test_log_mistake(op: Any, kind: str, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong formula of LogSumExp or LogSoftmax is named."""

    def ask(asked: Any, trial: Trial, case: Any) -> Reply:
        wrong: Any
        try:
            with np.errstate(all="ignore"):
                wrong = mistake.wrong(op.question(case))
        except (ValueError, IndexError, TypeError):
            wrong = None
        if wrong is None:
            wrong = [op.value(case)] if kind == "forward" else op.pullback(case, case.cotangent)
        return Reply({}, [np.array(one, dtype=np.float64) for one in wrong])

    monkeypatch.setattr(op_checks, f"ask_{kind}", ask)

    failure = failure_of(find(log_checks.logarithms("ops"), f"ops.{op.name}.{kind}"))

    assert failure.known_mistake == mistake.id


def test_mistakes_are_many_and_their_ids_unique() -> None:
    """No two mistakes share an id."""
    tables = [
        *mistakes_init.INIT.values(),
        *mistakes_log.FORWARD.values(),
        *mistakes_log.GRADIENT.values(),
        *(mistakes for _, _, mistakes in LAYERS if mistakes is not mistakes_nn.RELU),
        *(layer.gradient_mistakes for _, layer, _ in LAYERS),
        mistakes_dropout.DROPOUT,
        mistakes_dropout.DROPOUT_EVAL,
        mistakes_dropout.DROPOUT_GRADIENT,
        mistakes_dropout.DROPPED,
        mistakes_nn.LINEAR_START,
        mistakes_running.RUNNING,
    ]
    ids = [mistake.id for table in tables for mistake in table]

    assert len(ids) == len(set(ids))
    assert len(ids) >= 100
