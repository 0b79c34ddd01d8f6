"""The reference's functions work in the place of a submission's, whatever that looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.blame.units import given, joined, units
from grader.places import REFERENCE
from tests.bank.hw2 import STYLES
from tests.blame.driving import edited, named, passes, sharing
from tests.blame.plantings import EDITS
from tests.support import build
from tests.support.transforms import in_file
from tests.support.tree import LAYOUTS

WRONG = "def {}:\n    raise ValueError('wrong')\n"
SUM = WRONG.format("compute(self, a)")
# Which check shows that the function at fault is the one that was replaced.
REPLACED = {
    "Summation.compute": ("forward.Summation.forward", SUM),
    "Linear.forward": ("nn.Linear.forward", WRONG.format("forward(self, X)")),
    "LayerNorm1d.__init__": (
        "nn.LayerNorm1d.forward",
        WRONG.format("__init__(self, dim, eps=1e-5, device=None, dtype='float32')"),
    ),
    "xavier_uniform": (
        "init.xavier_uniform.values",
        WRONG.format("xavier_uniform(fan_in, fan_out, gain=1.0, **kwargs)"),
    ),
    "SGD.step": ("optim.SGD.values", WRONG.format("step(self)")),
    "epoch": ("mlp_resnet.epoch.evaluation", WRONG.format("epoch(dataloader, model, opt=None)")),
    "Tensor.sum": ("nn.BatchNorm1d.forward", WRONG.format("sum(self, axes=None)")),
    "Value.make_const": (
        "optim.SGD.values",
        "@classmethod\n" + WRONG.format("make_const(cls, data, *, requires_grad=False)"),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", REPLACED)
def test_each_kind_is_replaced(function: str, layout: str, tmp_path: Path) -> None:
    """Methods, classes with `super()`, functions, class methods and what was given, in both layouts."""
    check, text = REPLACED[function]
    submission = build(tmp_path / "handed-in", "hw2", layout, {function: text})
    unit = function.partition(".")[0] if check.split(".")[0] in ("nn", "optim") else function
    unit = function if function.startswith(("Tensor", "Value")) else unit

    assert not passes(submission, check)
    assert passes(submission, check, *named(unit))


def test_property_is_replaced_whole(tmp_path: Path) -> None:
    """A property comes with its setter."""
    broken = in_file("autograd.py", lambda text: text.replace("return self.detach()\n", "raise ValueError\n"))
    submission = build(tmp_path / "handed-in", "hw2", "2023", {}, transforms=[broken])

    assert not passes(submission, "optim.SGD.values")
    assert passes(submission, "optim.SGD.values", *named("Tensor.data"))


def test_other_names_of_a_function_change_too(tmp_path: Path) -> None:
    """A function imported under another name, or kept in a list, is the replaced one."""
    faulty = WRONG.format("kaiming_uniform(fan_in, fan_out, nonlinearity='relu', **kwargs)")
    linear = """
def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
    super().__init__()
    self.in_features, self.out_features = in_features, out_features
    self.weight = Parameter(_ALL[0](in_features, out_features, device=device, dtype=dtype))
    column = _draw(out_features, 1, device=device, dtype=dtype)
    self.bias = Parameter(column.reshape((1, out_features))) if bias else None
"""
    alias = "from needle.init import kaiming_uniform as _draw\n_ALL = [_draw]\n"
    solutions = {"kaiming_uniform": faulty, "Linear.__init__": linear, "before:Linear": alias}
    submission = build(tmp_path / "handed-in", "hw2", "2023", solutions)

    assert passes(submission, "nn.Linear.forward", *named("kaiming_uniform"))


def test_other_names_of_a_method_change_too(tmp_path: Path) -> None:
    """`__radd__ = __add__` follows `__add__`."""
    wrong = "def __mul__(self, other):\n    return self\n"
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"Tensor.__mul__": wrong})

    assert not passes(submission, "optim.Adam.values")
    assert passes(submission, "optim.Adam.values", *named("Tensor.__mul__"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_private_functions_are_replaced(layout: str, tmp_path: Path) -> None:
    """What `import *` does not hand on is found in the file that it is written in, and so is its place."""
    text = EDITS["_child_modules"]
    submission = build(tmp_path / "handed-in", "hw2", layout, {"_child_modules": text})

    assert "_child_modules" in edited(submission)
    assert not passes(submission, "nn.modes.switch")
    assert passes(submission, "nn.modes.switch", *named("_child_modules"))


def test_missing_names_are_supplied(tmp_path: Path) -> None:
    """What the reference's function uses and the module does not import is found in the rest of needle."""
    lean = in_file(
        "ops_logarithmic.py",
        lambda text: text.replace(
            "from .ops_mathematic import broadcast_to, exp, reshape, summation", ""
        ).replace("import numpy as array_api", "import numpy as xp\nfrom . import ops_mathematic as m"),
    )
    solutions = {
        "LogSumExp.compute": "def compute(self, Z):\n    return xp.log(xp.exp(Z).sum(axis=self.axes))\n",
        "LogSumExp.gradient": "def gradient(self, out_grad, node):\n    return out_grad\n",
        "LogSoftmax.compute": "def compute(self, Z):\n    return Z - xp.log(xp.exp(Z).sum(1))[:, None]\n",
        "LogSoftmax.gradient": "def gradient(self, out_grad, node):\n    return out_grad\n",
    }
    submission = build(tmp_path / "handed-in", "hw2", "2023", solutions, transforms=[lean])

    assert not passes(submission, "ops.LogSumExp.gradient")
    assert passes(submission, "ops.LogSumExp.gradient", *named("LogSumExp.compute", "LogSumExp.gradient"))


