"""Each known mistake of hw0 is named when its formula's answers come back, and no other is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.homework import hw0, mnist_checks
from grader.homework.check import Check
from grader.homework.epoch_checks import REGRESSION, TWO_LAYER, Model
from grader.homework.extension_checks import MODEL as EXTENSION
from grader.homework.trial import Trial
from grader.judge.failure import Failure
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.oracle import apps, idx, mistakes_hw0
from grader.oracle.mistakes import Mistake, Question
from grader.sandbox.channel import Output, Reply

CHECKS = {check.id: check for check in hw0.HOMEWORK.checks()}
Answer = Callable[[dict[str, Any], list[np.ndarray]], Reply]
LOSS, PARSE = "softmax_loss.softmax_loss.values", "parse_mnist.parse_mnist.values"


class Answering:
    """Stands in a worker's place and answers every question by one function."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.output = answer, Output(0)

    def drain(self) -> None:
        """Nothing is printed."""

    def ask(self, probe: str, arguments: dict[str, Any], arrays: Any, *, expect: int = 0) -> Reply:
        return self.answer(arguments, [np.array(array) for array in arrays])


def verdict(check: Check, answer: Answer, seed: int = 0) -> Failure | None:
    """Run a check on answers; return its failure."""
    source = seeded(seed, "hw0", check.id)
    trial = Trial(check, lambda: Answering(answer), source, Budget(0.05, 0.1))  # type: ignore[arg-type,return-value]
    try:
        check.run(trial)
    except Failure as failure:
        return failure
    return None


def assert_named(mistake: Mistake, failure: Failure | None) -> None:
    assert failure is not None
    assert failure.known_mistake == mistake.id, failure.message
    assert mistake.says in failure.message


