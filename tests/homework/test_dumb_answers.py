"""Dumb answers given by every function of a submission earn nothing: no check that is scored passes.

The functions stay the reference's; around each, text at the end of its file puts the dumb answer in the place
of the right one, in the right wrapping (a Tensor where a Tensor is expected).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.grade import grade
from grader.sandbox.limits import Limits
from tests.faults.hw0 import CPP, DUMB_ANSWERS, NO_CPP
from tests.faults.model import Fault
from tests.support import build
from tests.support import transforms as change
from tests.support.compiling import extension
from tests.support.transforms import Transform

ANSWERS = {
    "zeros": "_np.zeros_like(right)",
    "ones": "_np.ones_like(right)",
    "nan": "_np.full(right.shape, _np.nan, 'float32')",
    "empty": "_np.zeros((0,), 'float32')",
    "input": "given",
    "transpose": "given.T",
    "float16": "right.astype('float16')",
    "objects": "right.astype(object)",
}

DUMB = """

import numpy as _np


def _array(value):
    return _np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def _dumb(right, given):
    right, given = _array(right), _array(given)
    return {answer}


def _instead(owner, name, answer):
    right = owner[name] if isinstance(owner, dict) else getattr(owner, name)

    def instead(*args, **kwargs):
        try:
            value = right(*args, **kwargs)
        except Exception:  # it works with what other dumb functions gave it
            value = _np.ones(3, dtype="float32")
        return answer(value, *args)

    if isinstance(owner, dict):
        owner[name] = instead
    else:
        setattr(owner, name, instead)
"""

GRADIENTS = """

def _gradients(value, op, out_grad, node):
    values = value if isinstance(value, tuple) else (value,) * len(node.inputs)
    return tuple(Tensor.make_const(_dumb(v, i)) for v, i in zip(values, node.inputs))


for _op in ({ops},):
    _instead(_op, "compute", lambda value, op, *arrays: _dumb(value, arrays[0]))
    _instead(_op, "gradient", _gradients)
"""
MATHEMATIC = GRADIENTS.format(
    ops="PowerScalar, EWisePow, EWiseDiv, DivScalar, MatMul, Summation, BroadcastTo, Reshape, Negate, Transpose, Log, "
    "Exp, ReLU"
)
LOGARITHMIC = GRADIENTS.format(ops="LogSumExp, LogSoftmax")

# An order of nodes is no array: the dumb ones are a wrong number of nodes, or the order of the input.
AUTOGRAD = """

def _order(value, nodes):
    answer = _dumb(_np.arange(3.0), _np.arange(3.0))
    return list(nodes) * len(answer)


def _grads(value, output, out_grad):
    for node in [output, *output.inputs]:
        node.grad = Tensor.make_const(_dumb(node.grad if node.grad is not None else node, node))


_instead(globals(), "find_topo_sort", _order)
_instead(globals(), "compute_gradient_of_variables", _grads)
"""

APPS_HW1 = """

def _tensor(right, given):
    return ndl.Tensor.make_const(_dumb(right, given))


_instead(globals(), "softmax_loss", lambda value, Z, y: _tensor(value, Z))
_instead(globals(), "nn_epoch", lambda value, X, y, W1, W2, *rest: (_tensor(value[0], W1), _tensor(value[1], W2)))
"""

INIT = """

from needle.autograd import Tensor as _Tensor

for _name in ("xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal"):
    _instead(
        globals(), _name, lambda value, fan_in, fan_out, *rest: _Tensor.make_const(_dumb(value, [fan_in, fan_out]))
    )
"""

MODULES = """

for _layer in (Linear, Flatten, ReLU, Sequential, SoftmaxLoss, BatchNorm1d, LayerNorm1d, Dropout, Residual):
    _instead(_layer, "forward", lambda value, self, x, *rest: Tensor.make_const(_dumb(value, x)))
"""

CONSTRUCTORS = """

def _made(value, self, *args):
    for name, value in list(vars(self).items()):
        if isinstance(value, Tensor):
            setattr(self, name, type(value).make_const(_dumb(value, [args])))


for _layer in (Linear, BatchNorm1d, LayerNorm1d):
    _instead(_layer, "__init__", _made)
"""

OPTIM = """

def _stepping(right):
    def step(self):
        before = [p.numpy() for p in self.params]
        right(self)
        for p, old in zip(self.params, before):
            p.cached_data = _dumb(p, old)

    return step


SGD.step, Adam.step = _stepping(SGD.step), _stepping(Adam.step)
"""

TRANSFORMS = """

for _one in (RandomFlipHorizontal, RandomCrop):
    _instead(_one, "__call__", lambda value, self, img: _dumb(value, img))
"""

DATASET = """

MNISTDataset.__len__ = lambda self: len(_dumb([0.0], [0.0]))
_instead(
    MNISTDataset,
    "__getitem__",
    lambda value, self, index: tuple(_dumb(part, self.images[:2, :, :, 0]) for part in value),
)
"""

LOADER = """

def _passes(value, self):
    for batch in value:
        yield tuple(Tensor.make_const(_dumb(part, [[self.batch_size]])) for part in batch)


_instead(DataLoader, "__iter__", _passes)
"""

TRAINING = """