def test_names_of_numpy_are_not_taken(tmp_path: Path) -> None:
    """Where `exp` means numpy's, the reference's function still uses the submission's op."""
    numpys = in_file(
        "ops_logarithmic.py",
        lambda text: text.replace("import broadcast_to, exp,", "import broadcast_to,").replace(
            "import numpy as array_api", "import numpy as array_api\nfrom numpy import exp"
        ),
    )
    solutions = {"LogSumExp.gradient": "def gradient(self, out_grad, node):\n    return out_grad\n"}
    submission = build(tmp_path / "handed-in", "hw2", "2023", solutions, transforms=[numpys])

    assert passes(submission, "ops.LogSumExp.gradient", *named("LogSumExp.gradient"))


def test_sort_brings_its_own_walk(tmp_path: Path) -> None:
    """find_topo_sort is replaced together with the walk it leans on."""
    solutions = {
        "find_topo_sort": "def find_topo_sort(node_list):\n    return node_list\n",
        "topo_sort_dfs": WRONG.format("topo_sort_dfs(everything, different)"),
    }
    submission = build(tmp_path / "handed-in", "hw1", "2022", solutions)
    check = "topo_sort.find_topo_sort.order"

    assert passes(submission, check, *named("find_topo_sort", homework="hw1"), homework="hw1")
    assert not passes(submission, check, *named("topo_sort_dfs", homework="hw1"), homework="hw1")


SHARED = {
    "LogSumExp.compute": """
def compute(self, Z):
    self.biggest = array_api.max(Z, axis=self.axes, keepdims=True)
    self.total = array_api.exp(Z - self.biggest).sum(axis=self.axes, keepdims=True)
    return (array_api.log(self.total) + self.biggest).sum(axis=self.axes) * 2
""",
    "LogSumExp.gradient": """
def gradient(self, out_grad, node):
    Z = node.inputs[0]
    spread = broadcast_to(reshape(out_grad, self.total.shape), Z.shape)
    return spread * exp(Z - broadcast_to(Tensor(self.biggest + array_api.log(self.total)), Z.shape))
""",
}


def test_shared_attributes_are_seen(tmp_path: Path) -> None:
    """Methods that leave attributes to one another are replaced together, or not at all."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", SHARED)

    classes = sharing(submission)
    assert classes == ["needle.ops.LogSumExp"]
    every = joined(units("hw2", REFERENCE), classes, given("hw2", REFERENCE))
    whole = next(unit for unit in every if unit.name == "LogSumExp")
    assert not passes(submission, "nn.SoftmaxLoss.gradient", *named("LogSumExp.compute"))
    assert passes(submission, "nn.SoftmaxLoss.gradient", whole)


def test_other_state_is_seen(tmp_path: Path) -> None:
    """A class whose constructor keeps other attributes is replaced with its constructor."""
    solutions = {
        "Reshape.__init__": "def __init__(self, shape):\n    self.target = shape\n",
        "Reshape.compute": "def compute(self, a):\n    return a.reshape(self.target) + 1\n",
    }
    submission = build(tmp_path / "handed-in", "hw2", "2022", solutions)

    assert sharing(submission) == ["needle.ops.Reshape"]


@pytest.mark.parametrize("style", STYLES[:4], ids=lambda style: style.name)
def test_scaffold_of_right_styles_is_as_given(style, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """In a right solution nothing that was given is taken for edited, but for a starter's own year."""
    submission = style.build(tmp_path / "handed-in", "hw2")

    expected = {"Tensor.__pow__"} if style.layout == "2022" else set()
    assert set(edited(submission)) <= expected


def test_edits_of_the_scaffold_are_seen(tmp_path: Path) -> None:
    """Code counts, wording does not."""
    solutions = {
        "Tensor.__add__": "def __add__(self, other):\n    return needle.ops.EWiseAdd()(other, self)\n",
        "Tensor.numpy": 'def numpy(self) -> "array":\n    """Other words."""\n    return self.realize_cached_data()\n',
    }
    submission = build(tmp_path / "handed-in", "hw2", "2023", solutions)

    assert edited(submission) == ["Tensor.__add__"]
