"""What is taken out of folders and archives, what is left out and why, and what is refused as a whole."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
import struct
import tarfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.classroom import files, intake
from grader.classroom.files import listing, refusal
from grader.errors import UsageError
from tests.classroom.archives import (
    SOURCE,
    WRITERS,
    encrypted_zip,
    write_odd_tar,
    write_tar,
    write_zip,
    write_zip_link,
)

ROOT_FILE = "src/simple_ml.py"
EXAMPLES = int(os.environ.get("GRADER_FUZZ", "2000")) // 10
both = pytest.mark.parametrize("kind", WRITERS)


def taken(archive: Path, into: Path) -> set[str]:
    """The files of the copy that the intake makes, of the submission alone."""
    intake.take(archive, "hw0", into)
    return {path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()}


@both
@pytest.mark.parametrize(
    "name",
    [
        "../evil.py",
        "a/../../evil.py",
        "/evil.py",
        "//evil.py",
        "..\\evil.py",
        "C:\\evil.py",
        "C:/evil.py",
        "c:evil.py",
        "\\\\host\\share\\evil.py",
        "src/../../evil.py",
        "..",
    ],
)
def test_names_that_lead_out(kind: str, name: str, tmp_path: Path) -> None:
    """A member whose name leaves the folder is left out and said; nothing is written outside."""
    archive = WRITERS[kind](tmp_path / "a", [(ROOT_FILE, SOURCE), (name, b"evil")])

    found = listing(archive)

    assert {ROOT_FILE} == set(found.files)
    assert all(key == ascii(name) for key in found.left_out)
    assert len(found.left_out) == 1
    copied = taken(archive, tmp_path / "deep/er/copy")
    assert ROOT_FILE in copied
    assert b"evil" not in {path.read_bytes() for path in tmp_path.rglob("*.py")}


@both
@pytest.mark.parametrize("name", ["./src/x.py", "src//x.py", "src/./x.py"])
def test_names_are_normalised(kind: str, name: str, tmp_path: Path) -> None:
    """Harmless ways of writing a path mean the same file."""
    assert {"src/x.py"} == set(listing(WRITERS[kind](tmp_path / "a", [(name, b"")])).files)


@both
def test_first_of_two_with_one_name(kind: str, tmp_path: Path) -> None:
    """Of two members with one name the first is used, and the second is said to be left out."""
    found = listing(WRITERS[kind](tmp_path / "a", [("a.py", b"1"), ("a.py", b"2"), ("./a.py", b"3")]))

    assert found.files["a.py"]() == b"1"
    assert "twice" in found.left_out["a.py"]


@both
@pytest.mark.parametrize("names", [("src/A.py", "src/a.py"), ("SRC/a.py", "src/a.py"), ("ß.py", "ss.py")])
def test_names_that_differ_in_case(kind: str, names: tuple[str, str], tmp_path: Path) -> None:
    """Two names that are one on other systems: the first is used."""
    found = listing(WRITERS[kind](tmp_path / "a", [(name, b"") for name in names]))

    assert [names[0]] == list(found.files)
    assert "case" in found.left_out[names[1]]


@both
@pytest.mark.parametrize(
    "names", [("src/x.py", "src/x.py/y.py"), ("src/x.py/y.py", "src/x.py"), ("a.py", "A.py/b.py")]
)
def test_file_and_folder_of_one_name(kind: str, names: tuple[str, str], tmp_path: Path) -> None:
    """A path that is both a file and a folder: the first is used, and the copy can be made."""
    archive = WRITERS[kind](tmp_path / "a", [(ROOT_FILE, SOURCE), *((name, b"") for name in names)])

    assert {ROOT_FILE, names[0]} == set(listing(archive).files)
    assert names[0] in taken(archive, tmp_path / "copy")


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
@pytest.mark.parametrize("target", ["/etc/passwd", "src/simple_ml.py", "../../etc/passwd"])
def test_tar_members_that_are_no_files(kind: bytes, target: str, tmp_path: Path) -> None:
    """Links of both kinds, devices and pipes are left out, wherever they point."""
    found = listing(write_odd_tar(tmp_path / "a", [("odd.py", kind, target)]))

    assert list(found.files) == [ROOT_FILE]
    assert found.left_out == {"odd.py": "not a regular file"}


def test_file_below_a_link(tmp_path: Path) -> None:
    """A link to a folder and a member below it: the member lands in the copy, not where the link points."""
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        link = tarfile.TarInfo("src")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        tar.addfile(link)
        info = tarfile.TarInfo(ROOT_FILE)
        info.size = len(SOURCE)
        tar.addfile(info, io.BytesIO(SOURCE))

    taken(archive, tmp_path / "copy")

    assert list(outside.iterdir()) == []


def test_zip_link(tmp_path: Path) -> None:
    """A symbolic link in a zip is left out."""
    found = listing(write_zip_link(tmp_path / "a.zip", "src/odd.py", "/etc/passwd"))

    assert found.left_out == {"src/odd.py": "not a regular file"}


def test_links_and_pipes_in_a_folder(tmp_path: Path) -> None:
    """Links to files and folders and named pipes are not followed, read or waited for."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / ROOT_FILE).write_bytes(SOURCE)
    (root / "src/link.py").symlink_to("/etc/passwd")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "src/pipe.py")

    found = listing(root)

    assert list(found.files) == [ROOT_FILE]
    assert found.left_out == {"src/link.py": "a link", "src/pipe.py": "not a regular file"}


