"""Arrays as text and as plain data."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grader.judge import words


@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.bool_, np.complex128]),
        arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    )
)
def test_text_is_one_line_and_excerpts_are_short(array: np.ndarray) -> None:
    """One line, at most 24 values, plain JSON without NaN, the shape always there."""
    text, excerpt = words.array_text(array), words.excerpt(array)

    assert "\n" not in text
    assert len(text) < 24 * 40 + 100
    assert len(excerpt["values"]) == min(array.size, words.MOST_SHOWN)
    assert excerpt["shape"] == list(array.shape)
    assert json.loads(json.dumps(excerpt, allow_nan=False)) == excerpt


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array(0.1), "0.1"),
        (np.array([[1.0, -2.5], [1 / 3, np.nan]]), "[[1, -2.5], [0.333333, nan]]"),
        (np.zeros((5, 5), np.float32), "float32 array of shape (5, 5)"),
    ],
)
def test_array_text(array: np.ndarray, text: str) -> None:
    """Six digits; a large array is its dtype and shape."""
    assert words.array_text(array) == text


def test_large_arrays_show_where_they_differ() -> None:
    """Not their dtype: the elements farthest apart, those that are not finite first; the excerpts stay."""
    mine, right = np.zeros((5, 6), np.float32), np.zeros((5, 6))
    mine[4, 5], right[0, 1], right[2, 2] = np.nan, 0.25, -1

    shown, expected = words.compared(mine, right)

    assert shown == {**words.excerpt(mine), "text": "[4, 5]: nan; [2, 2]: 0; [0, 1]: 0"}
    assert expected == {**words.excerpt(right), "text": "[4, 5]: 0; [2, 2]: -1; [0, 1]: 0.25"}


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        (np.zeros(24), np.ones(24)),
        (np.zeros((5, 6)), np.ones((6, 5))),
        (np.zeros((5, 6), np.int64), np.zeros((5, 6))),
        (np.zeros((5, 6), "U1"), np.zeros((5, 6))),
        (np.full((5, 6), np.inf), np.full((5, 6), np.inf)),
    ],
    ids=["small", "shapes", "dtypes", "strings", "infinities"],
)
def test_other_arrays_are_shown_as_ever(mine: np.ndarray, right: np.ndarray) -> None:
    """Small ones in full; where shape or dtype is what differs, these."""
    assert words.compared(mine, right) == (words.excerpt(mine), words.excerpt(right))


def test_at_most_four_differences_are_shown() -> None:
    """Of arrays that differ everywhere."""
    shown, _ = words.compared(np.arange(30), np.zeros(30))

    assert shown["text"] == "[29]: 29; [28]: 28; [27]: 27; [26]: 26"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.float64(0.5), 0.5), (np.int64(3), 3), (np.nan, "nan"), (-np.inf, "-inf"), (1j, "1j"), (True, True)],
)
def test_number(value: object, expected: object) -> None:
    """A JSON value that every parser reads."""
    assert words.number(value) == expected


def test_listing_and_parameters() -> None:
    """The surplus is counted; parameters look like Python."""
    assert words.listing(["a", "b"]) == "a, b"
    assert words.listing(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert words.parameters_text(((0, 1), None, "x")) == "(0, 1), None, 'x'"
