"""The fault table of hw1: single exponents that go wrong, weights that become float64."""

from __future__ import annotations

from tests.faults.hw1_planted import with_prologue
from tests.faults.hw2_source import altered
from tests.faults.model import Expect, Fault, fine


def _exponent(scalar: int, answer: str) -> Fault:
    return Fault(
        f"power-wrong-at-{scalar}",
        "PowerScalar gradient wrong for one exponent",
        Expect(
            ("backward.PowerScalar.gradient",), (f"wrong for exponent {scalar};",), "PowerScalar.gradient"
        ),
        {
            "PowerScalar.gradient": with_prologue(
                "PowerScalar.gradient", f"if self.scalar == {scalar}:\n    return {answer}"
            )
        },
    )


FAULTS = [
    _exponent(0, "out_grad"),
    _exponent(1, "out_grad * node.inputs[0]"),
    Fault(
        "epoch-float64",
        "float32 weights become float64 in nn_epoch",
        fine(advice=("nn_epoch.nn_epoch.dtype",), advice_says=("nn_epoch turns float32 W1 into float64",)),
        altered(
            "nn_epoch",
            ("np.eye(W2.shape[1], dtype=W2.dtype)", "np.eye(W2.shape[1])"),
            (", dtype=W1.dtype", ""),
            (", dtype=W2.dtype", ""),
        ),
    ),
]
