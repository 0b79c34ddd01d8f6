"""A formula is read out of numbers only where one product gives all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grader.oracle.monomials import formula

RNG = np.random.default_rng(3)
SHAPES = [(2, 3), (3,), (1, 4)]
GIVEN = [
    {
        "out_grad": RNG.uniform(-2, 2, shape),
        "a": RNG.uniform(0.5, 2, shape),
        "b": RNG.uniform(-2, -0.5, shape),
    }
    for shape in SHAPES
]
READ: dict[str, Callable[..., np.ndarray]] = {
    "out_grad / b": lambda c, a, b: c / b,
    "-out_grad * a / b**2": lambda c, a, b: -c * a / b**2,
    "2 * out_grad * a": lambda c, a, b: 2 * c * a,
    "-out_grad / (2 * a * b)": lambda c, a, b: -c / (2 * a * b),
    "1 / a**2": lambda c, a, b: 1 / a**2,
}


@pytest.mark.parametrize("text", READ)
def test_a_product_is_read(text: str) -> None:
    """The text is the formula that made the numbers."""
    observed = [(given, READ[text](*given.values()).astype(np.float32)) for given in GIVEN]

    assert formula(observed) == text


@pytest.mark.parametrize(
    "other",
    [lambda c, a, b: c + a, lambda c, a, b: c * np.log(a), lambda c, a, b: 3 * c, lambda c, a, b: c * a**3],
)
def test_what_is_no_such_product_is_not_read(other: Callable[..., np.ndarray]) -> None:
    """Sums, other functions, other numbers and higher powers have no text."""
    assert formula([(given, other(*given.values())) for given in GIVEN]) == ""


def test_one_number_tells_nothing() -> None:
    """At 2, a + a, 2 * a and a * a are the same number."""
    two = np.array(2.0)

    assert formula([({"out_grad": two, "a": two}, 2 * two)]) == ""


def test_two_formulas_of_the_same_length_tell_nothing() -> None:
    """Where a and b are only ever 1 / each other, neither is named."""
    a = RNG.uniform(0.5, 2, 8)

    assert formula([({"a": a, "b": 1 / a}, a)]) == ""
