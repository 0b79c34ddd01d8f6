"""Wrong programs for hw1: every op wrong in the same way at once, since ops are judged one by one."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support import reference_function

OPS = (
    "PowerScalar", "EWisePow", "EWiseDiv", "DivScalar", "MatMul", "Summation", "BroadcastTo",
    "Reshape", "Negate", "Transpose", "Log", "Exp", "ReLU",
)  # fmt: skip
TWO_INPUTS = ("EWisePow", "EWiseDiv", "MatMul")

# From the right answer (`right`) or the first input (`given`) to a wrong one.
ANSWERS = {
    "zeros": "right * 0",
    "ones": "array_api.ones_like(right)",
    "nan": "right * array_api.nan",
    "the-input": "array_api.array(given)",
    "transposed": "array_api.ascontiguousarray(array_api.roll(right.T, 1)) * 1.5",
    "summed": "array_api.full_like(right, array_api.sum(right) + 1)",
    "sign": "-right",
    "factor": "right * 1.001",
    "one-element": "nudged(right)",
    "float16": "right.astype('float16')",
    "object": "right.astype(object)",
    "extra-axis": "right[None]",
    "int": "array_api.rint(right * 3).astype('int64')",
    "one-for-scalar": "right.reshape(1) if right.shape == () else right.reshape((1, *right.shape))",
}
NUDGED = """
def nudged(array):
    changed = array_api.array(array)
    index = array_api.unravel_index(array_api.argmax(abs(changed)), changed.shape)
    changed[index] *= 1 + 1e-5
    return changed
"""
COMPUTE = """
def compute(self, *arrays):
    given = arrays[0]
    right = array_api.asarray(self.right_compute(*arrays))
    return {answer}
"""
GRADIENT = """
def gradient(self, out_grad, node):
    grads = self.right_gradient(out_grad, node)
    answers = []
    for value, grad in zip(node.inputs, grads if isinstance(grads, tuple) else (grads,)):
        given, right = {given}.numpy(), grad.numpy()
        answers.append(Tensor.make_const({answer}))
    return tuple(answers)
"""
PROLOGUES = {
    "ignores-out-grad": "out_grad = Tensor(array_api.ones(out_grad.shape), dtype=out_grad.dtype)",
    "constant-out-grad": "out_grad = out_grad * 0.0 + 1.0",
    "one-gradient-too-many": "return (*as_tuple(self.right_gradient(out_grad, node)), out_grad)",
    "none": "return None",
    "raises": "raise RuntimeError('no idea')",
}
DETACHES = {
    "detached": "out_grad = out_grad.detach()",
    "detached-result": "return tuple(g.detach() for g in as_tuple(self.right_gradient(out_grad, node)))",
}
HYGIENE = {
    "widens": "return tuple(wide(g) for g in as_tuple(self.right_gradient(out_grad, node)))",
    "changes-out-grad": (
        "grads = tuple(g * 1.0 for g in as_tuple(self.right_gradient(out_grad, node)))\n"
        "    out_grad.cached_data += 1\n    return grads"
    ),
}
HELPERS = """
def as_tuple(grads):
    return grads if isinstance(grads, tuple) else (grads,)


class Widen(TensorOp):
    def compute(self, a):
        return a.astype("float64")


def wide(tensor):
    return Widen()(tensor)
"""


def _right(op: str, method: str) -> dict[str, str]:
    source = reference_function(f"{op}.{method}")
    return {f"{op}.right_{method}": source.replace(f"def {method}(", f"def right_{method}(", 1)}


def _everywhere(method: str, source: str) -> dict[str, str]:
    solutions = {"before:PowerScalar": HELPERS + NUDGED}
    for op in OPS:
        solutions |= {f"{op}.{method}": source, **_right(op, method)}
    return solutions


@dataclass(frozen=True)
class Wrong:
    """A wrong program, and the kind of check that fails with it for every op."""

    id: str
    solutions: dict[str, str]
    kind: str


def _prologue(lines: str) -> str:
    return (
        f"def gradient(self, out_grad, node):\n    {lines}\n    return self.right_gradient(out_grad, node)\n"
    )


COMPUTES = [
    Wrong(f"compute-{id_}", _everywhere("compute", COMPUTE.format(answer=answer)), "forward")
    for id_, answer in ANSWERS.items()
]
GRADIENTS = [
    *(
        Wrong(
            f"gradient-{id_}",
            _everywhere("gradient", GRADIENT.format(answer=answer, given="value")),
            "gradient",
        )
        for id_, answer in ANSWERS.items()
    ),
    Wrong(
        "gradient-out-grad",
        _everywhere("gradient", GRADIENT.format(answer="array_api.array(given)", given="out_grad")),
        "gradient",
    ),
    *(
        Wrong(f"gradient-{id_}", _everywhere("gradient", _prologue(lines)), "gradient")
        for id_, lines in PROLOGUES.items()
    ),
]
QUALITY = [
    *(
        Wrong(f"gradient-{id_}", _everywhere("gradient", _prologue(lines)), "second_order")
        for id_, lines in DETACHES.items()
    ),
    *(
        Wrong(f"gradient-{id_}", _everywhere("gradient", _prologue(lines)), "hygiene")
        for id_, lines in HYGIENE.items()
    ),
    Wrong(
        "compute-widens",
        _everywhere("compute", COMPUTE.format(answer="right.astype('float64')")),
        "forward-hygiene",
    ),
    Wrong(
        "compute-changes-input",
        _everywhere(
            "compute",
            "def compute(self, *arrays):\n    out = array_api.array(self.right_compute(*arrays))\n"
            "    arrays[0][...] = 7\n    return out\n",
        ),
        "forward-hygiene",
    ),
]
