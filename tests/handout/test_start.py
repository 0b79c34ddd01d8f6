"""`start`: what a student wrote for homework 1 works in homework 2, whatever their files look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.handout import HandoutError, start

from .conftest import run
from .styles import edit, single_file, solved, with_tabs_and_crlf, without_markers

LayOut = Callable[..., Path]

# every operator and the autograd at work: a second derivative, a batched product, a sum over an axis, a broadcast
PROGRAM = """
import needle as ndl, numpy as np
x = ndl.Tensor(np.ones((2, 2)))
y = x + 2
(ndl.summation(3 * y * y) / 4).backward()
print(x.grad.numpy().tolist())
(x ** 3).backward()
x.grad.backward()
print(x.grad.numpy().tolist())
a, b = ndl.Tensor(np.ones((2, 3, 4))), ndl.Tensor(np.ones((4, 5)))
s = ndl.summation(a @ b, axes=(0,))
t = ndl.relu(ndl.broadcast_to(ndl.reshape(ndl.log(ndl.exp(-(-s))), (1, 15)), (2, 15)))
t.backward()
print(b.grad.numpy().sum(), ndl.transpose(a).shape, a.grad.shape)
"""
OUTPUT = "[[4.5, 4.5], [4.5, 4.5]]\n[[6.0, 6.0], [6.0, 6.0]]\n240.0 (2, 4, 3) (2, 3, 4)"

STYLES = {
    "as handed out": solved,
    "without markers": lambda root: without_markers(solved(root)),
    "tabs and CRLF": lambda root: with_tabs_and_crlf(solved(root)),
    "tabs, no markers": lambda root: with_tabs_and_crlf(without_markers(solved(root))),
    "2022": lambda root: single_file(solved(root)),
    "2022, no markers": lambda root: without_markers(single_file(solved(root))),
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_solutions_work_after_the_move(
    lay_out: LayOut, tmp_path: Path, style: Callable[[Path], Path]
) -> None:
    target = lay_out("hw2")

    result = start(target, style(tmp_path / "mine"))

    assert (result.skipped, result.kept, result.missing) == ([], [], [])
    assert set(result.not_found) <= {"EWisePow.compute", "EWisePow.gradient"}
    assert len(result.carried) > 25
    assert run(PROGRAM, target) == OUTPUT
    for path in target.rglob("*.py"):
        assert "\t" not in path.read_text(encoding="utf-8")


def test_without_a_change_elsewhere_the_files_become_those_of_the_source(
    lay_out: LayOut, tmp_path: Path
) -> None:
    target, source = lay_out("hw2"), solved(tmp_path / "mine")

    start(target, source)

    for name in ("autograd.py", "ops/ops_mathematic.py"):
        assert (target / "python/needle" / name).read_text() == (source / "python/needle" / name).read_text()


def test_the_second_time_everything_is_kept(lay_out: LayOut, tmp_path: Path) -> None:
    target, source = lay_out("hw2"), solved(tmp_path / "mine")
    first = start(target, source)
    before = snapshot(target)

    second = start(target, source)

    assert (second.kept, second.carried) == (first.carried, [])
    assert snapshot(target) == before


def test_what_is_already_written_stays(lay_out: LayOut, tmp_path: Path) -> None:
    target = lay_out("hw2")
    path = target / "python/needle/ops/ops_mathematic.py"
    place = "class Negate"
    head, tail = path.read_text().split(place)
    mine = tail.replace("raise NotImplementedError()", "return 0 - a  # mine", 1)
    path.write_text(head + place + mine)

    result = start(target, solved(tmp_path / "mine"))

    assert result.kept == ["Negate.compute"]
    assert "return 0 - a  # mine" in path.read_text()
    assert "Negate.gradient" in result.carried


def test_an_empty_source_gives_nothing(lay_out: LayOut) -> None:
    target = lay_out("hw2")
    before = snapshot(target)

    result = start(target, lay_out("hw1"))

    assert result.carried == []
    assert "BroadcastTo.gradient" in result.skipped
    assert snapshot(target) == before


def test_a_raise_left_over_behind_a_return_is_not_empty(lay_out: LayOut, tmp_path: Path) -> None:
    old = "        return -a\n"
    source = edit(
        solved(tmp_path / "mine"), "ops/ops_mathematic.py", old, old + "        raise NotImplementedError()\n"
    )

    assert "Negate.compute" in start(lay_out("hw2"), source).carried


def test_helpers_imports_and_constants_come_along(lay_out: LayOut, tmp_path: Path) -> None:
    source = edit(
        solved(tmp_path / "mine"),
        "ops/ops_mathematic.py",
        "return -a\n",
        "return turned(a) + special.e * 0\n",
    )
    edit(
        source,
        "ops/ops_mathematic.py",
        "class EWiseAdd",
        "import math as special\nfrom functools import partial\nONE = 1\nSIGN, SCALE = -ONE, ONE\n\n\n"
        "def twice(function):\n    return function\n\n\n"
        "@twice\ndef turned(a):\n    '''Text\n  that stays'''\n    return array_api.multiply(a, SIGN * SCALE)\n\n\nclass EWiseAdd",
    )
    target = lay_out("hw2")

    result = start(target, source)

    assert sorted(result.helpers) == ["ONE", "SCALE", "import math as special", "turned", "twice"]
    assert result.missing == []
    assert run(PROGRAM, target) == OUTPUT
    assert "    '''Text\n  that stays'''\n" in (target / "python/needle/ops/ops_mathematic.py").read_text()


def test_methods_and_a_changed_init_come_along(lay_out: LayOut, tmp_path: Path) -> None:
    source = solved(tmp_path / "mine")
    path = source / "python/needle/ops/ops_mathematic.py"
    head, tail = path.read_text().split("class Summation")
    tail = tail.replace("self.axes = axes", "self.over = axes", 1)
    tail = tail.replace("return array_api.sum(a, axis=self.axes)", "return self.total(a)")
    tail = tail.replace("self.axes", "self.over")
    tail = tail.replace(
        "    def gradient", "    def total(self, a):\n        return a.sum(self.over)\n\n    def gradient", 1
    )
    path.write_text(f"{head}class Summation{tail}")
    target = lay_out("hw2")

    result = start(target, source)

    assert sorted(result.helpers) == ["Summation.__init__", "Summation.total"]
    assert run(PROGRAM, target) == OUTPUT


def test_renamed_arguments_and_one_line_bodies(lay_out: LayOut, tmp_path: Path) -> None:
    source = without_markers(solved(tmp_path / "mine"))
    path = source / "python/needle/ops/ops_mathematic.py"
    head, tail = path.read_text().split("class Negate")
    tail = tail.replace(
        'def compute(self, a: NDArray) -> NDArray:\n        """Array in the shape and dtype of `a`."""\n        return -a\n',
        "def compute(self, array: 'Unknown') -> Unheard: return -array\n",
        1,
    )
    path.write_text(f"{head}class Negate{tail}")
    target = lay_out("hw2")

    result = start(target, source)

    assert result.missing == []
    assert run(PROGRAM, target) == OUTPUT


def test_what_a_function_needs_from_elsewhere_is_named(lay_out: LayOut, tmp_path: Path) -> None:
    source = edit(solved(tmp_path / "mine"), "ops/ops_mathematic.py", "return -a\n", "return flipped(a)\n")
    edit(source, "ops/ops_mathematic.py", "from ..autograd", "from ..mine import flipped\nfrom ..autograd")
    (source / "python/needle/mine.py").write_text("def flipped(a):\n    return -a\n")

    assert start(lay_out("hw2"), source).missing == [
        "Negate.compute: uses `flipped`, which did not come along; copy it by hand"
    ]


def test_imports_from_the_package_are_named_from_the_new_place(lay_out: LayOut, tmp_path: Path) -> None:
    source = single_file(solved(tmp_path / "mine"))
    edit(source, "ops.py", "return -a\n", "return -a if default_device() and make_tuple and init else a\n")
    edit(
        source,
        "ops.py",
        "from .autograd",
        "from . import init\nfrom .backend_numpy import default_device\nfrom .autograd",
    )
    target = lay_out("hw2")

    result = start(target, source)

    assert sorted(result.helpers) == [
        "from .. import init",
        "from ..backend_numpy import default_device",
        "from .ops_tuple import make_tuple",
    ]
    assert run("import needle", target) == ""


def test_line_ends_of_the_target_stay(lay_out: LayOut, tmp_path: Path) -> None:
    target = lay_out("hw2")
    path = target / "python/needle/autograd.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    start(target, solved(tmp_path / "mine"))

    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") > 100


@pytest.mark.parametrize("folder", ["", "python", "python/needle"])
def test_the_source_may_be_named_by_an_inner_folder(lay_out: LayOut, tmp_path: Path, folder: str) -> None:
    source = solved(tmp_path / "mine") / folder

    assert "find_topo_sort" in start(lay_out("hw2"), source).carried


def test_a_syntax_error_is_named_and_nothing_is_written(lay_out: LayOut, tmp_path: Path) -> None:
    source = edit(solved(tmp_path / "mine"), "ops/ops_mathematic.py", "return -a\n", "return -a)\n")
    target = lay_out("hw2")
    before = snapshot(target)

    with pytest.raises(
        HandoutError, match=r"ops_mathematic\.py, line \d+: unmatched '\)'; correct it"
    ) as caught:
        start(target, source)

    assert "\n" not in str(caught.value)
    assert snapshot(target) == before


def test_folders_without_needle_are_named(lay_out: LayOut, tmp_path: Path) -> None:
    target = lay_out("hw2")

    with pytest.raises(HandoutError, match="nowhere: no such folder"):
        start(target, tmp_path / "nowhere")
    with pytest.raises(HandoutError, match=r"no python/needle/autograd\.py in it; give the root"):
        start(target, lay_out("hw0"))


def test_a_file_that_is_not_utf8_is_named(lay_out: LayOut, tmp_path: Path) -> None:
    source = solved(tmp_path / "mine")
    (source / "python/needle/autograd.py").write_bytes(b"# caf\xe9\n")

    with pytest.raises(HandoutError, match=r"autograd\.py: not UTF-8"):
        start(lay_out("hw2"), source)


def test_an_error_while_writing_leaves_files_whole(
    lay_out: LayOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, source = lay_out("hw2"), solved(tmp_path / "mine")
    before = snapshot(target)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))

    with pytest.raises(HandoutError, match=r"py: cannot be written \(disk full\)"):
        start(target, source)

    assert snapshot(target) == before


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below a folder, by relative path."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