def loss_answer(formula: Callable[[Question], Any]) -> Answer:
    def answer(_: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        wide = Question((arrays[0].astype(np.float64), arrays[1]))
        return Reply({}, [np.asarray(formula(wide)[0]), *arrays])

    return answer


@pytest.mark.parametrize("mistake", mistakes_hw0.SOFTMAX_LOSS, ids=lambda mistake: mistake.id)
def test_loss_mistake_is_named(mistake: Mistake) -> None:
    assert_named(mistake, verdict(CHECKS[LOSS], loss_answer(mistake.wrong)))


def parse_answer(formula: Callable[[Question], Any]) -> Answer:
    """Answer as a parser with this formula would: float32 X, uint8 y."""
    import gzip

    def answer(_: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        images, labels = (gzip.decompress(content.tobytes()) for content in arrays)
        pixels = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 28, 28)
        with np.errstate(all="ignore"):
            x, y = formula(Question((pixels, np.frombuffer(labels, np.uint8, offset=8))))
            return Reply({}, [x.astype(np.float32), y.astype(np.uint8)])

    return answer


@pytest.mark.parametrize("mistake", mistakes_hw0.PARSE_MNIST, ids=lambda mistake: mistake.id)
def test_parse_mistake_is_named(mistake: Mistake) -> None:
    assert_named(mistake, verdict(CHECKS[PARSE], parse_answer(mistake.wrong)))


@pytest.mark.parametrize("mistake", mistakes_hw0.PARSE_DIM, ids=lambda mistake: mistake.id)
def test_scale_of_the_set_is_advice(mistake: Mistake) -> None:
    """A file without a 0 and a 255 shows the set's own scale; files with both do not."""
    answer = parse_answer(mistake.wrong)

    assert verdict(CHECKS[PARSE], answer) is None
    scale = CHECKS["parse_mnist.parse_mnist.scale"]
    assert scale.weight == 0
    assert_named(mistake, verdict(scale, answer))


def epoch_answer(formula: Callable[[Question], Any], *, rounded: bool = False) -> Answer:
    """Answer with the weights that a formula gives, in their own dtype."""

    def answer(arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        images, labels, *weights = arrays
        wide = (images.astype(np.float64), labels, *(weight.astype(np.float64) for weight in weights))
        with np.errstate(all="ignore"):
            after = formula(Question(wide, (arguments["lr"], arguments["batch"])))
        kept = [new.astype(old.dtype) for new, old in zip(after, weights, strict=True)]
        return Reply({"returned": ""}, [images, labels, *kept])

    return answer


MODELS = (
    replace(REGRESSION),
    replace(TWO_LAYER),
    replace(EXTENSION, arguments=lambda trial: {}, ask=REGRESSION.ask),
)


def check_of(model: Model, kind: str) -> Check:
    from grader.homework import epoch_checks

    return next(check for check in epoch_checks.checks("q", model) if check.kind == kind)


def _pairs(kind: str) -> list[Any]:
    return [
        pytest.param(model, mistake, id=f"{model.function}:{mistake.id}")
        for model in MODELS
        for mistake in (model.mistakes if kind == "values" else model.short)
    ]


@pytest.mark.parametrize(("model", "mistake"), _pairs("values"))
def test_epoch_mistake_is_named(model: Model, mistake: Mistake) -> None:
    assert_named(mistake, verdict(check_of(model, "values"), epoch_answer(mistake.wrong)))


@pytest.mark.parametrize(("model", "mistake"), _pairs("short"))
def test_short_batch_is_advice_and_named(model: Model, mistake: Mistake) -> None:
    """What happens to a short last batch costs nothing, and which of the ways it is gets said."""
    answer = epoch_answer(mistake.wrong)

    assert verdict(check_of(model, "values"), answer) is None
    advice = check_of(model, "short_batch")
    assert advice.weight == 0
    failure = verdict(advice, answer)
    assert_named(mistake, failure)
    assert failure is not None
    assert "with a short last batch" in failure.message


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.function)
@pytest.mark.parametrize("seed", range(5))
def test_the_truth_passes(model: Model, seed: int) -> None:
    right = epoch_answer(lambda q: model.epoch(*q.inputs, *q.parameters))

    for kind in ("values", "gradient", "returns", "short_batch"):
        assert verdict(check_of(model, kind), right, seed) is None
    assert verdict(CHECKS[LOSS], loss_answer(lambda q: [apps.class_loss(*q.inputs)]), seed) is None
    parsed = parse_answer(lambda q: idx.parsed(*q.inputs))
    assert verdict(CHECKS[PARSE], parsed, seed) is None


def test_unchanged_weights_are_said() -> None:
    answer = epoch_answer(lambda q: q.inputs[2:])

    failure = verdict(check_of(MODELS[0], "values"), answer)

    assert failure is not None
    assert "theta (float" in failure.message
    assert "was not changed" in failure.message
    assert failure.known_mistake == "not-in-place"


def _replaced(position: int) -> Answer:
    right = epoch_answer(lambda q: apps.softmax_regression_epoch(*q.inputs, *q.parameters))

    def answer(arguments: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        found = right(arguments, arrays).arrays
        found[position] = found[position] + np.ones((), found[position].dtype)
        return Reply({"returned": ""}, found)

    return answer


@pytest.mark.parametrize(("position", "name"), [(0, "X"), (1, "y")])
def test_changed_inputs_are_said(position: int, name: str) -> None:
    failure = verdict(check_of(MODELS[0], "values"), _replaced(position))

    assert failure is not None
    assert f"changes {name} in place" in failure.message


def test_a_step_off_the_gradient_fails() -> None:
    """The check against finite differences fails by itself on a step that is a little off."""
    answer = epoch_answer(
        lambda q: apps.softmax_regression_epoch(*q.inputs, q.parameters[0] * 1.001, q.parameters[1])
    )

    assert verdict(check_of(MODELS[0], "gradient"), answer) is not None


def test_mistakes_have_one_name_each() -> None:
    lists = [mistakes_hw0.PARSE_MNIST, mistakes_hw0.PARSE_DIM, mistakes_hw0.SOFTMAX_LOSS]
    lists += [list(model.mistakes) + list(model.short) for model in MODELS[1:]]
    ids = [mistake.id for mistakes in lists for mistake in mistakes]

    assert len(ids) == len(set(ids))
    assert len(ids) >= 20


COUNTED = mnist_checks.COUNTS


def test_labels_take_their_whole_range() -> None:
    """One of the files of each run holds every label, a 0 and a 255."""
    for seed in range(10):
        source = seeded(seed, "hw0", PARSE)
        drawn = [mnist_checks.draw_files(source, count) for count in COUNTED]

        assert any(set(files.classes) == set(range(10)) for files in drawn)
        assert all(files.pixels.min() == 0 and files.pixels.max() == 255 for files in drawn)
