"""The files of a right submission, as text by relative path, in the layout of 2023 and in that of 2022."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.support.splice import remove, splice

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
LAYOUTS = ("2023", "2022")

HW1_INIT = '''"""needle: automatic differentiation."""

from . import init, ops
from .autograd import Tensor, TensorTuple, all_devices, cpu
from .init import ones, ones_like, zeros, zeros_like
from .ops import *
'''

HW1_PACKAGE_INIT = '"""Tensors to start from."""\n\nfrom .init_basic import *\n'

# Which modules each single file of 2022 is made of.
MERGED = {
    "autograd.py": ["backend_numpy.py", "autograd.py"],
    "ops.py": ["ops/ops_mathematic.py", "ops/ops_logarithmic.py", "ops/ops_tuple.py"],
    "init.py": ["init/init_basic.py", "init/init_initializers.py"],
    "nn.py": ["nn/nn_basic.py"],
    "optim.py": ["optim.py"],
    "data.py": [
        "data/data_basic.py",
        "data/data_transforms.py",
        "data/datasets/mnist_dataset.py",
        "data/datasets/ndarray_dataset.py",
    ],
}

ABSENT_IN_2022 = {"EWisePow", "power", "LogSoftmax", "logsoftmax", "Tensor.__rpow__"}

POW_IN_2022 = """
def __pow__(self, other):
    if isinstance(other, Tensor):
        raise NotImplementedError()
    return needle.ops.PowerScalar(other)(self)
"""


@cache
def base_tree(homework: str, layout: str = "2023") -> dict[str, str]:
    """Every file of the reference that belongs to `homework`, in `layout`."""
    if layout not in LAYOUTS:
        raise ValueError(f"unknown layout {layout!r}")
    if homework == "hw0":
        return _read(["Makefile", "src/simple_ml.py", "src/simple_ml_ext.cpp"])
    tree = _hw1() if homework == "hw1" else _hw2()
    return tree if layout == "2023" else _single_files(tree)


def _read(names: list[str]) -> dict[str, str]:
    return {name: (REFERENCE / name).read_text(encoding="utf-8") for name in names}


def _package(pattern: str) -> list[str]:
    found = sorted((REFERENCE / "python/needle").glob(pattern))
    return [path.relative_to(REFERENCE).as_posix() for path in found]


def _hw1() -> dict[str, str]:
    names = [*_package("autograd.py"), *_package("backend_numpy.py"), *_package("ops/*.py")]
    tree = _read([*names, "python/needle/init/init_basic.py", "apps/simple_ml.py"])
    del tree["python/needle/ops/ops_logarithmic.py"]
    ops = tree["python/needle/ops/__init__.py"].replace("from .ops_logarithmic import *\n", "")
    return {
        **tree,
        "python/needle/ops/__init__.py": ops,
        "python/needle/__init__.py": HW1_INIT,
        "python/needle/init/__init__.py": HW1_PACKAGE_INIT,
    }


def _hw2() -> dict[str, str]:
    return _read([*_package("**/*.py"), "apps/mlp_resnet.py"])


def _single_files(tree: dict[str, str]) -> dict[str, str]:
    needle = {name.removeprefix("python/needle/"): text for name, text in tree.items()}
    merged = {}
    for name, parts in MERGED.items():
        present = [needle[part] for part in parts if part in needle]
        if present:
            merged[f"python/needle/{name}"] = remove(_merge(present), ABSENT_IN_2022)
    kept = {name: text for name, text in tree.items() if name.startswith("apps/")}
    init = {"python/needle/__init__.py": tree["python/needle/__init__.py"]}
    return splice({**init, **merged, **kept}, {"Tensor.__pow__": POW_IN_2022})


def _merge(sources: list[str]) -> str:
    """One module out of several: one block of imports, then the bodies."""
    imports: dict[str, None] = {}
    bodies = []
    for source in sources:
        lines = source.splitlines()
        for node in reversed(ast.parse(source).body):
            if isinstance(node, (ast.Import, ast.ImportFrom)) or _is_text(node):
                del lines[node.lineno - 1 : node.end_lineno]
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_inner(node):
                imports[_flat(ast.unparse(node))] = None
        bodies.append(_flat("\n".join(lines)))
    first = sorted(imports, key=lambda line: "__future__" not in line)
    return "\n".join([*first, *bodies]) + "\n"


def _flat(text: str) -> str:
    """Relative imports of a module that has moved up to the package itself."""
    return re.sub(r"\bfrom \.+", "from .", text)


def _is_inner(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is from a module that is part of the same merged file."""
    module = getattr(node, "module", None) or ""
    return module in ("backend_numpy", "data_basic") or module.startswith(("ops_", "init_", "nn_"))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
