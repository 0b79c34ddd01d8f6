"""Lines by columns: a Chinese character is two wide, and punctuation stays where it is read."""

from __future__ import annotations

import textwrap
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.report import wrap

MIXED = st.text("张量计算图节点，。；（）「」 abc.()[]-_01·\u0301", max_size=120)
CHINESE = "按第 0 轴求和之后，形状 (2, 3) 的梯度应当是 (3,)；请看 `Tensor.numpy()` 的说明（见讲义）。"


def columns(text: str) -> int:
    """The columns of a text as terminals count them, written down once more."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


@pytest.mark.parametrize(("text", "wide"), [("", 0), ("abc", 3), ("张量", 4), ("a，b", 4), ("·", 1)])
def test_width(text: str, wide: int) -> None:
    """Known widths."""
    assert wide == wrap.width(text)


@given(MIXED, st.integers(12, 60))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_lines_are_narrow_and_lose_nothing(text: str, room: int) -> None:
    """No line is wider than asked, and all but spaces at the seams is there, in order."""
    lines = wrap.lines(text, room, first="  ", later="    ")

    assert [line for line in lines if columns(line) > room] == []
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.text("abcdef .,-()'", max_size=200), st.integers(10, 60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_english_is_wrapped_as_ever(text: str, room: int) -> None:
    """Text without wide characters is broken as textwrap does."""
    expected = textwrap.wrap(
        text, room, initial_indent=" - ", subsequent_indent="   ", break_on_hyphens=False
    )

    assert expected == wrap.lines(text, room, first=" - ", later="   ")


@pytest.mark.parametrize("room", range(14, 60))
def test_punctuation_stays_with_its_text(room: int) -> None:
    """No line begins with a closing mark or ends with an opening one; code is not broken."""
    lines = wrap.lines(CHINESE, room)

    assert [line for line in lines if line[0] in "，。；）" or line[-1] in "（"] == []
    assert room < 18 or any("`Tensor.numpy()`" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "room", "cut", "left"),
    [
        ("张量", 4, "张量", "张量"),
        ("计算图节点", 7, "计算...", "...节点"),
        ("计算图节点", 8, "计算...", "...节点"),
        ("abcdefgh", 6, "abc...", "...fgh"),
    ],
)
def test_cut(text: str, room: int, cut: str, left: str) -> None:
    """Too wide texts are cut at the right or at the left, never through a character."""
    assert (cut, left) == (wrap.cut(text, room), wrap.cut_left(text, room))
