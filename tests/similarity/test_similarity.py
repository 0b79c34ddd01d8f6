"""Copies stand out among independent right solutions, and those stay below the stated baseline."""

from __future__ import annotations

import ast
import csv
import functools
import io
import sys
import tempfile
from pathlib import Path

import pytest

from benchmarks import similarity as measuring
from tests.bank import hw1, hw2
from tests.bank.style import Style
from tests.similarity.copies import copied

pytest.importorskip("copydetect", reason="the extra `similarity` is not installed")

from grader.classroom.similarity import words
from grader.classroom.similarity.baseline import baseline
from grader.classroom.similarity.found import Similar, similar
from grader.classroom.similarity.pieces import Piece, pieces
from grader.classroom.similarity.sources import in_paths
from grader.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
HW1 = ("terse", "wordy", "helpers", "numpy_minded", "functions", "guarded", "reducer", "operators", "older")
HW2 = ("tensors", "arrays", "single", "flat")


def style(homework: str, name: str) -> Style:
    return next(one for one in {"hw1": hw1, "hw2": hw2}[homework].STYLES if one.name == name)


@functools.cache
def files(homework: str, name: str) -> dict[str, bytes]:
    """The sources of a style without the functions that it did not write itself, which are the reference's."""
    chosen = style(homework, name)
    own = chosen.solutions(homework).keys()
    with tempfile.TemporaryDirectory() as folder:
        found = measuring.sources_of(chosen.build(Path(folder), homework))
    for piece in pieces(found, homework):
        if piece.name in measuring.of_reference(homework) - own:
            found[piece.file] = _emptied(found[piece.file], piece)
    return found


def _emptied(data: bytes, piece: Piece) -> bytes:
    lines = data.decode().replace("\r\n", "\n").split("\n")
    last = piece.text.rstrip().split("\n")[-1].strip()
    stop = next(i for i in range(piece.first - 1, len(lines)) if lines[i].strip() == last) + 1
    indent = lines[piece.first - 1][: len(lines[piece.first - 1]) - len(lines[piece.first - 1].lstrip())]
    stub = [f"{indent}raise NotImplementedError()"]
    return "\n".join([*lines[: piece.first - 1], *stub, *[""] * (stop - piece.first), *lines[stop:]]).encode()


@functools.cache
def of_class(homework: str) -> Similar:
    """The independent right solutions of a homework, and three planted copies."""
    names = {"hw1": HW1, "hw2": HW2}[homework]
    class_of = {name: files(homework, name) for name in names}
    for name in names[:3]:
        class_of[f"copy of {name}"] = copied(files(homework, name))
    return similar(homework, class_of.items())


@pytest.mark.parametrize("homework", ["hw1", "hw2"])
def test_copies_are_the_top_pairs(homework: str) -> None:
    """Names, order and comments changed: the three copies and their sources are the first three pairs."""
    found = of_class(homework)

    top = {frozenset((found.name(one.first), found.name(one.second))) for one in found.pairs[:3]}
    names = {"hw1": HW1, "hw2": HW2}[homework][:3]

    assert top == {frozenset((name, f"copy of {name}")) for name in names}
    assert all(one.share > 0.7 for one in found.pairs[:3])


def test_a_copy_is_no_longer_the_same_text() -> None:
    """The planted copies differ from their sources in most lines, and still parse."""
    source, copy = files("hw1", "wordy"), copied(files("hw1", "wordy"))
    name = "python/needle/ops/ops_mathematic.py"

    lines = [set(one[name].decode().splitlines()) for one in (source, copy)]
    ast.parse(copy[name])

    assert len(lines[0] & lines[1]) < 0.8 * len(lines[0])
    assert copy[name].index(b"class ReLU") < copy[name].index(b"class EWiseAdd")


@pytest.mark.parametrize("homework", ["hw1", "hw2"])
def test_the_baseline_is_what_the_bank_shows(homework: str) -> None:
    """The stated figures are measured again; no two independent right solutions are above them."""
    found = measuring.measured(homework)
    stated = baseline(homework)

    assert found == {
        "solutions": stated.solutions,
        "pairs": stated.pairs,
        "median": stated.median,
        "most": stated.most,
    }
    assert stated.pairs >= 30
    assert stated.most < 0.15


def test_independent_solutions_are_below_the_baseline_and_copies_above() -> None:
    """What is called above the baseline are the copies and nothing else."""
    found = of_class("hw1")

    above = {frozenset((found.name(one.first), found.name(one.second))) for one in found.above()}

    assert above == {frozenset((name, f"copy of {name}")) for name in HW1[:3]}


