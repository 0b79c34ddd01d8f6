"""Known mistakes of what ops compute."""

from __future__ import annotations

import numpy as np

from grader.oracle import mistakes_log
from grader.oracle.mistakes import Mistake, formula

FORWARD: dict[str, list[Mistake]] = {
    **mistakes_log.FORWARD,
    "PowerScalar": [
        Mistake(
            "power-multiplies",
            "the input is multiplied by the scalar, not raised to it",
            formula(lambda a, n: a * n),
        ),
        Mistake(
            "power-swapped", "base and exponent are swapped", formula(lambda a, n: np.power(float(n), a))
        ),
    ],
    "EWisePow": [Mistake("pow-swapped", "base and exponent are swapped", formula(lambda a, b: b**a))],
    "EWiseDiv": [
        Mistake("div-swapped", "numerator and denominator are swapped", formula(lambda a, b: b / a)),
        Mistake("div-multiplies", "the inputs are multiplied", formula(lambda a, b: a * b)),
        Mistake("div-floor", "the quotient is rounded down (`//`)", formula(lambda a, b: a // b)),
    ],
    "DivScalar": [
        Mistake("div-scalar-swapped", "the scalar is divided by the input", formula(lambda a, s: s / a)),
        Mistake("div-scalar-floor", "the quotient is rounded down (`//`)", formula(lambda a, s: a // s)),
    ],
    "MatMul": [
        Mistake(
            "matmul-elementwise", "the inputs are multiplied element by element", formula(lambda a, b: a * b)
        ),
        Mistake("matmul-swapped", "the operands are swapped", formula(lambda a, b: np.matmul(b, a))),
        Mistake(
            "matmul-dot", "np.dot pairs every batch with every batch; np.matmul is meant", formula(np.dot)
        ),
    ],
    "Summation": [
        Mistake(
            "sum-mean", "the mean is taken, not the sum", formula(lambda a, axes=None: np.mean(a, axis=axes))
        ),
        Mistake(
            "sum-keepdims",
            "the summed axes are kept with size 1",
            formula(lambda a, axes=None: np.sum(a, axis=axes, keepdims=True)),
        ),
        Mistake("sum-all", "everything is summed whatever the axes", formula(lambda a, axes=None: np.sum(a))),
    ],
    "Negate": [Mistake("negate-abs", "the result is -|a|", formula(lambda a: -np.abs(a)))],
    "Transpose": [
        Mistake(
            "transpose-forward-permutation",
            "axes is the pair to swap, not a permutation",
            formula(lambda a, axes=None: np.transpose(a, axes) if axes and len(axes) == a.ndim else None),
        ),
        Mistake(
            "transpose-forward-reversed",
            "all axes are reversed; only a pair is swapped",
            formula(lambda a, axes=None: np.transpose(a)),
        ),
        Mistake(
            "transpose-forward-default-reversed",
            "without a pair all axes are reversed; only the last two are swapped",
            formula(lambda a, axes=None: np.swapaxes(a, *axes) if axes else np.transpose(a)),
        ),
        Mistake(
            "transpose-forward-last-two",
            "the last two axes are swapped whatever the pair",
            formula(lambda a, axes=None: np.swapaxes(a, -1, -2)),
        ),
        Mistake(
            "transpose-forward-first-two",
            "without axes the first two are swapped; the last two are meant",
            formula(lambda a, axes=None: np.swapaxes(a, *(axes or (0, 1)))),
        ),
    ],
    "Log": [
        Mistake("log-base", "the logarithm has base 10", formula(np.log10)),
        Mistake("log-base-2", "the logarithm has base 2", formula(np.log2)),
        Mistake("log1p", "the result is log(1 + a)", formula(np.log1p)),
    ],
    "Exp": [
        Mistake("exp-base-2", "the result is 2 to the power of a", formula(np.exp2)),
        Mistake("expm1", "the result is exp(a) - 1", formula(np.expm1)),
    ],
    "ReLU": [
        Mistake("relu-abs", "the result is |a|", formula(np.abs)),
        Mistake(
            "relu-minimum",
            "the negative part is kept, not the positive one",
            formula(lambda a: np.minimum(a, 0)),
        ),
        Mistake("relu-step", "the result is 1 where a is positive, not a", formula(lambda a: (a > 0) * 1.0)),
    ],
}
