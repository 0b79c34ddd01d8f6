"""What a saved file can affect is graded again, and nothing that it can affect is left out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.homework import table
from grader.watch import affected
from tests.support import build
from tests.support.tree import base_tree

FILES = [
    "python/needle/init/init_initializers.py",
    "python/needle/nn/nn_basic.py",
    "python/needle/optim.py",
    "python/needle/data/data_basic.py",
    "python/needle/data/data_transforms.py",
    "python/needle/ops/ops_logarithmic.py",
    "apps/mlp_resnet.py",
]


class _Broken(ast.NodeTransformer):
    """Makes every function of a module raise when it is called."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = ast.parse("raise RuntimeError('broken')").body
        return node


@pytest.mark.parametrize("file", FILES)
def test_whatever_a_broken_file_changes_is_affected(file: str, tmp_path: Path) -> None:
    """With every function of one file broken, only checks that the file can affect change their verdict."""
    source = ast.unparse(ast.fix_missing_locations(_Broken().visit(ast.parse(base_tree("hw2")[file]))))
    checks = list(table.find("hw2").checks())
    expected = {check.id for check in affected.affected(checks, [file])}

    report = grade(build(tmp_path / "hw2", "hw2", "2023", {}, {file: source}), "hw2", blame=False)

    changed = {check.id for check in report.checks() if check.verdict not in ("passed", "not-run")}
    assert changed - expected == set()
    assert changed


@pytest.mark.parametrize(
    ("file", "subjects"),
    [
        ("python/needle/optim.py", {"optim", "mlp_resnet"}),
        ("python/needle/data/data_basic.py", {"data", "mlp_resnet"}),
        ("python/needle/data/__init__.py", {"data", "mlp_resnet"}),
        ("apps/mlp_resnet.py", {"mlp_resnet"}),
        ("needle/optim.py", {"optim", "mlp_resnet"}),
    ],
)
def test_what_it_cannot_affect_is_left_alone(file: str, subjects: set[str]) -> None:
    """A change in the optimiser does not run the checks of ops or data again."""
    found = affected.affected(table.find("hw2").checks(), [file])

    assert {check.question for check in found} == subjects


def test_autograd_and_unknown_files_affect_everything() -> None:
    """What all stand on, and what nobody knows, runs everything again."""
    checks = list(table.find("hw2").checks())

    for file in ("python/needle/autograd.py", "python/needle/backend_numpy.py", "helpers.py"):
        assert affected.affected(checks, [file]) == checks


def test_changed_functions_come_first() -> None:
    """The checks of the function that was changed are the nearest."""
    before = b"class Log:\n    def compute(self, a):\n        return a\n\n\ndef other():\n    return 1\n"
    after = before.replace(b"return a", b"return a + 1")
    checks = list(table.find("hw1").checks())

    functions = affected.changed_functions(before, after)

    assert functions == {"Log.compute"}
    assert {check.subject for check in affected.nearest(checks, functions, set())} == {"Log"}
    assert affected.changed_functions(before, before + b"\n# a remark\n") == set()
    assert affected.changed_functions(before, b"def (") == {"Log.compute", "other"}