class _Dumb(nn.Module):
    def __init__(self, right):
        super().__init__()
        self.right = lambda x: right(x)

    def forward(self, x):
        return ndl.Tensor.make_const(_dumb(self.right(x), x))


_instead(globals(), "ResidualBlock", lambda value, *args: _Dumb(value))
_instead(globals(), "MLPResNet", lambda value, *args: _Dumb(value))
_instead(globals(), "epoch", lambda value, *args: tuple(_dumb(one, 0.5) for one in value))
_instead(globals(), "train_mnist", lambda value, *args: tuple(_dumb(one, 0.5) for one in value))
"""

OPS, AUTO, SIMPLE = "ops/ops_mathematic.py", "needle/autograd.py", "apps/simple_ml.py"
HW1 = {OPS: MATHEMATIC, AUTO: AUTOGRAD, SIMPLE: APPS_HW1}
SUBJECTS: dict[str, dict[str, str]] = {
    "init": {"init_initializers.py": INIT},
    "ops": {"ops_logarithmic.py": LOGARITHMIC},
    "nn": {"nn_basic.py": MODULES},
    "optim": {"needle/optim.py": OPTIM},
    "data": {"data_transforms.py": TRANSFORMS, "mnist_dataset.py": DATASET, "data_basic.py": LOADER},
    "mlp_resnet": {"mlp_resnet.py": TRAINING},
}
EVERYTHING = {
    OPS: MATHEMATIC,
    AUTO: AUTOGRAD,
    **{file: code for files in SUBJECTS.values() for file, code in files.items()},
    "nn_basic.py": MODULES + CONSTRUCTORS,
}
# What is not an answer of the functions that are dumb: the constructors', and the graphs of hw1's gradients.
ELSEWHERE = (".parameters", ".init", ".order")
MODES = "nn.modes."
GRAPHS = "optim.graph."


def dumb(codes: dict[str, str], answer: str) -> list[Transform]:
    """The transforms that make the functions of some files dumb."""
    return [_ending(file, DUMB.format(answer=answer) + code) for file, code in codes.items()]


def _ending(file: str, code: str) -> Transform:
    return change.in_file(file, lambda text: text + code)


def run(root: Path, homework: str, only: str | None = None) -> dict[str, Any]:
    """The report of a quick run."""
    return grade(root, homework, only=only, blame=False, limits=Limits(check_seconds=5.0)).as_dict()


def passed(report: dict[str, Any]) -> Iterator[str]:
    """Ids of the scored checks that pass."""
    for question in report["questions"]:
        for check in question["checks"]:
            if check["verdict"] == "passed" and not check["advice"]:
                yield check["id"]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(("homework", "codes"), [("hw1", HW1), ("hw2", EVERYTHING)], ids=["hw1", "hw2"])
def test_dumb_everywhere(homework: str, codes: dict[str, str], answer: str, tmp_path: Path) -> None:
    """A submission that is dumb everywhere has no point, and no check of it passes."""
    root = build(tmp_path / "here", homework, transforms=dumb(codes, ANSWERS[answer]))

    report = run(root, homework)

    assert list(passed(report)) == []
    assert report["score"] == 0.0


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("question", SUBJECTS)
def test_dumb_in_one_question(question: str, answer: str, tmp_path: Path) -> None:
    """Where only one question's functions are dumb, what is right around them does not let them through."""
    root = build(tmp_path / "here", "hw2", transforms=dumb(SUBJECTS[question], ANSWERS[answer]))

    report = run(root, "hw2", f"{question}.*")

    assert [id for id in passed(report) if not id.endswith(ELSEWHERE) and not id.startswith(GRAPHS)] == []


@pytest.mark.parametrize("answer", ANSWERS)
def test_dumb_constructors(answer: str, tmp_path: Path) -> None:
    """Parameters and statistics that start from dumb values are not taken."""
    root = build(tmp_path / "here", "hw2", transforms=dumb({"nn_basic.py": CONSTRUCTORS}, ANSWERS[answer]))

    report = run(root, "hw2", "nn.*")

    assert [id for id in passed(report) if id.endswith(ELSEWHERE) and not id.startswith(MODES)] == []


@pytest.mark.parametrize("fault", DUMB_ANSWERS, ids=lambda fault: fault.id)
def test_dumb_hw0(fault: Fault, tmp_path: Path) -> None:
    """hw0's functions in Python: no check passes."""
    report = run(build(tmp_path / "here", "hw0", solutions=fault.solutions, extra_files={CPP: NO_CPP}), "hw0")

    assert list(passed(report)) == []
    assert report["score"] == 0.0


STEPS = {
    "zeros": "for (size_t i = 0; i < n * k; ++i) theta[i] = 0;",
    "nan": 'for (size_t i = 0; i < n * k; ++i) theta[i] = std::nanf("");',
    "unchanged": "(void)theta;",
}


@pytest.mark.parametrize("answer", STEPS)
def test_dumb_extension(answer: str, tmp_path: Path) -> None:
    """hw0's function in C++: whatever it writes into theta without looking earns nothing."""
    root = build(tmp_path / "here", "hw0", extra_files={CPP: extension(f"    {STEPS[answer]}")})

    report = run(root, "hw0", "softmax_regression_epoch_cpp.*")

    assert list(passed(report)) == []
    assert report["score"] == 0.0
