"""A submission as bytes: what is in them, and what their hash depends on."""

import hashlib
import hmac
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from grader.classroom import files, intake, parcel
from grader.classroom.plan import Terms
from grader.errors import UsageError
from tests.classroom.archives import write_tar, write_zip

FILES = {
    "python/needle/autograd.py": b"x = 1\n",
    "apps/simple_ml.py": b"y = 2\n",
    "data/train-images-idx3-ubyte.gz": b"pixels" * 1000,
}


def _pack(path: Path) -> parcel.Parcel:
    return parcel.pack(files.listing(path), "hw1", str(path))


def _folder(root: Path, content: dict[str, bytes], prefix: str = "") -> Path:
    for name, data in content.items():
        target = root / prefix / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return root


def test_the_form_does_not_change_the_content(tmp_path: Path) -> None:
    """Folder, zip and tar of the same files, at any depth, have one hash; another byte has another."""
    same = [
        _folder(tmp_path / "folder", FILES),
        _folder(tmp_path / "deeper", FILES, "a/hw1"),
        write_zip(tmp_path / "a.zip", FILES.items()),
        write_tar(tmp_path / "a.tar.gz", [(f"jane/{name}", data) for name, data in FILES.items()]),
    ]
    other = _folder(tmp_path / "other", {**FILES, "apps/simple_ml.py": b"y = 3\n"})

    assert len({_pack(path).content for path in same}) == 1
    assert _pack(other).content != _pack(same[0]).content
    assert {parcel.content_hash(files.listing(path), "hw1", "") for path in same} == {_pack(same[0]).content}


def test_names_and_contents_do_not_run_together(tmp_path: Path) -> None:
    """A byte that moves from one file to the next changes the hash."""
    one = _folder(tmp_path / "one", {**FILES, "python/needle/a.py": b"12", "python/needle/b.py": b"3"})
    two = _folder(tmp_path / "two", {**FILES, "python/needle/a.py": b"1", "python/needle/b.py": b"23"})

    assert _pack(one).content != _pack(two).content


def test_data_sets_stay_behind(tmp_path: Path) -> None:
    """They are named, do not travel, and where it is graded the handout's lie in their place."""
    packed = _pack(_folder(tmp_path / "hw", FILES, "hw1"))

    assert packed.data == ("hw1/data/train-images-idx3-ubyte.gz",)
    assert not any("ubyte" in name for name in zipfile.ZipFile(BytesIO(packed.archive)).namelist())
    target = tmp_path / "unpacked"
    parcel.unpack(packed.archive, packed.data, "hw1", target)
    taken = intake.take(target, "hw1", tmp_path / "taken")
    ours = Path(intake.places.starter("hw1")) / "data/train-images-idx3-ubyte.gz"
    assert (taken.root / "data/train-images-idx3-ubyte.gz").read_bytes() == ours.read_bytes()
    assert (taken.root / "apps/simple_ml.py").read_bytes() == b"y = 2\n"


def test_what_cannot_travel_is_noted(tmp_path: Path) -> None:
    """A link is left out of the parcel; the report will say so as if the folder had been graded."""
    root = _folder(tmp_path / "hw", FILES)
    (root / "python/needle/ops.py").symlink_to("/etc/passwd")

    assert _pack(root).notes == tuple(intake.take(root, "hw1", tmp_path / "into").notes[:1])
    assert "a link" in _pack(root).notes[0]["message"]


def test_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the limit is refused with the path and the limit."""
    root = _folder(tmp_path / "hw", {**FILES, "python/needle/big.npy": bytes(3 * files.MIB)})
    monkeypatch.setattr(parcel, "MOST", 2 * files.MIB)

    with pytest.raises(UsageError, match="hw: more than 2 MiB"):
        _pack(root)


TERMS = Terms("hw1", 0, {"grader": "1", "python": "3", "numpy": "2"}, {"blame": True})


@pytest.mark.parametrize(
    "other",
    [
        replace(TERMS, homework="hw2"),
        replace(TERMS, seed=1),
        replace(TERMS, seed="0"),
        *(replace(TERMS, environment={**TERMS.environment, name: "9"}) for name in TERMS.environment),
        replace(TERMS, options={"blame": False}),
    ],
)
def test_all_that_a_grade_depends_on_is_in_its_key(other: Terms) -> None:
    """Another homework, seed, grader, Python, numpy or option is another key; so is another submission."""
    assert other.key("content") != TERMS.key("content")
    assert TERMS.key("content") != TERMS.key("another")
    assert TERMS.key("content") == replace(TERMS).key("content")


def test_a_secret_seed_is_named_by_a_keyed_digest() -> None:
    """Neither the secret nor a plain hash of it, by which it could be guessed offline with less, is the name."""
    secret = "sixteen bytes or more"
    name = replace(TERMS, seed=secret).seed_name

    plain = hashlib.sha256(secret.encode()).hexdigest()
    keyed = hmac.new(secret.encode(), b"the name of this seed", "sha256").hexdigest()
    assert name == f"secret:{keyed[:16]}"
    assert secret not in name
    assert plain[:16] not in name
