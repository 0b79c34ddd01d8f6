"""The homework's root is found wherever it lies, told from other homeworks, and laid over the starter."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom import intake
from grader.classroom.files import listing
from grader.errors import UsageError
from tests.support import build

HOMEWORKS = ("hw0", "hw1", "hw2")
PLACES = [
    (),
    ("hw",),
    ("my homework (2)",),
    ("CMU 10-414: deep learning", "作业 一"),
    ("src",),
    ("python",),
    ("src", "python", "x"),
    ("apps", "homeworks"),
    ("a", "b", "c", "d"),
]


def root_of(path: Path, homework: str) -> str:
    """The prefix that the intake finds."""
    return intake.find_root(listing(path), homework, path)


@pytest.mark.parametrize("homework", HOMEWORKS)
@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_root_is_found(homework: str, place: tuple[str, ...], tmp_path: Path) -> None:
    """Folders around the root may have any name, those of the root's own folders too."""
    build(tmp_path.joinpath(*place), homework)

    assert root_of(tmp_path, homework) == "".join(f"{part}/" for part in place)


@pytest.mark.parametrize("names", [("hw0", "hw1", "hw2"), ("one-hw0", "two-hw1", "three-hw2")])
@pytest.mark.parametrize("around", ["", "cmu-hw0-hw1-hw2/"])
def test_several_homeworks_in_one_repository(names: tuple[str, ...], around: str, tmp_path: Path) -> None:
    """Each homework is found in its own folder, although hw2 holds most of hw1 and the path names all."""
    for homework, name in zip(HOMEWORKS, names, strict=True):
        build(
            tmp_path / around / name,
            homework,
            extra_files={"apps/simple_ml.py": ""} if homework == "hw2" else {},
        )

    assert [f"{around}{name}/" for name in names] == [root_of(tmp_path, homework) for homework in HOMEWORKS]


@pytest.mark.parametrize("place", [(), ("x",), ("python", "x")], ids="/".join)
def test_needle_without_python(place: tuple[str, ...], tmp_path: Path) -> None:
    """needle/ may lie at the root itself."""
    root = build(tmp_path.joinpath(*place), "hw1")
    (root / "python/needle").rename(root / "needle")
    (root / "python").rmdir()

    assert root_of(tmp_path, "hw1") == "".join(f"{part}/" for part in place)


@pytest.mark.parametrize(
    ("have", "want"),
    [("hw0", "hw1"), ("hw0", "hw2"), ("hw1", "hw0"), ("hw1", "hw2"), ("hw2", "hw0"), ("hw2", "hw1")],
)
@pytest.mark.parametrize("layout", ["2023", "2022"])
def test_another_homework_is_named(have: str, want: str, layout: str, tmp_path: Path) -> None:
    """What is handed in for another homework is told so, with the command to try."""
    build(tmp_path, have, layout)

    with pytest.raises(UsageError, match=f"this looks like {have}, not {want}; try `python -m grader {have}"):
        root_of(tmp_path, want)


def test_reference_is_each_homework() -> None:
    """The complete solution is a valid root of all three."""
    from grader.places import REFERENCE

    assert [root_of(REFERENCE, homework) for homework in HOMEWORKS] == ["", "", ""]


def test_empty_nested_repository_is_hinted_at(tmp_path: Path) -> None:
    """An empty folder where the homework should be looks like a repository in a repository."""
    (tmp_path / "hw1").mkdir()
    (tmp_path / "README.md").write_text("my homework")

    with pytest.raises(UsageError, match="empty: hw1; a nested repository"):
        root_of(tmp_path, "hw1")


def messages(path: Path, homework: str, into: Path) -> list[str]:
    """The notes of the intake."""
    return [note["message"] for note in intake.take(path, homework, into).notes]


def test_ignored_file_is_explained(tmp_path: Path) -> None:
    """A missing file comes from the starter, and the line of the .gitignore that lost it is named."""
    root = build(tmp_path / "hw2", "hw2", extra_files={".gitignore": "# mine\n*.so\ndata/\n"})
    for path in (root / "python/needle/data").rglob("*.py"):
        path.unlink()

    found = messages(root, "hw2", tmp_path / "copy")

    name = "python/needle/data/data_basic.py"
    assert f"{name} is missing: taken from the starter (.gitignore:3 ignores `data/`)" in found
    assert (tmp_path / "copy" / name).exists()


def test_old_layout_stays_single_files(tmp_path: Path) -> None:
    """A submission of 2022 is not given the packages of 2023 beside its files."""
    taken = intake.take(build(tmp_path / "hw2", "hw2", "2022"), "hw2", tmp_path / "copy")

    assert taken.layout == "2022"
    needle = tmp_path / "copy/python/needle"
    assert [path.name for path in needle.iterdir() if path.is_dir()] == []


def test_own_files_are_kept_byte_for_byte(tmp_path: Path) -> None:
    """The copy of what was handed in is exact, line ends and marks included."""
    text = b"\xef\xbb\xbf# \xe6\xa2\xaf\r\nx = 1"
    root = build(tmp_path / "hw1", "hw1", extra_files={"apps/more.py": text})

    intake.take(root, "hw1", tmp_path / "copy")

    assert text == (tmp_path / "copy/apps/more.py").read_bytes()
    assert text == (root / "apps/more.py").read_bytes()


def test_left_out_sources_are_said(tmp_path: Path) -> None:
    """A source that is not used is named in a note."""
    root = build(tmp_path / "hw1", "hw1", extra_files={"conftest.py": ""})
    (root / "python/needle/extra.py").symlink_to("/etc/passwd")

    found = messages(root, "hw1", tmp_path / "copy")

    assert "conftest.py is not used: a file of this name is never used" in found
    assert "python/needle/extra.py is not used: a link" in found
