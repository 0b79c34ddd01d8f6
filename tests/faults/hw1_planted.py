"""Wrong gradients planted into every op, and dumb answers given by all ops at once."""

from __future__ import annotations

import ast

from tests.faults.model import Expect, Fault
from tests.support import reference_function

OPS = (
    "PowerScalar",
    "EWisePow",
    "EWiseDiv",
    "DivScalar",
    "MatMul",
    "Summation",
    "BroadcastTo",
    "Reshape",
    "Negate",
    "Transpose",
    "Log",
    "Exp",
)
QUESTION = {**dict.fromkeys(OPS, "backward"), "ReLU": "nn_epoch"}

# Ops whose gradient holds the values of their inputs. ReLU is not one: its mask may be read from raw data.
NOT_LINEAR = ("PowerScalar", "EWisePow", "EWiseDiv", "MatMul", "Log", "Exp")

IGNORES = "out_grad = Tensor(array_api.ones(out_grad.shape, dtype=out_grad.dtype))"
DETACHES_OUT_GRAD = "out_grad = out_grad.detach()"
DETACHES_INPUTS = """inputs = [value.detach() for value in node.inputs]
node = node.detach()
node.inputs = inputs"""
DETACHES_RESULT = "out_grad = Tensor(out_grad.numpy())"


def with_prologue(name: str, lines: str) -> str:
    """The reference's function with statements put at the start of its body."""
    tree = ast.parse(reference_function(name))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body[:0] = ast.parse(lines).body
    return ast.unparse(tree)


def _planted(op: str, id_: str, row: str, lines: str, kind: str, says: tuple[str, ...]) -> Fault:
    name = f"{op}.gradient"
    expect = Expect((f"{QUESTION[op]}.{op}.{kind}",), says, name)
    return Fault(f"{op}-{id_}", row, expect, {name: with_prologue(name, lines)})


PLANTED = [
    *(
        _planted(
            op,
            "ignores-out-grad",
            "`gradient` ignores `out_grad`",
            IGNORES,
            "gradient",
            ("does not depend on out_grad",),
        )
        for op in QUESTION
    ),
    *(
        _planted(
            op,
            "detaches-inputs",
            "a gradient wraps raw arrays back into Tensors",
            DETACHES_INPUTS,
            "second_order",
            ("detached",),
        )
        for op in NOT_LINEAR
    ),
    *(
        _planted(
            op,
            "detaches-out-grad",
            "a gradient wraps raw arrays back into Tensors",
            DETACHES_OUT_GRAD,
            "second_order",
            ("detached",),
        )
        for op in QUESTION
    ),
    *(
        _planted(
            op,
            "wraps-out-grad",
            "a gradient wraps raw arrays back into Tensors",
            DETACHES_RESULT,
            "second_order",
            ("detached",),
        )
        for op in ("MatMul", "BroadcastTo", "Summation")
    ),
]

DUMB = {
    "zeros": "array_api.zeros_like(right)",
    "ones": "array_api.ones_like(right)",
    "nan": "array_api.full_like(right, array_api.nan)",
    "inf": "array_api.full_like(right, array_api.inf)",
    "empty": "array_api.zeros((0,), dtype=right.dtype)",
    "input": "array_api.array(given)",
    "transposed-input": "array_api.array(given.T)",
    "transposed": "array_api.ascontiguousarray(right.T * 1.0000001)",
    "float16": "right.astype('float16')",
    "object": "right.astype(object)",
    "text": "right.astype(str)",
    "extra-axis": "right[None]",
    "flat": "right.reshape(-1)",
    "none": "None",
    "list": "[right.tolist()]",
    "complex": "right + 1e-3j",
}

DUMB_COMPUTE = """
def compute(self, *arrays):
    given = arrays[0]
    right = array_api.asarray(self.right_compute(*arrays))
    return {answer}
"""

DUMB_GRADIENT = """
def gradient(self, out_grad, node):
    grads = self.right_gradient(out_grad, node)
    answers = []
    for value, grad in zip(node.inputs, grads if isinstance(grads, tuple) else (grads,)):
        given, right = value.numpy(), grad.numpy()
        answer = {answer}
        answers.append(answer if answer is None else Tensor.make_const(answer))
    return tuple(answers)
"""


def _dumb(method: str, source: str, answer: str) -> dict[str, str]:
    """The right method kept under another name, and one in its place that gives a dumb answer."""
    solutions = {}
    for op in OPS:
        right = reference_function(f"{op}.{method}").replace(f"def {method}(", f"def right_{method}(", 1)
        solutions[f"{op}.{method}"] = source.format(answer=answer)
        solutions[f"{op}.right_{method}"] = right
    return solutions


def _dumb_compute(id_: str, answer: str) -> Fault:
    failed = tuple(f"forward.{op}.forward" for op in OPS)
    expect = Expect(failed, consequences=("backward.*", "softmax_loss.*", "nn_epoch.*", "forward.*"))
    return Fault(f"compute-{id_}", "dumb answers", expect, _dumb("compute", DUMB_COMPUTE, answer))


def _dumb_gradient(id_: str, answer: str) -> Fault:
    failed = tuple(f"backward.{op}.gradient" for op in OPS)
    return Fault(f"gradient-{id_}", "dumb answers", Expect(failed), _dumb("gradient", DUMB_GRADIENT, answer))


DUMB_ANSWERS = [
    *(_dumb_compute(id_, answer) for id_, answer in DUMB.items()),
    *(_dumb_gradient(id_, answer) for id_, answer in DUMB.items()),
]

FAULTS = [*PLANTED, *DUMB_ANSWERS]
