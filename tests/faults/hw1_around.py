"""Faults of imports, of packages and of needle itself, of versions, and of what code prints."""

from __future__ import annotations

import sys

import numpy as np

from tests.faults.hw1_planted import with_prologue
from tests.faults.model import Expect, Fault, fine
from tests.support import transforms as change

OPS_FILE = "needle/ops/ops_mathematic.py"


def _headed(line: str, file: str = OPS_FILE) -> tuple[change.Transform, ...]:
    """Put a line before the first import of a file."""
    return (change.in_file(file, lambda text: text.replace("\nimport ", f"\n{line}\nimport ", 1)),)


def _unused(id_: str, line: str, word: str) -> Fault:
    return Fault(id_, "does not import: unused", fine(notes=(word,)), transforms=_headed(line))


UNUSED = [
    _unused(
        "unused-more-itertools", "from more_itertools import only, chunked as _chunked", "more_itertools"
    ),
    _unused("unused-typing-extensions", "from typing_extensions import Self", "typing_extensions"),
    _unused("unused-audioop", "from audioop import cross", "audioop" if sys.version_info >= (3, 13) else ""),
    _unused("unused-plot", "import matplotlib.pyplot as plt", "matplotlib"),
    _unused("unused-pil", "from PIL import Image", "PIL"),
    _unused("unused-course-tests", "from tests.hw1.test_autograd_hw import *", "test_autograd_hw"),
    _unused("unused-pytest", "import pytest", ""),
    Fault(
        "unused-socket-name",
        "does not import: unused",
        fine(notes=("SO_EXCLUSIVEADDRUSE",) if sys.platform != "win32" else ()),
        transforms=_headed("from socket import AF_INET, SO_EXCLUSIVEADDRUSE"),
    ),
]

USED = [
    Fault(
        "used-more-itertools",
        "does not import: used",
        Expect(("nn_epoch.nn_epoch.*",), ("more_itertools",), consequences=("nn_epoch.*",)),
        {
            "before:nn_epoch": "from more_itertools import chunked",
            "nn_epoch": with_prologue("nn_epoch", "order = list(chunked(range(len(X)), batch))"),
        },
    ),
    Fault(
        "used-tqdm",
        "does not import: used",
        fine(),
        {
            "before:nn_epoch": "from tqdm import tqdm",
            "nn_epoch": with_prologue("nn_epoch", "for _ in tqdm(range(3)): pass"),
        },
    ),
    Fault(
        "syntax-error",
        "does not import",
        Expect(("*",), ("ops_mathematic.py",), consequences=("*",), score=0.0),
        transforms=(change.in_file(OPS_FILE, lambda text: text + "\ndef broken(:\n"),),
    ),
    Fault(
        "syntax-error-in-apps",
        "does not import",
        Expect(("softmax_loss.*", "nn_epoch.nn_epoch.*"), ("simple_ml.py",)),
        transforms=(change.in_file("simple_ml.py", lambda text: text + "\ndef broken(:\n"),),
    ),
    Fault(
        "no-such-name",
        "does not import",
        Expect(("*",), ("NDArrayy",), consequences=("*",), score=0.0),
        transforms=(
            change.in_file(
                OPS_FILE, lambda text: text.replace("import NDArray,", "import NDArray, NDArrayy,")
            ),
        ),
    ),
]

TWO_COPIES = [
    Fault(
        "copies-in-ops",
        "two copies of the package",
        fine(notes=("python.needle",)),
        transforms=_headed("from python.needle.autograd import Value as _Value"),
    ),
    Fault(
        "copies-in-apps",
        "two copies of the package",
        fine(notes=("hw1.python.needle",)),
        transforms=(
            change.in_file(
                "simple_ml.py",
                lambda text: text.replace(
                    "import needle as ndl\n",
                    "import needle as ndl\nfrom hw1.python.needle import Tensor, ops\n",
                ),
            ),
        ),
    ),
    Fault(
        "copies-mixed",
        "two copies of the package",
        fine(notes=("python.needle",)),
        {
            "ReLU.gradient": """
def gradient(self, out_grad, node):
    from python.needle.autograd import Tensor as T
    mask = node.inputs[0].numpy() > 0
    return out_grad * T(mask, dtype=out_grad.dtype)
"""
        },
    ),
]

VERSIONS = [
    Fault(
        "compact",
        "later homework's API copied back",
        Expect(
            ("forward.Transpose.forward",),
            ("compact", "hw3"),
            "Transpose.compute",
            consequences=("backward.*", "nn_epoch.*"),
        ),
        {
            "Transpose.compute": """
def compute(self, a):
    return array_api.swapaxes(a, *(self.axes or (-1, -2))).compact()
"""
        },
    ),
    Fault(
        "np-pow",
        "numpy version traps",
        fine()
        if hasattr(np, "pow")
        else Expect(("forward.PowerScalar.forward",), ("pow",), consequences=("backward.*",)),
        {
            "PowerScalar.compute": """
def compute(self, a):
    return array_api.asarray(array_api.pow(a, self.scalar), dtype=a.dtype)
"""
        },
    ),
    Fault(
        "fromstring",
        "numpy version traps",
        Expect(("nn_epoch.nn_epoch.*",), ("fromstring",), consequences=("nn_epoch.*",))
        if np.__version__ >= "2.3"
        else fine(),
        {
            "nn_epoch": with_prologue(
                "nn_epoch", "X = np.fromstring(X.tobytes(), dtype=X.dtype).reshape(X.shape)"
            )
        },
    ),
    Fault(
        "numpy-core",
        "numpy version traps",
        fine(),
        transforms=_headed("from numpy.core.numeric import asarray as _asarray"),
    ),
]

NOISE = [
    Fault(
        "prints-in-compute",
        "prints by the hundred kB",
        fine(),
        {"MatMul.compute": with_prologue("MatMul.compute", "print('product', 'x' * 200_000)")},
    ),
    Fault(
        "prints-escapes",
        "prints by the hundred kB",
        fine(),
        {"Exp.compute": with_prologue("Exp.compute", r"print('\x1b]0;owned\x07\x1b[2J\x00')")},
    ),
    Fault(
        "typos",
        "typos on branches nothing runs",
        fine(notes=("zeors_like", "flaot32")),
        {
            "Exp.compute": with_prologue(
                "Exp.compute", "if a.ndim > 40:\n    return array_api.zeors_like(a).astype('flaot32')"
            )
        },
    ),
    Fault(
        "unfilled",
        "not filled in",
        Expect(("backward.MatMul.gradient",), ("not filled in",), "MatMul.gradient"),
        {"MatMul.gradient": "def gradient(self, out_grad, node):\n    raise NotImplementedError()"},
    ),
]

FAULTS = [*UNUSED, *USED, *TWO_COPIES, *VERSIONS, *NOISE]
