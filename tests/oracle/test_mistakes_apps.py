"""Each known mistake of hw1's autograd, loss and training loop gets its own sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.classroom.grade import grade
from grader.homework import app_checks, autograd_checks
from grader.oracle import apps, graphs, mistakes_apps, ops
from grader.oracle.mistakes import Mistake, Question
from tests.oracle.answering import Answer, Wrong, named, outcome, right
from tests.support import build

CHECKS = {
    "softmax_loss": app_checks.softmax_loss("q")[0],
    "nn_epoch": app_checks.nn_epoch("q")[0],
    "compute_gradient_of_variables": autograd_checks.compute_gradient("q")[0],
}
LISTS = {
    "softmax_loss": mistakes_apps.SOFTMAX_LOSS,
    "nn_epoch": mistakes_apps.NN_EPOCH,
    "compute_gradient_of_variables": mistakes_apps.AUTOGRAD,
}
ALL = [(function, mistake) for function, several in LISTS.items() for mistake in several]
FEWEST = 17


def _answer(function: str, wrong: Wrong) -> Answer:
    """Answer the probes of a function by a wrong formula, or by the right one when `wrong` gives None."""
    formulas = {
        "softmax_loss": _loss,
        "nn_epoch": _epoch,
        "compute_gradient_of_variables": _adjoints,
    }
    return lambda probe, arguments, arrays: formulas[function](wrong, arguments, arrays)


def _loss(wrong: Wrong, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Sequence[Any]:
    found = wrong(Question(tuple(arrays)))
    return [ops.softmax_loss(*arrays)] if found is None else found


def _epoch(wrong: Wrong, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Sequence[Any]:
    parameters = (arguments["lr"], arguments["batch"])
    found = wrong(Question(tuple(arrays), parameters))
    return [*(apps.nn_epoch(*arrays, *parameters) if found is None else found), *arrays[:2]]


def _adjoints(wrong: Wrong, arguments: dict[str, Any], arrays: list[np.ndarray]) -> Sequence[Any]:
    *leaves, cotangent = arrays
    found = wrong(Question(tuple(leaves), (arguments["program"], arguments["wanted"]), cotangent))
    if found is None:
        adjoints = graphs.adjoints(arguments["program"], leaves, cotangent)
        return [adjoints[i] for i in arguments["wanted"]]
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("function", "mistake"), ALL, ids=[one.id for _, one in ALL])
def test_wrong_formula_is_named(function: str, mistake: Mistake, seed: int) -> None:
    """The check fails with the mistake's own sentence: no other mistake of the list fits as well."""
    failure = outcome(CHECKS[function], _answer(function, mistake.wrong), seed)

    assert named(mistake, failure, function), failure


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("function", LISTS)
def test_right_formula_passes(function: str, seed: int) -> None:
    """The truth itself passes."""
    assert outcome(CHECKS[function], _answer(function, right), seed) is None


def test_there_are_many_and_they_differ() -> None:
    """The lists only grow; no two mistakes share an id or a sentence."""
    assert len(ALL) >= FEWEST
    assert len({one.id for _, one in ALL}) == len({one.says for _, one in ALL}) == len(ALL)


LOSSES = {
    "loss-summed": "each(Z, y_one_hot).sum()",
    "loss-over-all": "each(Z, y_one_hot).sum() / Z.shape[0] / Z.shape[1]",
    "loss-per-sample": "each(Z, y_one_hot)",
    "loss-negated": "-each(Z, y_one_hot).sum() / Z.shape[0]",
    "loss-no-target": "ndl.log(ndl.exp(Z).sum((1,))).sum() / Z.shape[0]",
    "loss-log-missing": "(ndl.exp(Z).sum((1,)) - (Z * y_one_hot).sum((1,))).sum() / Z.shape[0]",
}
EACH = """
def each(Z, y_one_hot):
    return ndl.log(ndl.exp(Z).sum((1,))) - (Z * y_one_hot).sum((1,))
"""

EPOCH = """
def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for start in {loop}:
        x, t = X[start : start + batch], y[start : start + batch]
        for step in {steps}:
            target = ndl.Tensor(np.eye(W2.shape[1])[t])
            (softmax_loss(ndl.relu(ndl.Tensor(x) @ W1) @ W2, target) * {times}).backward()
            new = [ndl.Tensor(w.numpy() {sign} {lr} * w.grad.numpy()) for w in (W1, W2)]
            W1, W2 = (new[0] if 1 in step else W1), (new[1] if 2 in step else W2)
    return W1, W2
"""
USUAL = {
    "loop": "range(0, len(X), batch)",
    "steps": "[(1, 2)]",
    "times": "1.0",
    "sign": "-",
    "lr": "lr",
}
EPOCHS = {
    "epoch-ascends": {"sign": "+"},
    "epoch-summed": {"times": "len(x)"},
    "epoch-one-batch": {"loop": "[0]"},
    "epoch-whole-set": {"loop": "[batch := len(X)] and [0]"},
    "epoch-not-joint": {"steps": "[(1,), (2,)]"},
    "epoch-unchanged": {"steps": "[()]"},
    "epoch-lr-ignored": {"lr": "1.0"},
}


def _source(function: str, id_: str) -> dict[str, str]:
    if function == "nn_epoch":
        return {"nn_epoch": EPOCH.format_map({**USUAL, **EPOCHS[id_]})}
    return {
        "before:softmax_loss": EACH,
        "softmax_loss": f"def softmax_loss(Z, y_one_hot):\n    return {LOSSES[id_]}\n",
    }


@pytest.mark.parametrize(
    ("function", "id_"), [("softmax_loss", one) for one in LOSSES] + [("nn_epoch", one) for one in EPOCHS]
)
def test_wrong_program_is_named(function: str, id_: str, tmp_path: Path, no_search: None) -> None:
    """The same through the real grader, from source."""
    path = build(tmp_path, "hw1", "2023", _source(function, id_))

    report = grade(path, "hw1", only=f"*.{function}.values", blame=False).as_dict()

    (check,) = [check for question in report["questions"] for check in question["checks"]]
    assert check["known_mistake"] == id_, check["message"]
