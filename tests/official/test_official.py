"""The course's tests run offline: right solutions pass, faulty ones fail with the case and both values."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.official import run, text
from grader.official.model import DATA_MISSING, FAILED, NOT_RUN, PASSED, Outcome
from tests.bank import hw1 as bank1
from tests.bank import hw2 as bank2
from tests.faults import hw1 as faults1
from tests.faults import hw2 as faults2
from tests.official import course

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "reference/data"
FAULTS = {
    "hw1": {
        "power-zero": "submit_backward",
        "power-not-reduced": "submit_backward",
        "broadcast-from-left": "submit_backward",
        "transpose-permutes": "submit_forward",
        "matmul-no-batch-sum": "submit_backward",
        "div-sign": "submit_backward",
        "exp-returns-none": "submit_backward",
        "topo-pre-order": "submit_topo_sort",
        "topo-duplicates": "submit_topo_sort",
        "gradient-last-only": "submit_compute_gradient",
        "loss-sum": "submit_softmax_loss",
        "epoch-ascends": "submit_nn_epoch",
    },
    "hw2": {
        "dropout-inverted": "submit_modules",
        "batchnorm-unbiased": "submit_norms",
        "batchnorm-eval-batch": "submit_norms",
        "linear-bias-false": "submit_linear",
        "sgd-momentum-whole": "submit_sgd",
        "adam-no-correction": "submit_adam",
        "adam-decoupled": "submit_adam",
        "loader-drops-short": "submit_loader",
        "dataset-transposed": "submit_mnist",
        "init-order-blocks-first": "submit_mlp",
    },
}
# Styles whose Dropout draws its mask in a way of its own: right, but not what a seeded test of the course expects.
OWN_DRAWS = {("hw2", name): ["submit_modules"] for name in ("odd", "odd_2022")}
ALL = {"hw1": faults1.FAULTS, "hw2": faults2.FAULTS}


def outcomes(path: Path, homework: str, folder: Path, data: Path | None = DIGITS) -> dict[str, Outcome]:
    """Run our tests in the course's manner and return the outcomes by function."""
    tests = course.write(folder / "mine", homework)
    results = run.run(path, homework, tests, data=data, seconds=30.0)
    return {one.function: one for one in results.outcomes}


@pytest.mark.parametrize(
    ("homework", "style"),
    [("hw1", style) for style in bank1.STYLES] + [("hw2", style) for style in bank2.STYLES],
    ids=lambda one: getattr(one, "name", one),
)
def test_right_solutions_pass(homework: str, style: bank1.Style, tmp_path: Path) -> None:
    """Every right style submits the reference's values."""
    found = outcomes(style.build(tmp_path / "work", homework), homework, tmp_path)

    others = [one.function for one in found.values() if one.verdict != PASSED]
    assert others == OWN_DRAWS.get((homework, style.name), [])


@pytest.mark.parametrize(
    ("homework", "fault", "function"),
    [(homework, fault, name) for homework, rows in FAULTS.items() for fault, name in rows.items()],
)
def test_faulty_solutions_fail(homework: str, fault: str, function: str, tmp_path: Path) -> None:
    """A fault fails the function that asks for it, with the case's number and both values."""
    chosen = next(one for one in ALL[homework] if one.id == fault)

    outcome = outcomes(chosen.build(tmp_path / "work", homework), homework, tmp_path)[function]

    assert outcome.verdict == FAILED, outcome
    assert outcome.case is not None
    assert outcome.values == outcome.case - 1
    assert outcome.actual
    assert outcome.expected
    assert outcome.actual != outcome.expected


def test_case_is_the_number_of_the_call(tmp_path: Path) -> None:
    """The gradient of the eighth call is wrong, those before it are right."""
    chosen = next(one for one in faults1.FAULTS if one.id == "broadcast-from-left")

    outcome = outcomes(chosen.build(tmp_path / "work", "hw1"), "hw1", tmp_path)["submit_backward"]

    assert (outcome.case, outcome.values) == (8, 7)