def test_file_that_becomes_a_link(tmp_path: Path) -> None:
    """A file that is replaced by a link after the listing is refused, not followed."""
    (tmp_path / "a.py").write_bytes(SOURCE)
    (tmp_path / "secret").write_text("secret")
    found = listing(tmp_path)
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match="cannot be read"):
        found.files["a.py"]()


@both
@pytest.mark.parametrize(
    "name",
    [
        "new\nline.py",
        "tab\t.py",
        "\x1b[31mred.py",
        "梯度.py",
        "a b:c.py",
        "\u202egnp.py",
        "'quote\".py",
        "-rf.py",
    ],
)
def test_odd_names_are_files_like_others(kind: str, name: str, tmp_path: Path) -> None:
    """Names with control characters, other scripts and quotes are taken; renderers escape them."""
    archive = WRITERS[kind](tmp_path / "a", [(ROOT_FILE, SOURCE), (f"src/{name}", b"1")])

    assert f"src/{name}" in taken(archive, tmp_path / "copy")


@both
@pytest.mark.parametrize(
    "name",
    [
        "n" * 300 + ".py",
        "梯" * 100 + ".py",
        "d" * 300 + "/a.py",
        "/".join("d" * 20) + "/a.py",
    ],
    ids=["long", "long-in-bytes", "long-folder", "deep"],
)
def test_long_and_deep_names(kind: str, name: str, tmp_path: Path) -> None:
    """A name that the file system may refuse is left out; the copy is made."""
    archive = WRITERS[kind](tmp_path / "a", [(ROOT_FILE, SOURCE), (name, b"1")])

    assert {name: "its name is too long or lies too deep"} == listing(archive).left_out
    assert ROOT_FILE in taken(archive, tmp_path / "copy")


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A name that is not UTF-8 is left out and shown in ASCII, in a folder and in a tar."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / ROOT_FILE).write_bytes(SOURCE)
    (root / os.fsdecode(b"caf\xe9.py")).write_bytes(b"")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(root, ".")

    for path in (root, tmp_path / "a.tar"):
        found = listing(path)
        assert list(found.files) == [ROOT_FILE]
        assert all(key.isascii() for key in found.left_out)
        assert len(found.left_out) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/simple_ml.py", None),
        ("Makefile", None),
        ("a/.gitignore", None),
        ("data/x.gz", None),
        ("conftest.py", "never used"),
        ("src/sitecustomize.py", "never used"),
        ("setup.py", "never used"),
        ("a/pyproject.toml", "never used"),
        ("src/x.so", "not a source"),
        ("evil.pth", "not a source"),
        ("src/x.sh", "not a source"),
        ("src/x.pyc", ""),
        ("a/__pycache__/x.py", ""),
        ("venv/lib/x.py", ""),
        (".git/hooks/x.py", ""),
        ("x.egg-info/x.txt", ""),
        ("report.pdf", ""),
    ],
)
def test_which_names_are_taken(name: str, expected: str | None) -> None:
    """Sources and data are taken, clutter is passed over in silence, the rest is left out with a reason."""
    found = refusal(name, 10)

    assert found == expected if not expected else expected in (found or "")


