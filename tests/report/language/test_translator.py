"""Filled-in sentences in Chinese: whole ones, nested ones, and what must stay as it is."""

from __future__ import annotations

import time

import pytest

from grader.report import language
from grader.report.language import catalogue
from grader.report.language.translator import Chinese

SAY = language.speaker("zh")

SENTENCES = {
    "not run: backward.Exp.gradient comes first": "未运行：需要先通过 backward.Exp.gradient",
    "Adam.step: m and v are kept from one step only: it is set back in every step": (
        "Adam.step：m 和 v 只来自一步：它在每一步都被重置"
    ),
    "BroadcastTo.gradient makes 10 nodes, the budget is 5: 4 Summation at ops.py:230": (
        "BroadcastTo.gradient 产生 10 个节点，预算是 5：ops.py:230 处有 4 Summation"
    ),
    "BatchNorm1d: eps is missing in eval": "BatchNorm1d：评估模式下缺少 eps",
    "nn_epoch: W1 is 0 at [0, 0], expected 1": "nn_epoch：W1 在 [0, 0] 处为 0，应为 1",
    "the output in eval": "评估模式下的输出",
    "epoch, training: total_loss in epoch keeps 29 nodes more alive with every batch": (
        "epoch，训练：epoch 中的 total_loss 每个批次都多让 29 个节点存活"
    ),
    "MNISTDataset: the image of dataset[0] is shape (1, 28), expected (28, 28, 1)": (
        "MNISTDataset：dataset[0] 的图像的形状为 (1, 28)，应为 (28, 28, 1)"
    ),
    "wrong for exponent 3, -1; right for 0": "指数为 3, -1 时错误；指数为 0 时正确",
    "a.b.c, a.b.d and 4 more": "a.b.c, a.b.d 以及另外 4 个",
    "BatchNorm1d.running_mean keeps 59 nodes more alive with every step; Adam without BatchNorm1d keeps none": (
        "BatchNorm1d.running_mean 每一步都多让 59 个节点存活；不带 BatchNorm1d 的 Adam 不保留任何节点"
    ),
    "argument --seed: invalid int value: 'x'; see `python -m grader hw1 --help`": (
        "参数 --seed：无效的 int 值：'x'；参见 `python -m grader hw1 --help`"
    ),
}
VERBATIM = (
    "",
    "BroadcastTo((2, 2))",
    "np.random.seed(0); Dropout(0.25)(x)",
    "Adam(lr=0.125, beta1=0.5, weight_decay=0.25)",
    "[[1, 2], [3, 4]]",
    "x1 = x0 + x0; x2 = x1 * x1",
    "weight (2, 3), bias (1, 3)",
    "expected 3 arguments but you gave me 4",
    "my own sentence, written in my own words",
    "张量的形状不对 in my code",
)


@pytest.mark.parametrize("english", SENTENCES)
def test_sentence(english: str) -> None:
    """Sentences as checks make them, with sentences in their fields."""
    assert SENTENCES[english] == SAY.text(english)


@pytest.mark.parametrize("text", VERBATIM)
def test_what_is_nobodys_sentence_stays(text: str) -> None:
    """Code, arrays, and what students write themselves."""
    assert text == SAY.text(text)


@pytest.mark.parametrize(
    "said",
    [
        "the sign is wrong",
        "unsupported operand type(s) for +: 'int' and 'NoneType'",
        "axis 1 is out of bounds for array of dimension 1",
        "not run: a comes first; the loss is not averaged",
    ],
)
def test_what_python_says_stays(said: str) -> None:
    """The text of an exception is not translated, whatever it says."""
    assert f"Exp.compute 引发了 ValueError: {said}" == SAY.text(f"Exp.compute raised ValueError: {said}")


def test_own_sentences_take_their_values_as_they_are() -> None:
    """A renderer's sentence is looked up by its template; a value that is a sentence is not touched."""
    assert "forward：等待 the sign is wrong" == SAY(
        "{question}: waits for {questions}", question="forward", questions="the sign is wrong"
    )
    assert "not known {at all}" == SAY("not known {x}", x="{at all}")


def test_renamed_fields_are_the_same_sentence() -> None:
    """Fields are matched by their order."""
    assert SAY("seed {x}", x=3) == SAY("seed {seed}", seed=3) == "种子 3"


@pytest.mark.parametrize(
    "text",
    [
        "x is " * 250,
        "a, b: c; " * 150,
        " makes  nodes, the budget is " * 50,
        "the the the " * 120,
        "it is in at of; not run: " * 60,
        "x" * 100_000,
    ],
    ids=["is", "joints", "template", "the", "words", "long"],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    """A submission's text that resembles many templates is given up soon."""
    started = time.perf_counter()
    SAY.text(text)

    assert time.perf_counter() - started < 2


def test_a_dropped_field_holds_no_news() -> None:
    """A field that the translation leaves out may hold "is" or "are" only."""
    say = Chinese({"{count} {plural} could not run": "{count} 项检查无法运行"})

    assert "3 项检查无法运行" == say.text("3 checks could not run")
    assert "3 BIG checks could not run" == say.text("3 BIG checks could not run")


@pytest.mark.parametrize(
    ("msgid", "text", "expected"),
    [
        ("{a} in {b}", "x in y in z", [["x", "y in z"], ["x in y", "z"]]),
        ("{a} in {b}", "x of z", []),
        ("{count} more", "4 more", [["4"]]),
        ("{count} more", "some more", []),
        (", {left} left", "5 of 6, 3 left", [["5 of 6", "3"]]),
        ("at the end: ", "stopped at the end: why", []),
        ("at the end: ", "at the end: why", [["why"]]),
    ],
)
def test_matches(msgid: str, text: str, expected: list[list[str]]) -> None:
    """Fields from the left and from the right; texts that begin or end openly stand amid others."""
    assert expected == catalogue.entry(msgid, msgid).matches(text)