def test_without_mnist_what_needs_it_is_not_run(tmp_path: Path) -> None:
    """Functions that read MNIST are not run, the others are."""
    shutil.copytree(ROOT / "reference/python", tmp_path / "hw2/python")
    shutil.copytree(ROOT / "reference/apps", tmp_path / "hw2/apps")

    found = outcomes(tmp_path / "hw2", "hw2", tmp_path, data=None)

    assert (found["submit_mnist"].verdict, found["submit_mnist"].message) == (NOT_RUN, DATA_MISSING)
    assert found["submit_sgd"].verdict == PASSED


def test_page_and_exit_code_of_the_command(tmp_path: Path) -> None:
    """The command prints lines of 80 columns and ends with 1 when a function fails."""
    chosen = next(one for one in faults2.FAULTS if one.id == "sgd-momentum-whole")
    tests = course.write(tmp_path / "mine", "hw2")
    words = [
        "official",
        "hw2",
        str(chosen.build(tmp_path / "w", "hw2")),
        "--tests",
        str(tests),
        "--data",
        str(DIGITS),
    ]

    done = subprocess.run(
        [sys.executable, "-m", "grader", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1, done.stderr
    assert re.search(r"^  no  submit_sgd +case 2, after 1 right$", done.stdout, re.MULTILINE)
    assert re.search(r"^      yours +\d", done.stdout, re.MULTILINE)
    assert re.search(r"^      expected +\d", done.stdout, re.MULTILINE)
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80


SUBMITTED = """
import mugrade
import needle as ndl
import numpy as np


def submit_kinds():
    out = ndl.exp(ndl.Tensor(np.ones((2, 2))))
    mugrade.submit({value})
"""
KINDS = {
    "type": "type(out.numpy()[0, 0])",
    "dtype": "out.numpy().dtype",
    "shape": "out.shape",
    "tuple": "(out.numpy(), 3, None, True, 'text')",
    "numpy scalar": "np.float32(out.numpy()[0, 0])",
    "tensor": "out",
    "big": "2 ** 70",
    "nan": "float('nan')",
    "complex": "1 + 2j",
    "nested": "[[(1, 2.5), np.arange(3)], {'a': out.numpy()}]",
}


@pytest.mark.parametrize("value", KINDS.values(), ids=KINDS.keys())
def test_any_value_equals_itself_and_nothing_else(value: str, tmp_path: Path) -> None:
    """Whatever is submitted passes when it is right; another value in its place does not."""
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "kinds.py").write_text(SUBMITTED.replace("{value}", value))

    right = run.run(ROOT / "reference", "hw1", tests).outcomes[0]
    (tests / "kinds.py").write_text(
        SUBMITTED.replace("{value}", f"('other' if ours else {value})").replace(
            "def submit_kinds():", "ours = hasattr(ndl, 'OURS')\n\n\ndef submit_kinds():"
        )
    )
    shutil.copytree(ROOT / "reference/python", tmp_path / "work/python")
    shutil.copytree(ROOT / "reference/apps", tmp_path / "work/apps")
    with (tmp_path / "work/python/needle/__init__.py").open("a") as file:
        file.write("\nOURS = True\n")
    wrong = run.run(tmp_path / "work", "hw1", tests).outcomes[0]

    assert (right.verdict, right.values) == (PASSED, 1)
    assert (wrong.verdict, wrong.case) == (FAILED, 1)


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda folder: folder / "nowhere", "no such folder"),
        (lambda folder: folder, r"no function submit_\*"),
    ],
)
def test_bad_tests_are_one_line(prepare: object, says: str, tmp_path: Path) -> None:
    """A folder without tests is a usage error that names it."""
    with pytest.raises(UsageError, match=says):
        run.run(ROOT / "reference", "hw1", prepare(tmp_path))  # type: ignore[operator]


def test_values_from_a_submission_are_shown_as_text() -> None:
    """Control characters in a submitted value do not reach the terminal."""
    results = run.Results(
        "hw1", "a", "b", [Outcome("f.py", "submit_x", FAILED, 0, 1, "\x1b[31mred", "\x1b]0;t", "1")]
    )

    assert "\x1b" not in text.render(results)