def test_large_files_are_left_out() -> None:
    """The limit on a single file is named."""
    assert "larger than 16 MiB" in (refusal("a.py", files.LARGEST + 1) or "")
    assert refusal("a.py", files.LARGEST) is None


BOMB = bytes((16 << 20) + 1)


@both
def test_member_that_is_too_large(kind: str, tmp_path: Path) -> None:
    """A large member that packs to nothing is left out, and the rest is taken."""
    found = listing(WRITERS[kind](tmp_path / "a", [("src/bomb.py", BOMB), (ROOT_FILE, SOURCE)]))

    assert found.left_out == {"src/bomb.py": "larger than 16 MiB"}
    assert list(found.files) == [ROOT_FILE]


def test_many_members_that_are_large_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members that are each within the limit, and together beyond it, end the intake with one line."""
    monkeypatch.setattr(intake, "MOST_BYTES", 3 << 20)
    members = [(f"src/{n}.py", bytes(1 << 20)) for n in range(4)]
    archive = write_zip(tmp_path / "a.zip", [(ROOT_FILE, SOURCE), *members])

    with pytest.raises(UsageError, match="more than 3 MiB"):
        intake.take(archive, "hw0", tmp_path / "copy")


def test_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tar that unpacks to gigabytes is refused before its headers are believed."""
    archive = tmp_path / "a.tar.gz"
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 40
    monkeypatch.setattr(files, "MOST_BYTES", 10 << 20)
    with gzip.open(archive, "wb", compresslevel=1) as stream:
        stream.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(20):
            stream.write(bytes(1 << 20))

    with pytest.raises(UsageError, match="unpacks to more than 10 MiB"):
        listing(archive)


def test_header_that_claims_gigabytes(tmp_path: Path) -> None:
    """An extended header that claims 8 GiB in a small file is an error, not an allocation."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 8 << 30
    (tmp_path / "a.tar").write_bytes(info.tobuf() + b"path=x" + bytes(2048))

    with pytest.raises(UsageError):
        listing(tmp_path / "a.tar")


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of files are refused with what to do."""
    monkeypatch.setattr(files, "MOST_FILES", 50)
    archive = write_zip(tmp_path / "a.zip", ((f"{n}.py", b"") for n in range(51)))

    with pytest.raises(UsageError, match="hand in the homework's folder alone"):
        listing(archive)


