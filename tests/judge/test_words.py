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
