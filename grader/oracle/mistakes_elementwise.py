"""Known mistakes in the gradients of elementwise ops."""

from __future__ import annotations

import numpy as np

from grader.oracle.mistakes import Mistake
from grader.oracle.wrong_gradients import binary, passes_through, unary

GRADIENT = {
    "PowerScalar": [
        Mistake(
            "power-exponent-kept",
            "the exponent is not reduced by one",
            unary(lambda c, a, n: c * n * np.power(a, float(n))),
        ),
        Mistake(
            "power-factor-missing",
            "the factor n of n * a**(n-1) is missing",
            unary(lambda c, a, n: c * np.power(a, n - 1.0)),
        ),
        Mistake(
            "power-parentheses",
            "the exponent needs parentheses: `a**n - 1` takes one from the power",
            unary(lambda c, a, n: c * n * (np.power(a, float(n)) - 1)),
        ),
        Mistake(
            "power-square-only",
            "the gradient is that of a**2 whatever the exponent",
            unary(lambda c, a, n: 2 * c * a),
        ),
    ],
    "EWisePow": [
        Mistake(
            "pow-log-missing",
            "the factor log(a) is missing in the exponent's gradient",
            binary(None, lambda c, a, b: c * a**b),
        ),
        Mistake(
            "pow-log-of-exponent",
            "log is taken of the exponent, not of the base",
            binary(None, lambda c, a, b: c * a**b * np.log(b)),
        ),
        Mistake(
            "pow-parentheses",
            "the exponent needs parentheses in the base's gradient: `a**b - 1` takes one from the power",
            binary(lambda c, a, b: c * b * (a**b - 1), None),
        ),
        Mistake(
            "pow-exponent-kept",
            "the exponent is not reduced by one in the base's gradient",
            binary(lambda c, a, b: c * b * a**b, None),
        ),
    ],
    "EWiseDiv": [
        Mistake(
            "div-sign",
            "the minus sign is missing in the denominator's gradient",
            binary(None, lambda c, a, b: c * a / b**2),
        ),
        Mistake(
            "div-square",
            "the denominator's gradient divides by b, not by b squared",
            binary(None, lambda c, a, b: -c * a / b),
        ),
        Mistake(
            "div-parentheses",
            "the denominator's gradient needs parentheses: `a / b * b` is `a`",
            binary(None, lambda c, a, b: -c * a),
        ),
        Mistake(
            "div-numerator-missing",
            "the numerator is missing in the denominator's gradient",
            binary(None, lambda c, a, b: -c / b**2),
        ),
    ],
    "DivScalar": [
        Mistake(
            "div-scalar-multiplies",
            "out_grad is multiplied by the scalar, not divided",
            unary(lambda c, a, s: c * s),
        ),
    ],
    "Log": [
        Mistake(
            "log-multiplies", "out_grad is multiplied by the input, not divided", unary(lambda c, a: c * a)
        ),
        Mistake("log-of-input", "out_grad is multiplied by log(a)", unary(lambda c, a: c * np.log(a))),
    ],
    "Exp": [
        Mistake(
            "exp-input", "out_grad is multiplied by the input, not by exp(input)", unary(lambda c, a: c * a)
        ),
    ],
    "ReLU": [
        Mistake(
            "relu-value",
            "out_grad is multiplied by relu(x), not by whether x is positive",
            unary(lambda c, a: c * np.maximum(a, 0)),
        ),
        Mistake(
            "relu-sign",
            "the gradient is that of |x|: where x is negative it is -out_grad, and has to be 0",
            unary(lambda c, a: c * np.sign(a)),
        ),
        Mistake(
            "relu-mask-of-out-grad",
            "the mask is made of out_grad: it is of the input, 1 where that is positive",
            unary(lambda c, a: c * (c > 0)),
        ),
        Mistake(
            "relu-passes-negative",
            "the gradient passes where the input is negative",
            unary(lambda c, a: c * (a < 0)),
        ),
        Mistake(
            "relu-mask-everywhere",
            "the gradient goes through where a < 0 too: it is out_grad without a mask, or the mask is true "
            "everywhere (>= 0 holds for every output of relu)",
            passes_through,
        ),
    ],
}