def test_matching_regions_are_side_by_side() -> None:
    """The page's data of a copy holds both texts of the longest regions, with the lines that line up."""
    pair = of_class("hw1").as_dict()["pairs"][0]
    region = pair["regions"][0]

    assert pair["above"] is True
    assert region["a"] != region["b"]
    assert len(region["in_a"]) > 0.6 * len([line for line in region["a"] if line.strip()])
    assert all(line < len(region["b"]) for line in region["in_b"])


def test_nothing_is_called_cheating() -> None:
    """The words say that submissions resemble each other, and what right solutions share anyway."""
    found = of_class("hw2")
    said = words.summary(found) + words.table(found) + found.text()

    assert "resembl" in said
    assert f"up to {round(100 * baseline('hw2').most, 1)} %" in " ".join(said.split())
    assert not any(word in said.lower() for word in ("cheat", "plagiar", "guilty", "stolen"))
    assert max(map(len, words.summary(found).splitlines())) <= 80


def test_only_what_students_write_counts() -> None:
    """An untouched handout has nothing to compare; the reference's scaffold is not among the pieces."""
    handout = {
        path.relative_to(ROOT / "hw2").as_posix(): path.read_bytes() for path in (ROOT / "hw2").rglob("*.py")
    }
    names = {piece.name for piece in pieces(files("hw2", "arrays"), "hw2")}

    assert pieces(handout, "hw2") == []
    assert {"Adam.step", "BatchNorm1d.forward", "BroadcastTo.gradient"} <= names
    assert not names & {"Tensor.__add__", "Value.make_const", "Parameter", "Module.parameters"}


def test_layouts_and_marks_do_not_matter() -> None:
    """Without solution marks, and with the package at the root, the same pieces are found."""
    plain = files("hw1", "wordy")
    bare = {
        name.removeprefix("python/"): b"\n".join(
            line for line in data.split(b"\n") if b"YOUR SOLUTION" not in line
        )
        for name, data in plain.items()
    }

    assert {(one.name, one.text) for one in pieces(bare, "hw1")} == {
        (one.name, one.text) for one in pieces(plain, "hw1")
    }


def test_earlier_years_are_compared_with_but_not_among_themselves() -> None:
    """A copy of last year's is found; two of last year's that are alike are nobody's business."""
    old = {"ann": files("hw1", "terse"), "bob": files("hw1", "terse")}
    now = {"eve": copied(files("hw1", "terse")), "joe": files("hw1", "helpers")}

    found = similar("hw1", now.items(), old.items())
    above = {(found.name(one.first), found.name(one.second)) for one in found.above()}

    assert above == {("eve", "ann"), ("eve", "bob")}


@pytest.mark.parametrize(
    "text",
    [
        b"def broken(:\n    ### BEGIN YOUR SOLUTION\n    x = 1\n    ### END YOUR SOLUTION\n",
        b"\xff\xfe\x00" * 50,
        b"(" * 5000 + b")" * 5000,
        b"x = '''" + b"a" * 300_000,
        b"",
    ],
    ids=["syntax", "bytes", "nested", "huge", "empty"],
)
def test_sources_that_cannot_be_read_do_no_harm(text: bytes) -> None:
    """A file that is no Python is taken between its marks, or not at all; the others are compared."""
    bad = {**files("hw1", "terse"), "python/needle/init/init_basic.py": text}

    found = similar("hw1", [("bad", bad), ("good", files("hw1", "terse"))])

    assert len(found.pairs) == 1
    assert found.pairs[0].share > 0.9


def test_folders_are_read_and_what_is_none_is_named(tmp_path: Path) -> None:
    """Submissions of a folder go by their names; a broken archive is named, and the rest compared."""
    for name, source in {"=1+1": "terse", "joe": "terse", "kim": "wordy"}.items():
        for file, data in files("hw1", source).items():
            target = tmp_path / "all" / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    (tmp_path / "all" / "broken.zip").write_bytes(b"PK\x03\x04 nothing")

    found, problems = in_paths("hw1", [tmp_path / "all"], [])
    lines = list(csv.reader(io.StringIO(words.table(found))))

    assert [name for name, _ in problems] == ["broken"]
    assert lines[1][:2] == ["'=1+1", "joe"]
    assert [line[:2] for line in lines[2:]] == []


def test_nothing_to_compare_is_one_line(tmp_path: Path) -> None:
    """A folder without submissions is said so, with what to give."""
    with pytest.raises(UsageError, match="no submission"):
        in_paths("hw1", [tmp_path], [])


def test_a_missing_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without copydetect the call says which extra to install."""
    monkeypatch.setitem(sys.modules, "copydetect", None)

    with pytest.raises(UsageError, match=r"needle-grader\[similarity\]"):
        similar("hw1", [])
