"""The generated handouts: complete, without a solution, and importable as far as they go."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from grader.handout import HandoutError, check, generate, write
from grader.handout.regions import BEGIN, empty, find_regions
from grader.handout.table import HANDOUTS

from .conftest import REFERENCE, ROOT, run

TEXTS = (".py", ".cpp")


@cache
def solution_lines() -> set[str]:
    """Lines that the reference has in regions only, and that are too long for a coincidence."""
    found: set[str] = set()
    elsewhere: set[str] = set()
    for path in REFERENCE.rglob("*"):
        if path.suffix in TEXTS:
            lines = path.read_text(encoding="utf-8").splitlines()
            for region in reversed(find_regions(lines) or []):
                found |= {line.strip() for line in lines[region.begin + 1 : region.end]}
                del lines[region.begin : region.end]
            elsewhere |= {line.strip() for line in lines}
    return {line for line in found - elsewhere if len(line) > 20}


def test_no_line_of_a_solution_is_given_away(homework: str) -> None:
    solutions = solution_lines()

    given = {
        line.strip()
        for name, content in generate(homework).items()
        if name.endswith(TEXTS)
        for line in content.decode().splitlines()
    }

    assert len(solutions) > 100
    assert given & solutions == set()


def test_every_python_file_compiles(homework: str) -> None:
    for name, content in generate(homework).items():
        if name.endswith(".py"):
            compile(content, name, "exec")


def test_every_region_raises(homework: str) -> None:
    for name, content in generate(homework).items():
        lines = content.decode().splitlines() if name.endswith(".py") else []
        for region in find_regions(lines) or []:
            inside = lines[region.begin + 1 : region.end]

            assert [line.strip() for line in inside] in ([], ["raise NotImplementedError()"])


def test_files_are_sorted_and_have_lf_line_ends(homework: str) -> None:
    files = generate(homework)

    assert list(files) == sorted(files)
    assert [name for name, content in files.items() if not name.endswith(".gz") and b"\r" in content] == []


def test_crlf_in_the_checkout_changes_nothing(tmp_path: Path, homework: str) -> None:
    copy = tmp_path / "reference"
    shutil.copytree(REFERENCE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for path in copy.rglob("*"):
        if path.suffix in {".py", ".cpp", ".md", ".svg"}:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert generate(homework, copy) == generate(homework)


def test_readme_shows_only_images_that_are_there(homework: str) -> None:
    files = generate(homework)

    shown = set(re.findall(r"\]\((images/[^)]+)\)", files["README.md"].decode()))

    assert shown == {name for name in files if name.startswith("images/")}


def test_points_in_the_readme_add_up_to_a_hundred(homework: str) -> None:
    table = re.findall(r"^\|[^|]+\| (\d+) \|", generate(homework)["README.md"].decode(), re.MULTILINE)

    assert sum(map(int, table)) == 100


def test_hw1_holds_only_its_own_part() -> None:
    files = generate("hw1")

    assert [
        name for name in files if re.search("needle/(nn|data|optim)|init_initializers|logarithmic", name)
    ] == []
    assert b"optim" not in files["python/needle/__init__.py"]


@pytest.mark.parametrize("name", ["hw1", "hw2"])
def test_needle_imports_with_nothing_filled_in(lay_out: Callable[..., Path], name: str) -> None:
    program = "import needle as ndl; print((ndl.Tensor([1.0]) + 1).numpy()); import inspect, needle.init"

    assert run(program, lay_out(name)) == "[2.]"


def test_a_stub_says_that_it_is_not_implemented(lay_out: Callable[..., Path]) -> None:
    program = "import simple_ml\ntry: simple_ml.softmax_loss(0, 0)\nexcept NotImplementedError: print('not implemented')"

    assert run(program, lay_out("hw1")) == "not implemented"


def test_cpp_stub_compiles(lay_out: Callable[..., Path]) -> None:
    compiler = shutil.which("c++") or shutil.which("g++")
    pybind11 = pytest.importorskip("pybind11")
    if compiler is None:
        pytest.skip("no C++ compiler")
    include = subprocess.run(
        [sys.executable, "-m", "pybind11", "--includes"], capture_output=True, text=True, check=True
    )
    source = lay_out("hw0") / "src/simple_ml_ext.cpp"

    command = [compiler, "-std=c++17", "-fsyntax-only", *include.stdout.split(), str(source)]

    assert pybind11 and subprocess.run(command, check=False, capture_output=True, text=True).stderr == ""


def test_helpers_at_the_left_margin_vanish() -> None:
    text = f"import math\n{BEGIN}\ndef helper():\n    return 1\n### END YOUR SOLUTION\n"

    assert ast.dump(ast.parse(empty(text, "a.py"))) == ast.dump(ast.parse("import math"))


@pytest.mark.parametrize("text", [f"{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n", "    ### END YOUR SOLUTION\n"])
def test_markers_that_do_not_pair_up_are_named(text: str) -> None:
    with pytest.raises(HandoutError, match=r"a\.py: the BEGIN and END markers do not pair up"):
        empty(text, "a.py")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with only `reference/` and its handouts in it."""
    shutil.copytree(REFERENCE, tmp_path / "reference", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    write(tmp_path)
    return tmp_path


def test_what_was_written_passes_the_check(repository: Path) -> None:
    (repository / "hw1/python/needle/__pycache__").mkdir()
    (repository / "hw1/python/needle/__pycache__/a.pyc").touch()
    (repository / "hw0/src/simple_ml_ext.so").touch()

    assert check(repository) == []
    assert write(repository) == []


def test_check_shows_changed_missing_and_extra_files(repository: Path) -> None:
    changed = repository / "hw2/python/needle/optim.py"
    changed.write_bytes(changed.read_bytes().replace(b"import", b"from x import", 1))
    (repository / "hw1/apps/simple_ml.py").unlink()
    (repository / "hw0/notes.txt").touch()
    data = next((repository / "hw0/data").glob("*.gz"))
    data.write_bytes(b"")

    extra, binary, missing, diff = check(repository)

    assert extra == "hw0/notes.txt: extra, reference/ does not give it"
    assert binary == f"hw0/data/{data.name}: not the same bytes as in reference/"
    assert missing == "hw1/apps/simple_ml.py: missing"
    assert diff.startswith("--- hw2/python/needle/optim.py\n+++ ")
    assert "-from x import" in diff


def test_check_names_crlf(repository: Path) -> None:
    path = repository / "hw1/README.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert check(repository) == ["hw1/README.md: line ends are CRLF, should be LF"]


def test_write_repairs_a_stub_but_never_overwrites_a_solution(repository: Path) -> None:
    shutil.copy(repository / "reference/python/needle/optim.py", repository / "hw2/python/needle/optim.py")
    readme = repository / "hw2/README.md"
    readme.unlink()

    with pytest.raises(HandoutError, match=r"hw2/python/needle/optim\.py: holds a solution"):
        write(repository)

    assert not readme.exists()
    assert write(repository, force=True) == ["hw2/README.md", "hw2/python/needle/optim.py"]


def test_a_solution_in_cpp_is_kept(repository: Path) -> None:
    shutil.copy(repository / "reference/src/simple_ml_ext.cpp", repository / "hw0/src/simple_ml_ext.cpp")

    with pytest.raises(HandoutError, match="holds a solution"):
        write(repository)


def test_a_file_missing_in_reference_is_named(repository: Path) -> None:
    (repository / "reference/Makefile").unlink()

    with pytest.raises(HandoutError, match="reference/Makefile: missing"):
        generate("hw0", repository / "reference")


def test_handouts_in_the_repository_are_up_to_date() -> None:
    if not all((ROOT / name).is_dir() for name in HANDOUTS):
        pytest.skip("no handouts in this checkout")

    assert check(ROOT) == []