def _broken(folder: Path) -> dict[str, Path]:
    """Archives that cannot be read, each in its own way."""
    whole = write_zip(folder / "whole.zip", [(ROOT_FILE, SOURCE * 50)]).read_bytes()
    packed = write_tar(folder / "whole.tar.gz", [(ROOT_FILE, os.urandom(5000))]).read_bytes()
    crc = bytearray(whole)
    crc[60] ^= 0xFF
    contents = {
        "empty-file": b"",
        "text": b"this is not an archive",
        "rar": b"Rar!\x1a\x07\x00" + b"x" * 100,
        "zip-cut": whole[: len(whole) // 2],
        "zip-crc": bytes(crc),
        "zip-end-only": b"PK\x05\x06" + bytes(18),
        "tar-cut": packed[: len(packed) // 2],
        "gzip-garbage": b"\x1f\x8b\x08" + b"x" * 100,
        "gzip-of-text": gzip.compress(b"text"),
        "xz-garbage": b"\xfd7zXZ\0" + b"x" * 100,
        "bzip2-garbage": b"BZh9" + b"x" * 100,
        "zip-of-nothing": b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 0, 0, 0, 0, 0),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    tarfile.open(folder / "tar-of-nothing", "w:gz").close()
    encrypted_zip(folder / "encrypted")
    write_zip(folder / "no-source", [("photo.png", b"1"), ("__pycache__/a.py", b"")])
    (folder / "empty-folder").mkdir()
    os.mkfifo(folder / "pipe")
    paths = [
        folder / name
        for name in [*contents, "tar-of-nothing", "encrypted", "no-source", "empty-folder", "pipe"]
    ]
    other = {"missing": folder / "nowhere", "device": Path("/dev/zero"), "long": folder / ("x" * 300)}
    return {**{path.name: path for path in paths}, **other}


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """Each unreadable submission is a UsageError of one line that names it, at once."""
    errors = {}
    started = time.monotonic()
    for name, path in _broken(tmp_path).items():
        with pytest.raises(UsageError) as caught:
            intake.take(path, "hw0", tmp_path / "copy" / name)
        errors[name] = str(caught.value)

    assert time.monotonic() - started < 5
    assert [text for text in errors.values() if "\n" in text or len(text) > 600] == []
    assert "no such file" in errors["missing"]
    assert "neither a folder nor a file" in errors["device"]
    assert "no source file" in errors["no-source"]
    assert "encrypted" in errors["encrypted"]


MEMBER_NAMES = st.lists(
    st.sampled_from(
        ["..", ".", "", "a", "b.py", "src", "simple_ml.py", "C:", "\\", "~", "con", "\x1b[2J", "\0", "é"]
    )
    | st.text(max_size=6),
    min_size=1,
    max_size=5,
).map("/".join)
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the fuzzers, with a file that nothing may change."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "sentinel").write_text("as it was")
    return folder


def _take_apart(archive: Path, arena: Path, number: int) -> None:
    into = arena / "copies" / str(number) / "copy"
    shutil.rmtree(into.parent, ignore_errors=True)
    with contextlib.suppress(UsageError):
        intake.take(archive, "hw0", into)
    assert {"sentinel", "archive", "copies"} >= {path.name for path in arena.iterdir()}
    assert (arena / "sentinel").read_text() == "as it was"
    if into.parent.exists():
        assert [path.name for path in into.parent.iterdir()] == ["copy"]
        assert [path for path in into.rglob("*") if path.is_symlink()] == []


@fuzz
@given(
    kind=st.sampled_from(sorted(WRITERS)),
    members=st.lists(st.tuples(MEMBER_NAMES, st.binary(max_size=20)), max_size=6),
)
def test_any_member_names(kind: str, arena: Path, members: list[tuple[str, bytes]]) -> None:
    """Whatever the members are called: a copy, or a UsageError, and nothing outside the copy."""
    archive = arena / "archive"
    try:
        WRITERS[kind](archive, [(ROOT_FILE, SOURCE), *members])
    except (UnicodeEncodeError, ValueError):
        return
    _take_apart(archive, arena, 2)


@fuzz
@given(
    kind=st.sampled_from(sorted(WRITERS)),
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.integers(0, 400),
)
def test_any_bytes(kind: str, arena: Path, changes: list[tuple[int, int]], cut: int) -> None:
    """The same for archives whose bytes were changed or cut off."""
    archive = WRITERS[kind](arena / "archive", [(ROOT_FILE, SOURCE), ("src/more.py", SOURCE * 3)])
    data = bytearray(archive.read_bytes())
    for at, byte in changes:
        data[at % len(data)] = byte
    archive.write_bytes(data[: len(data) - cut] if cut < 100 else data)
    _take_apart(archive, arena, 0)


@fuzz
@given(changes=st.lists(st.tuples(st.integers(0, 511), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_tar_header(arena: Path, changes: list[tuple[int, int]]) -> None:
    """The same for a tar header that was changed and given a right checksum again."""
    archive = write_tar(arena / "archive", [(ROOT_FILE, SOURCE), ("src/more.py", SOURCE)], "w")
    data = bytearray(archive.read_bytes())
    for at, byte in changes:
        data[at] = byte
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    archive.write_bytes(data)
    _take_apart(archive, arena, 1)
