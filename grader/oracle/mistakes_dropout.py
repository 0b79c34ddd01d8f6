"""Known mistakes of Dropout."""

from __future__ import annotations

import numpy as np

from grader.oracle import nn
from grader.oracle.mistakes import Mistake, Question, formula

# Inputs: x (or the cotangent) and which elements of the submission's output are not 0; parameter: p.
DROPOUT = [
    Mistake(
        "dropout-unscaled",
        "the kept elements are not scaled: they are divided by 1 - p",
        formula(lambda x, kept, p: np.where(kept, x, 0.0)),
    ),
    Mistake(
        "dropout-scaled-by-p",
        "the kept elements are divided by p, not by 1 - p",
        formula(lambda x, kept, p: np.where(kept, x, 0.0) / p if p else None),
    ),
    Mistake(
        "dropout-multiplied",
        "the kept elements are multiplied by 1 - p, not divided",
        formula(lambda x, kept, p: np.where(kept, x, 0.0) * (1 - p)),
    ),
    Mistake(
        "dropout-scaled-twice",
        "the kept elements are divided by 1 - p twice",
        formula(lambda x, kept, p: np.where(kept, x, 0.0) / (1 - p) ** 2),
    ),
    Mistake(
        "dropout-mask-returned",
        "the output is the mask, not the input times the mask",
        formula(lambda x, kept, p: kept / (1 - p)),
    ),
]


DROPOUT_GRADIENT = [
    Mistake(
        "dropout-gradient-unmasked",
        "the gradient passes through dropped elements: the mask is not part of the graph",
        formula(lambda c, kept, p: c),
    ),
    Mistake(
        "dropout-gradient-unscaled",
        "the gradient is not scaled by 1 / (1 - p)",
        formula(lambda c, kept, p: np.where(kept, c, 0.0)),
    ),
]


DROPOUT_EVAL = [
    Mistake(
        "dropout-eval-drops",
        "it still drops in eval",
        formula(lambda x, kept, p: nn.dropout(x, kept, p) if np.any(kept) and not np.all(kept) else None),
    ),
    Mistake(
        "dropout-eval-scales",
        "it still scales by 1 / (1 - p) in eval",
        formula(lambda x, kept, p: x / (1 - p)),
    ),
    Mistake(
        "dropout-eval-multiplies", "it multiplies by 1 - p in eval", formula(lambda x, kept, p: x * (1 - p))
    ),
    Mistake("dropout-eval-zero", "it drops everything in eval", formula(lambda x, kept, p: 0 * x)),
]


# The share that is dropped instead of p: the parameter is p.
DROPPED = [
    Mistake(
        "dropout-inverted",
        "p is taken for the probability of keeping an element; it is that of dropping it",
        lambda q: 1 - q.parameters[0],
    ),
    Mistake("dropout-never", "nothing is dropped in training", lambda q: 0.0),
    Mistake("dropout-all", "everything is dropped", lambda q: 1.0),
    Mistake("dropout-half", "half is dropped whatever p is", lambda q: 0.5),
]


def dropped(share: float, p: float, band: float) -> Mistake | None:
    """Return the mistake that explains a share of dropped elements, if just one does."""
    found = [one for one in DROPPED if abs(one.wrong(Question((), (p,))) - share) <= band]
    return found[0] if len(found) == 1 else None
