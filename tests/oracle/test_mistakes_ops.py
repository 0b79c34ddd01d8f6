"""Each known mistake of an op gets its own sentence, and no right program gets any."""

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.homework import hw1
from grader.homework.op import Op
from grader.oracle import mistakes_forward, mistakes_ops
from grader.oracle.mistakes import Mistake
from tests.oracle.answering import check_of, named, of_op, outcome, right
from tests.support import build

OPS = {op.name: op for op in (*hw1.OPS, hw1.RELU)}
OF_TWO_INPUTS = {"gradients-swapped", "first-gradient-twice", "second-gradient-twice"}
FEWEST = 130


def _cannot_be_made(op: Op, mistake: Mistake) -> bool:
    """Whether a mistake of every gradient is no mistake of this op, or is another of the list."""
    if mistake.id in OF_TWO_INPUTS:
        return len(op.corners[0][0]) < 2
    return (op.name, mistake.id) == ("Negate", "passes-out-grad")  # this is the wrong sign


def _all() -> list[tuple[str, str, Mistake]]:
    found = [(name, "forward", one) for name, several in mistakes_forward.FORWARD.items() for one in several]
    for name, op in OPS.items():
        several = mistakes_ops.of(name)
        found += [(name, "gradient", one) for one in several if not _cannot_be_made(op, one)]
    return [one for one in found if one[0] in OPS]


ALL = _all()


@pytest.mark.parametrize(
    ("name", "kind", "mistake"), ALL, ids=[f"{name}-{kind}-{one.id}" for name, kind, one in ALL]
)
def test_wrong_formula_is_named(name: str, kind: str, mistake: Mistake) -> None:
    """The check fails with the mistake's own sentence: no other mistake of the list fits as well."""
    op = OPS[name]

    failure = outcome(check_of(op, kind), of_op(op, kind, mistake.wrong))

    method = "compute" if kind == "forward" else kind
    assert named(mistake, failure, f"{name}.{method}"), failure


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["forward", "gradient"])
@pytest.mark.parametrize("name", OPS)
def test_right_formula_passes(name: str, kind: str, seed: int) -> None:
    """The truth itself passes, so no right program gets a sentence."""
    assert outcome(check_of(OPS[name], kind), of_op(OPS[name], kind, right), seed) is None


def test_mistakes_that_cannot_be_made_are_none() -> None:
    """What is left out above passes: on these ops the formula is right, or does not exist."""
    for op in OPS.values():
        for mistake in mistakes_ops.EVERY_GRADIENT:
            if _cannot_be_made(op, mistake):
                assert outcome(check_of(op, "gradient"), of_op(op, "gradient", mistake.wrong)) is None


def test_there_are_many() -> None:
    """The list only grows."""
    assert len(ALL) >= FEWEST


def test_ids_and_sentences_are_unique() -> None:
    """Within an op no two mistakes share an id or a sentence."""
    for name in OPS:
        gradient = mistakes_ops.of(name)
        for several in (gradient, mistakes_forward.FORWARD.get(name, [])):
            assert len({one.id for one in several}) == len({one.says for one in several}) == len(several)


def _gradient(*lines: str) -> str:
    return "\n    ".join(("def gradient(self, out_grad, node):", *lines)) + "\n"


def _compute(line: str) -> str:
    return f"def compute(self, a, b=None):\n    return {line}\n"


AB = "a, b = node.inputs"
A = "a = node.inputs[0]"
GRADIENTS = {
    "PowerScalar": ("power-exponent-kept", _gradient(A, "return out_grad * (a**self.scalar * self.scalar)")),
    "EWisePow": (
        "pow-log-missing",
        _gradient(AB, "return out_grad * b * a ** (b - 1), out_grad * node"),
    ),
    "EWiseDiv": ("div-sign", _gradient(AB, "return out_grad / b, out_grad * a / b / b")),
    "DivScalar": ("div-scalar-multiplies", _gradient("return out_grad * self.scalar")),
    "MatMul": (
        "matmul-batch-not-summed",
        _gradient(AB, "return matmul(out_grad, transpose(b)), matmul(transpose(a), out_grad)"),
    ),
    "Summation": (
        "double-gradient",
        _gradient("return self.right(out_grad, node) * 2.0"),
    ),
    "BroadcastTo": (
        "broadcast-left-aligned",
        _gradient(
            "shape = node.inputs[0].shape",
            "padded = tuple(shape) + (1,) * (len(self.shape) - len(shape))",
            "axes = tuple(i for i, n in enumerate(self.shape) if padded[i] != n)",
            "return reshape(summation(out_grad, axes), shape)",
        ),
    ),
    "Reshape": (
        "reshape-transposed",
        _gradient(
            "flipped = out_grad.numpy().T",
            "return Tensor(flipped.reshape(node.inputs[0].shape), dtype=out_grad.dtype)",
        ),
    ),
    "Negate": ("negated-gradient", _gradient("return out_grad")),
    "Transpose": ("transpose-last-two", _gradient("return transpose(out_grad)")),
    "Log": ("log-multiplies", _gradient(A, "return out_grad * a")),
    "Exp": ("exp-input", _gradient(A, "return out_grad * a")),
    "ReLU": ("relu-value", _gradient("return out_grad * node")),
}
COMPUTES = {
    "PowerScalar": ("power-multiplies", "a * self.scalar"),
    "EWisePow": ("pow-swapped", "b**a"),
    "EWiseDiv": ("div-swapped", "b / a"),
    "DivScalar": ("div-scalar-floor", "a // self.scalar"),
    "MatMul": ("matmul-dot", "array_api.dot(a, b)"),
    "Summation": ("sum-mean", "array_api.mean(a, axis=self.axes)"),
    "Negate": ("negate-abs", "-abs(a)"),
    "Transpose": ("transpose-forward-last-two", "array_api.swapaxes(a, -1, -2)"),
    "Log": ("log-base", "array_api.log10(a)"),
    "Exp": ("expm1", "array_api.expm1(a)"),
    "ReLU": ("relu-abs", "abs(a)"),
}


def _said(folder: Path, solutions: dict[str, str], kind: str) -> dict[str, Any]:
    """Return the known mistake that each op's check of a kind names in a real report."""
    report = grade(build(folder, "hw1", "2023", solutions), "hw1", only=f"*.{kind}", blame=False).as_dict()
    checks = [check for question in report["questions"] for check in question["checks"]]
    return {check["id"].split(".")[1]: check["known_mistake"] for check in checks if check["known_mistake"]}


def test_wrong_gradients_are_named_in_the_report(tmp_path: Path, no_search: None) -> None:
    """One program with one wrong gradient per op: each gets its sentence, through the real grader."""
    solutions = {f"{op}.gradient": source for op, (_, source) in GRADIENTS.items()}
    solutions["Summation.right"] = _gradient(
        "shape = node.inputs[0].shape",
        "axes = range(len(shape)) if self.axes is None else self.axes",
        "kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape))",
        "return broadcast_to(reshape(out_grad, kept), shape)",
    ).replace("def gradient", "def right")

    said = _said(tmp_path, solutions, "gradient")

    assert said == {op: id_ for op, (id_, _) in GRADIENTS.items()}


def test_wrong_computes_are_named_in_the_report(tmp_path: Path, no_search: None) -> None:
    """One program with one wrong forward formula per op."""
    solutions = {f"{op}.compute": _compute(line) for op, (_, line) in COMPUTES.items()}

    said = _said(tmp_path, solutions, "forward")

    assert said == {op: id_ for op, (id_, _) in COMPUTES.items()}
